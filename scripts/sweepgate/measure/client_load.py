"""How busy the client itself was: a number is only the server's while the client keeps up."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_SAMPLE_SECONDS = 0.5
# aiperf's worker processes warn in their log when their event loop was blocked for over 25 ms.
_BLOCKED = re.compile(r"Event loop for worker_\w+ is taking too long to run\. Overhead: ([\d,.]+)ms")


@dataclass(frozen=True)
class CpuSample:
    """CPU seconds that a process tree had used at `at` (seconds since the epoch)."""

    at: float
    cpu_seconds: float


class CpuSampler:
    """Samples the CPU time of a process and all its descendants until stopped."""

    def __init__(self, pid: int) -> None:
        self.samples: list[CpuSample] = []
        self._process = psutil.Process(pid)
        self._used: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> list[CpuSample]:
        """End sampling and return the samples in time order."""
        self._stop.set()
        self._thread.join()
        return self.samples

    def _run(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            try:
                tree = [self._process, *self._process.children(recursive=True)]
            except psutil.NoSuchProcess:
                return
            for process in tree:
                try:
                    times = process.cpu_times()
                    self._used[process.pid] = times.user + times.system
                except psutil.NoSuchProcess:
                    continue
            # A process that ended keeps what it had used when last seen.
            self.samples.append(CpuSample(time.time(), sum(self._used.values())))


def cpu_share(samples: Sequence[CpuSample], start: float, end: float, cores: int) -> float | None:
    """Return the share (0 to 1) of `cores` that the client used between two times; None with too few samples."""
    before = [sample for sample in samples if sample.at <= start] or list(samples[:1])
    after = [sample for sample in samples if sample.at >= end] or list(samples[-1:])
    if not before or not after or after[0].at <= before[-1].at:
        return None
    used = after[0].cpu_seconds - before[-1].cpu_seconds
    return used / (after[0].at - before[-1].at) / cores


def longest_block(log: Path) -> float:
    """Return the longest time (seconds) that a client worker's event loop was blocked, as its log says; 0 if never."""
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return 0.0
    blocked = [float(match.group(1).replace(",", "")) for match in _BLOCKED.finditer(text)]
    return max(blocked, default=0.0) / 1000
