"""The guard, scratch folders, ports: nothing outlives its owner."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sweepgate.launch import local, ports, scratch
from sweepgate.launch.guard import LOG_HEAD_BYTES, LOG_TAIL_BYTES, BoundedLog

pytestmark = pytest.mark.timeout(60)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)


def start(code: str, folder: Path) -> local.LocalProcess:
    environment = local.base_environment(os.environ)
    return local.start("test", [sys.executable, "-c", code], environment, folder, folder / "log")


@pytest.mark.parametrize(
    ("code", "expected"),
    [("pass", 0), ("raise SystemExit(5)", 5), ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137)],
)
def test_exit_codes(tmp_path: Path, code: str, expected: int) -> None:
    process = start(code, tmp_path)
    wait_for(lambda: process.exit_code() is not None)
    assert process.exit_code() == expected


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    process = local.start("x", ["/nonexistent"], {}, tmp_path, tmp_path / "log")
    wait_for(lambda: process.exit_code() is not None)
    assert process.exit_code() == 127
    assert (tmp_path / "log").read_text() == "cannot start /nonexistent: No such file or directory\n"


def test_the_log_holds_both_streams_to_the_end(tmp_path: Path) -> None:
    process = start("import sys; print('out', flush=True); print('err', file=sys.stderr)", tmp_path)
    wait_for(lambda: process.exit_code() is not None)
    assert (tmp_path / "log").read_text() == "out\nerr\n"


FAMILY = """
import subprocess, sys, time
child = "import time; time.sleep(600)"
kids = [subprocess.Popen([sys.executable, "-c", child], start_new_session=bool(n)) for n in range(2)]
print(*[kid.pid for kid in kids], flush=True)
time.sleep(600)
"""


def pids(log: Path) -> list[int]:
    wait_for(lambda: log.is_file() and log.read_text().endswith("\n"))
    return [int(word) for word in log.read_text().split()]


def test_stop_ends_the_whole_family(tmp_path: Path) -> None:
    process = start(FAMILY, tmp_path)
    family = [*pids(tmp_path / "log"), process.pid]
    process.stop()
    assert process.exit_code() == 143
    assert not any(psutil.pid_exists(pid) for pid in family)
    process.stop()


def test_an_owner_killed_without_warning_takes_its_servers_along(tmp_path: Path) -> None:
    """SIGKILL leaves the owner no time for anything: the guard sees the pipe close."""
    (tmp_path / "family.py").write_text(FAMILY)
    owner_code = f"""
import os, sys, time
from pathlib import Path
sys.path.insert(0, {str(Path(local.__file__).parents[2])!r})
from sweepgate.launch import local
folder = Path({str(tmp_path)!r})
command = [sys.executable, str(folder / "family.py")]
process = local.start("x", command, local.base_environment(os.environ), folder, folder / "log")
(folder / "guard").write_text(str(process.pid))
time.sleep(600)
"""
    owner = subprocess.Popen([sys.executable, "-c", owner_code])
    family = pids(tmp_path / "log")
    family.append(int((tmp_path / "guard").read_text()))
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in family))


def test_servers_see_no_tokens() -> None:
    source = {"PATH": "/bin", "HOME": "/h", "GITHUB_TOKEN": "t", "AWS_SECRET": "s", "CUDA_VISIBLE_DEVICES": "0"}
    environment = local.base_environment(source)
    assert set(environment) == {"PATH", "HOME", "CUDA_VISIBLE_DEVICES"}
    assert environment["PATH"] == f"{Path(sys.executable).parent}:/bin"


def test_a_bounded_log_keeps_both_ends(tmp_path: Path) -> None:
    log = BoundedLog(str(tmp_path / "log"))
    line = b"%09d\n"
    total = (LOG_HEAD_BYTES + 3 * LOG_TAIL_BYTES) // 10
    for start_at in range(0, total, 1000):
        log.write(b"".join(line % number for number in range(start_at, min(start_at + 1000, total))))
    log.close()
    text = (tmp_path / "log").read_bytes()
    assert text.startswith(b"000000000\n000000001\n")
    assert text.endswith(line % (total - 1))
    assert len(text) <= LOG_HEAD_BYTES + LOG_TAIL_BYTES + 20_000
    assert b"bytes left out by SweepGate" in text


def test_a_log_that_fits_is_whole(tmp_path: Path) -> None:
    log = BoundedLog(str(tmp_path / "log"))
    chunks = [bytes([index % 250]) * 400_000 for index in range(24)]
    for chunk in chunks:
        log.write(chunk)
    log.close()
    assert (tmp_path / "log").read_bytes() == b"".join(chunks)


def test_a_full_disk_ends_the_log_not_the_command() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    log = BoundedLog("/dev/full")
    log.write(b"x" * 100)
    log.write(b"x" * 100)
    log.close()


def test_scratch_folders_of_the_dead_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = scratch.create()
    dead = scratch.create()
    reused = scratch.create()
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    (dead / "owner.json").write_text(f'{{"pid": {child.pid}, "started": 1.0}}')
    # The process id lives, but it is another process than the one that wrote the file.
    (reused / "owner.json").write_text(f'{{"pid": {os.getpid()}, "started": 1.0}}')
    (tmp_path / "sweepgate-unrelated").mkdir()
    assert sorted(scratch.remove_abandoned()) == sorted([dead, reused])
    assert mine.is_dir()
    assert (tmp_path / "sweepgate-unrelated").is_dir()
    scratch.remove(mine)
    scratch.remove(mine)
    assert not mine.exists()


def test_free_ports_are_different_and_free() -> None:
    found = ports.free_ports(20)
    assert len(set(found)) == 20
    assert all(20_000 <= port < 32_768 for port in found)
    assert all(ports.holder_of(port) is None for port in found)


def test_the_holder_of_a_port_is_named() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        assert f"pid {os.getpid()}" in (ports.holder_of(holder.getsockname()[1]) or "")


def test_commands_can_be_ended_politely_though_their_owner_held_signals(tmp_path: Path) -> None:
    """A blocked signal mask is inherited: with it, every server would have to be killed after the grace period."""
    code = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: (print("asked", flush=True), sys.exit(0)))
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), flush=True)
signal.pause()
"""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))
    try:
        process = start(code, tmp_path)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    wait_for(lambda: (tmp_path / "log").is_file() and "[]" in (tmp_path / "log").read_text())
    process.stop()
    assert (tmp_path / "log").read_text() == "[]\nasked\n"
