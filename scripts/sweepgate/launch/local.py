"""The `local` launcher: processes of this machine, each under a guard that outlives nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

GRACE_SECONDS = 10.0
_GUARD = Path(__file__).with_name("guard.py")
# What a server or client needs of our environment; tokens and everything else stay out of its reach.
_PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "TZ")
_PASSED_ON_PREFIXES = ("CUDA_", "NVIDIA_", "NCCL_")


class LocalProcess:
    """A running command. `log` holds its bounded output."""

    def __init__(self, name: str, guard: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.log = log
        self._guard = guard

    @property
    def pid(self) -> int:
        """The guard's process id; the command and all it starts are its descendants."""
        return self._guard.pid

    def exit_code(self) -> int | None:
        """Return the exit code (128 + signal for a signal), or None while it runs."""
        return self._guard.poll()

    def ask_to_stop(self) -> None:
        """Start the shutdown without waiting for it; safe to call twice."""
        if self._guard.stdin is not None:
            with suppress(OSError):
                self._guard.stdin.close()

    def stop(self) -> None:
        """End the command and everything it started; returns when all of it is gone."""
        self.ask_to_stop()
        try:
            self._guard.wait(timeout=GRACE_SECONDS + 10)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._guard.pid, signal.SIGKILL)
            self._guard.wait()


def start(name: str, command: list[str], environment: Mapping[str, str], cwd: Path, log: Path) -> LocalProcess:
    """Start `command` in its own session with only the given environment. Never raises for a command that fails."""
    guard = [sys.executable, "-I", str(_GUARD), str(log), str(GRACE_SECONDS), *command]
    process = subprocess.Popen(
        guard, stdin=subprocess.PIPE, cwd=cwd, env=dict(environment), start_new_session=True, close_fds=True
    )
    return LocalProcess(name, process, log)


def base_environment(source: Mapping[str, str]) -> dict[str, str]:
    """Return the part of `source` that servers and clients may see, with this Python's tools first on PATH."""
    kept = {name: value for name, value in source.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)}
    own_tools = str(Path(sys.executable).parent)
    kept["PATH"] = f"{own_tools}:{source.get('PATH', os.defpath)}"
    return kept
