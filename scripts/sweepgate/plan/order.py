"""The order in which jobs start: one canary first, then the longest, so that the last runner to end ends early."""

from __future__ import annotations

from collections.abc import Sequence

from sweepgate.plan.build import cheapness
from sweepgate.plan.plan import Job


def ordered(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs, longest expected first (timed jobs); ties by id, so that a plan is the same everywhere."""
    return sorted(jobs, key=lambda job: (-(job.seconds or 0.0), job.id))


def canary_of(jobs: Sequence[Job]) -> Job | None:
    """Return the smallest throughput job: fewest GPUs, then the shortest load, then the lowest concurrency."""
    throughput = [job for job in jobs if job.kind == "throughput"]
    return min(throughput, key=cheapness, default=None)
