"""What a plan will cost and how long it will take, before anything is queued."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from sweepgate.config.fleets import Fleets, Planning
from sweepgate.config.model import parse
from sweepgate.files import read_json
from sweepgate.plan.plan import Job

Recorded = Mapping[tuple[str, int], float]
# What a replay takes beside its duration: dataset, warm-up and draining, as seen around aiperf.
AGENTIC_EXTRA_SECONDS = 60


class _RunnerState(BaseModel):
    # GitHub's list of runners: other fields come and go.
    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    status: str
    busy: bool


class _RunnerList(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    runners: list[_RunnerState]


@dataclass(frozen=True)
class Pool:
    """The runners of one label right now."""

    free: int
    busy: int
    offline: int

    @property
    def down(self) -> bool:
        """Whether no runner is online: jobs would wait without end. A saturated pool is busy, not down."""
        return self.free + self.busy == 0


@dataclass(frozen=True)
class PoolEstimate:
    """One label's share of a plan; `wall_seconds` is None where the pool is down. `pool` is None when not asked."""

    label: str
    jobs: int
    points: int
    gpu_hours: float
    usd: float | None
    wall_seconds: float | None
    runners: int
    pool: Pool | None


@dataclass(frozen=True)
class Estimate:
    """A whole plan. `recorded` of `points` durations come from earlier sweeps, the rest from defaults."""

    points: int
    recorded: int
    pools: list[PoolEstimate]
    largest_job_gpus: int

    @property
    def gpu_hours(self) -> float:
        """GPU-hours of all jobs."""
        return sum(pool.gpu_hours for pool in self.pools)

    @property
    def usd(self) -> float | None:
        """Money of all jobs; None when a label has no price."""
        prices = [pool.usd for pool in self.pools]
        return sum(price or 0.0 for price in prices) if prices and None not in prices else None

    @property
    def wall_seconds(self) -> float | None:
        """Time until the last job ends; None when a pool is down."""
        walls = [pool.wall_seconds for pool in self.pools]
        return None if None in walls else max((wall or 0.0 for wall in walls), default=0.0)


def job_seconds(job: Job, planning: Planning, recorded: Recorded) -> tuple[float, int]:
    """Return how long a job is expected to hold its GPUs (s), and how many of its points that rests on records for."""
    known = [recorded[job.id, conc] for conc in job.concurrencies if (job.id, conc) in recorded]
    point = job.row.duration + AGENTIC_EXTRA_SECONDS if job.row.duration else planning.point_seconds
    unknown = len(job.fingerprints) - len(known)
    # The first point of a recorded job carries the start of its server.
    startup = 0 if known else planning.startup_seconds
    return sum(known) + unknown * point + startup, len(known)


def timed(jobs: Sequence[Job], fleets: Fleets, recorded: Recorded) -> list[Job]:
    """Return the jobs with their expected seconds."""
    default = Planning()
    return [
        job.model_copy(
            update={"seconds": round(job_seconds(job, fleets.planning.get(job.runs_on, default), recorded)[0], 1)}
        )
        for job in jobs
    ]


def estimate(
    jobs: Sequence[Job], fleets: Fleets, recorded: Recorded, pools: Mapping[str, Pool] | None = None
) -> Estimate:
    """Return the estimate of timed jobs in their order; `pools` is the state of each label, None when unknown."""
    by_label: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        by_label[job.runs_on].append(job)
    known = sum((job.id, conc) in recorded for job in jobs for conc in job.concurrencies)
    return Estimate(
        points=sum(len(job.fingerprints) for job in jobs),
        recorded=known,
        pools=[_pool_estimate(label, found, fleets, pools) for label, found in by_label.items()],
        largest_job_gpus=max((job.row.gpus for job in jobs), default=0),
    )


def _pool_estimate(label: str, jobs: Sequence[Job], fleets: Fleets, pools: Mapping[str, Pool] | None) -> PoolEstimate:
    hours = sum(job.row.gpus * (job.seconds or 0.0) for job in jobs) / 3600
    price = fleets.planning.get(label, Planning()).usd_per_gpu_hour
    pool = None if pools is None else pools.get(label, Pool(0, 0, len(fleets.labels[label])))
    runners = len(fleets.labels[label]) if pool is None else pool.free + pool.busy
    return PoolEstimate(
        label=label,
        jobs=len(jobs),
        points=sum(len(job.fingerprints) for job in jobs),
        gpu_hours=hours,
        usd=None if price is None else hours * price,
        wall_seconds=None if runners == 0 else makespan([job.seconds or 0.0 for job in jobs], runners, pool),
        runners=runners,
        pool=pool,
    )


def makespan(seconds: Sequence[float], runners: int, pool: Pool | None = None) -> float:
    """Return when the last job ends (s) if each free runner takes the next job in order.

    A busy runner is expected to be free after half of the mean job: nothing is known of what it runs.
    """
    mean = sum(seconds) / len(seconds)
    busy = 0 if pool is None else pool.busy
    ends = [0.0] * (runners - busy) + [mean / 2] * busy
    heapq.heapify(ends)
    latest = 0.0
    for duration in seconds:
        end = heapq.heappop(ends) + duration
        latest = max(latest, end)
        heapq.heappush(ends, end)
    return latest


def read_pools(path: Path, fleets: Fleets) -> dict[str, Pool]:
    """Return label → pool from GitHub's list of self-hosted runners (GET /repos/{owner}/{repo}/actions/runners).

    A runner of runners.yaml that the list lacks counts as offline. Raises InputError for another kind of file.
    """
    data = read_json(path, "runner list")
    states = {runner.name: runner for runner in parse(_RunnerList, data, path).runners}
    return {label: _pool(names, states) for label, names in fleets.labels.items()}


def _pool(names: Sequence[str], states: Mapping[str, _RunnerState]) -> Pool:
    online = [states[name] for name in names if name in states and states[name].status == "online"]
    busy = sum(state.busy for state in online)
    return Pool(free=len(online) - busy, busy=busy, offline=len(names) - len(online))
