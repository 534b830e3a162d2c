"""Runs one command, bounds its log, and takes down all it started once it ends or its owner is gone.

Started as a process of its own, with a pipe from its owner as standard input: when the owner closes the pipe or dies,
however suddenly, the guard ends the command. As a child subreaper it inherits every descendant, so that a daemon
which left the process group is found too. Nothing is ever looked up by name.

    guard.py LOG GRACE_SECONDS COMMAND [ARGUMENT...]

Exit code: the command's own (128 + signal when a signal ended it), or 143 when the guard had to stop it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import BinaryIO

import psutil

# The beginning of a log says how a server was set up, the end why it died; the middle of a huge one says little.
LOG_HEAD_BYTES = 8_000_000
LOG_TAIL_BYTES = 2_000_000
STOPPED = 143
_PR_SET_CHILD_SUBREAPER = 36
_POLL_SECONDS = 0.05


class BoundedLog:
    """A log file that holds the first 8 MB and the last 2 MB of what is written to it."""

    def __init__(self, path: str) -> None:
        self.file: BinaryIO | None = open(path, "wb", buffering=0)  # noqa: SIM115 - closed by close()
        self.written = 0
        self.tail: deque[bytes] = deque()
        self.tail_bytes = 0
        self.dropped = 0

    def write(self, chunk: bytes) -> None:
        """Take a chunk; a full disk ends the log, never the command."""
        room = max(LOG_HEAD_BYTES - self.written, 0)
        self._put(chunk[:room])
        rest = chunk[room:]
        if not rest:
            return
        self.tail.append(rest)
        self.tail_bytes += len(rest)
        while self.tail_bytes - len(self.tail[0]) >= LOG_TAIL_BYTES:
            gone = self.tail.popleft()
            self.tail_bytes -= len(gone)
            self.dropped += len(gone)

    def close(self) -> None:
        """Append what was kept of the end."""
        if self.dropped:
            self._put(f"\n[... {self.dropped:,} bytes left out by SweepGate ...]\n".encode())
        for chunk in self.tail:
            self._put(chunk)
        if self.file is not None:
            self.file.close()

    def _put(self, chunk: bytes) -> None:
        if self.file is None or not chunk:
            return
        try:
            self.file.write(chunk)
            self.written += len(chunk)
        except OSError:
            self.file.close()
            self.file = None


def main(log_path: str, grace: float, command: list[str]) -> int:
    """Run `command` to its end, or until the owner goes away."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # The owner may have held signals back while it started us; the command must not inherit that.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    threading.Thread(target=_wait_for_owner, args=(stop,), daemon=True).start()

    log = BoundedLog(log_path)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        log.write(f"cannot start {command[0]}: {error.strerror}\n".encode())
        log.close()
        return 127
    assert child.stdout is not None
    drain = threading.Thread(target=_drain, args=(child.stdout, log), daemon=True)
    drain.start()
    while child.poll() is None and not stop.wait(_POLL_SECONDS):
        pass
    stopped = child.poll() is None
    _end_all(grace)
    code = child.wait()
    _reap_adopted()
    # Every writer of the pipe is gone by now, so the drain sees its end.
    drain.join(timeout=5)
    log.close()
    if stopped:
        return STOPPED
    return 128 - code if code < 0 else code


def _wait_for_owner(stop: threading.Event) -> None:
    while os.read(0, 1024):
        pass
    stop.set()


def _drain(pipe: BinaryIO, log: BoundedLog) -> None:
    while chunk := os.read(pipe.fileno(), 65536):
        log.write(chunk)


def _end_all(grace: float) -> None:
    """Ask every descendant to end, wait `grace` seconds, then kill; repeated, since a dying process may fork."""
    me = psutil.Process()
    deadline = time.monotonic() + grace
    asked: set[int] = set()
    while alive := [p for p in me.children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]:
        for process in alive:
            try:
                if time.monotonic() >= deadline:
                    process.kill()
                elif process.pid not in asked:
                    asked.add(process.pid)
                    process.terminate()
            except psutil.NoSuchProcess:
                continue
        time.sleep(_POLL_SECONDS)


def _reap_adopted() -> None:
    """Collect descendants that became our children: until then their process ids exist."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), sys.argv[3:]))
