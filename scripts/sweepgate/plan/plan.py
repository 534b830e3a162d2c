"""The plan: one entry a job, and the points that each job measures. Jobs look themselves up by id."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from sweepgate.config.model import Strict, parse
from sweepgate.errors import InputError, Problem
from sweepgate.files import read_json, write_text
from sweepgate.matrix.row import Row

JobId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
Mode = Literal["full", "trimmed", "evals-only", "fast"]
# A plan may hold thousands of jobs; an error names a few.
_SHOWN_IDS = 20


class Job(Strict):
    """One runner's work: a row, served once, measured (or evaluated) at each of its concurrencies.

    `why` says what made it run; `seconds` is how long it is expected to hold its GPUs.
    """

    id: JobId
    key: str
    runs_on: str
    row: Row
    fingerprints: dict[str, str]
    kind: Literal["throughput", "eval"] = "throughput"
    why: str | None = None
    seconds: float | None = None

    @model_validator(mode="after")
    def fingerprints_are_of_the_row(self) -> Job:
        """Refuse a job without points, or with points that its row does not have."""
        if not self.fingerprints or not set(self.fingerprints) <= {str(conc) for conc in self.row.concurrencies}:
            raise ValueError("fingerprints do not match the row's concurrencies")
        return self

    @property
    def concurrencies(self) -> list[int]:
        """The concurrencies to measure, in the row's order; a filter may have left out some of the row's."""
        return [conc for conc in self.row.concurrencies if str(conc) in self.fingerprints]

    def fingerprint(self, conc: int) -> str:
        """Return the fingerprint of one concurrency."""
        return self.fingerprints[str(conc)]

    def only(self, concurrencies: Collection[int], why: str | None = None) -> Job | None:
        """Return the job with these of its points, None when that leaves none."""
        points = {str(conc): self.fingerprint(conc) for conc in self.concurrencies if conc in concurrencies}
        return self.model_copy(update={"fingerprints": points, "why": why or self.why}) if points else None


class ReusedPoint(Strict):
    """A point that is not run again: an earlier run measured what has the same fingerprint."""

    job: str
    conc: int
    fingerprint: str
    source: str


class Plan(Strict):
    """All jobs of a sweep, in the order in which they should start; `canary` runs before all others."""

    version: Literal[1] = 1
    mode: Mode = "full"
    fail_fast: bool = False
    canary: JobId | None = None
    commit: str
    base: str | None = None
    keys: list[str]
    jobs: list[Job]
    reused: list[ReusedPoint] = Field(default_factory=list)

    def job(self, job_id: str) -> Job:
        """Return a job by id. Raises InputError that lists the known ids."""
        for job in self.jobs:
            if job.id == job_id:
                return job
        known = ", ".join(job.id for job in self.jobs[:_SHOWN_IDS]) or "none"
        more = len(self.jobs) - _SHOWN_IDS
        allowed = f"{known}, … {more:,} more" if more > 0 else known
        raise InputError(Problem("the plan has no such job", key="--job", found=job_id, allowed=allowed))

    @property
    def points(self) -> int:
        """How many points the plan measures."""
        return sum(len(job.fingerprints) for job in self.jobs)


def write_plan(path: Path, plan: Plan) -> None:
    """Write plan.json, whole or not at all. Raises OSError."""
    write_text(path, plan.model_dump_json(by_alias=True, exclude_none=True) + "\n")


def read_plan(path: Path) -> Plan:
    """Return the plan in `path`. Raises InputError for a file that is missing or not a plan."""
    data = read_json(path, "plan", hint="make one with scripts/plan_sweep.py")
    return parse(Plan, data, path)
