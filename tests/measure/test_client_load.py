"""The client's own load."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sweepgate.measure.client_load import CpuSample, CpuSampler, cpu_share, longest_block

SAMPLES = [CpuSample(100.0, 5.0), CpuSample(101.0, 6.0), CpuSample(102.0, 8.0), CpuSample(103.0, 8.0)]


@pytest.mark.parametrize(
    ("start", "end", "share"),
    [
        (100.0, 102.0, 3.0 / 2.0 / 2),
        (100.5, 101.5, 3.0 / 2.0 / 2),
        (102.0, 103.0, 0.0),
        (90.0, 110.0, 3.0 / 3.0 / 2),
        (103.5, 104.0, None),
    ],
)
def test_cpu_share_of_two_cores(start: float, end: float, share: float | None) -> None:
    found = cpu_share(SAMPLES, start, end, 2)
    assert found == share if share is None else found == pytest.approx(share)


def test_cpu_share_without_samples() -> None:
    assert cpu_share([], 0.0, 1.0, 2) is None


def test_the_sampler_sees_work() -> None:
    sampler = CpuSampler(os.getpid())
    deadline = time.monotonic() + 10
    while len(sampler.samples) < 2 and time.monotonic() < deadline:
        sum(range(100_000))
    samples = sampler.stop()
    assert samples[-1].cpu_seconds > samples[0].cpu_seconds
    assert samples[-1].at > samples[0].at


def test_longest_block(tmp_path: Path) -> None:
    log = tmp_path / "aiperf.log"
    line = "14:25:57.390 WARNING  Event loop for {} is taking too long to run. Overhead: {}ms (monitor.py:80)\n"
    blocks = [("worker_39c30b8d", "31.25"), ("worker_39c30b8d", "1,250.00"), ("dataset_manager", "9,000.00")]
    log.write_text("".join(line.format(*block) for block in blocks))
    assert longest_block(log) == pytest.approx(1.25)
    assert longest_block(tmp_path / "none") == 0.0
