"""A plan cut to what GitHub can run: matrices of at most 256 jobs, in a matrix of at most 256 of them, ids only."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

from sweepgate.config.model import Strict
from sweepgate.errors import InputError, Problem
from sweepgate.plan.plan import Job

# GitHub: a matrix makes at most 256 jobs; the outputs of a job hold at most 1 MB, counted in UTF-16.
MATRIX_JOBS = 256
OUTPUT_BYTES = 1_000_000
# The other outputs of the planning job are a few short words.
RESERVED_BYTES = 10_000
_SHOWN = 5


class Shard(Strict):
    """One inner matrix: jobs of one runner label, in the order in which they should start."""

    shard: int
    runs_on: str
    jobs: list[str]


def shards_of(jobs: Sequence[Job]) -> list[Shard]:
    """Return the jobs cut into shards, each of one runner label. Raises InputError past what one run can hold."""
    by_label: dict[str, list[str]] = defaultdict(list)
    for job in jobs:
        by_label[job.runs_on].append(job.id)
    pieces = [
        (label, ids[start : start + MATRIX_JOBS])
        for label, ids in by_label.items()
        for start in range(0, len(ids), MATRIX_JOBS)
    ]
    shards = [Shard(shard=number, runs_on=label, jobs=ids) for number, (label, ids) in enumerate(pieces)]
    size = output_bytes(shards)
    if len(shards) > MATRIX_JOBS or size > OUTPUT_BYTES - RESERVED_BYTES:
        raise _too_large(jobs, len(shards), size)
    return shards


def output_text(shards: Sequence[Shard]) -> str:
    """Return the shards as the one line that a job output carries."""
    return json.dumps([shard.model_dump(by_alias=True) for shard in shards], separators=(",", ":"))


def output_bytes(shards: Sequence[Shard]) -> int:
    """Return the size of that line as GitHub counts it."""
    return len(output_text(shards).encode("utf-16-le"))


def _too_large(jobs: Sequence[Job], shards: int, size: int) -> InputError:
    found = f"{len(jobs):,} jobs in {shards:,} matrices, {size:,} bytes of output"
    allowed = f"{MATRIX_JOBS} matrices of {MATRIX_JOBS} jobs, {OUTPUT_BYTES - RESERVED_BYTES:,} bytes"
    by_key = _largest(Counter(job.key for job in jobs))
    by_load = _largest(Counter("agentic-coding" if job.row.is_agentic else "fixed-seq-len" for job in jobs))
    by_label = _largest(Counter(job.runs_on for job in jobs))
    hint = (
        "start with sweep-enabled (the lowest concurrency of each topology), or run parts by hand with `keys`. "
        f"Jobs by entry: {by_key}; by scenario: {by_load}; by runner: {by_label}"
    )
    return InputError(
        Problem("the plan is larger than one run can hold; nothing was started", None, None, None, found, allowed, hint)
    )


def _largest(counts: Counter[str]) -> str:
    shown = [f"{name} {count:,}" for name, count in counts.most_common(_SHOWN)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f", {more} more" if more > 0 else "")
