"""Shards partition a plan within what GitHub can hold."""

from __future__ import annotations

import pytest
from histories import two_jobs

from sweepgate.errors import InputError
from sweepgate.plan.plan import Job
from sweepgate.plan.shards import MATRIX_JOBS, output_bytes, shards_of


def jobs_of(count: int, runs_on: str = "cluster:local") -> list[Job]:
    (job, _) = two_jobs()
    return [
        job.model_copy(update={"id": f"entry-{n // 20}.8192x1024.tp8ep8.c{n}", "runs_on": runs_on, "seconds": float(n)})
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 256, 257, 5000])
def test_shards_partition_the_jobs(count: int) -> None:
    jobs = jobs_of(count) + jobs_of(count // 3, "h100")
    shards = shards_of(jobs)
    for label in ("cluster:local", "h100"):
        listed = [job for shard in shards if shard.runs_on == label for job in shard.jobs]
        assert listed == [job.id for job in jobs if job.runs_on == label]
    assert all(0 < len(shard.jobs) <= MATRIX_JOBS for shard in shards)
    assert len(shards) <= MATRIX_JOBS
    assert output_bytes(shards) < 1_000_000


def test_what_one_run_cannot_hold_is_refused_with_counts() -> None:
    with pytest.raises(InputError) as caught:
        shards_of(jobs_of(20_000))
    text = str(caught.value)
    assert "20,000 jobs" in text
    assert "sweep-enabled" in text
    assert "cluster:local 20,000" in text
