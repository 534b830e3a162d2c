"""Decision + two trees + what is known of earlier sweeps → the plan of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sweepgate.aside import aside
from sweepgate.bilingual import Bilingual
from sweepgate.errors import InputError
from sweepgate.plan.admission import ActiveSweep, admit
from sweepgate.plan.affected import CHANGED, affected_jobs, base_fingerprints, lowest_of_each_topology
from sweepgate.plan.build import RepositoryTree
from sweepgate.plan.decide import Decision, Verdict
from sweepgate.plan.estimate import Estimate, Pool, Recorded, estimate, timed
from sweepgate.plan.event import Event
from sweepgate.plan.fragments import NamedKey
from sweepgate.plan.order import canary_of, ordered
from sweepgate.plan.plan import Job, Plan, ReusedPoint
from sweepgate.plan.shards import Shard, shards_of

BY_HAND = "chosen by hand"


@dataclass(frozen=True)
class Knowledge:
    """What is known beside the repository: durations, results by fingerprint → commit, runners, other sweeps."""

    recorded: Recorded = field(default_factory=dict)
    reusable: Mapping[str, str] = field(default_factory=dict)
    pools: Mapping[str, Pool] | None = None
    sweeps: Sequence[ActiveSweep] = ()


@dataclass(frozen=True)
class Outcome:
    """What an event makes happen; without `plan` nothing was worked out, since nothing runs. `reuse`: all points of the
    plan are, so nothing is left to run."""

    verdict: Verdict
    reason: Bilingual
    plan: Plan | None = None
    cost: Estimate | None = None
    shards: Sequence[Shard] = ()
    unaffected: int = 0
    note: Bilingual | None = None


@dataclass(frozen=True)
class Change:
    """The two trees of a change, and the entries that its fragments name."""

    head: RepositoryTree
    base: RepositoryTree
    head_commit: str
    base_commit: str
    named: Mapping[str, Sequence[NamedKey]]


def plan_change(decision: Decision, event: Event, change: Change, known: Knowledge, now: datetime) -> Outcome:
    """Return the outcome of a decision to run.

    Raises InputError for entries that cannot be planned, and for a plan that is larger than one run can hold.
    """
    jobs, unaffected = _chosen(decision, change) if decision.keys else _affected(decision, change)
    if decision.kind.trimmed:
        throughput = lowest_of_each_topology([job for job in jobs if job.kind == "throughput"])
        jobs = [*throughput, *(job for job in jobs if job.kind == "eval")]
    jobs, reused = _without_reused(jobs, known.reusable)
    fleets = change.head.fleets
    jobs = ordered(timed(jobs, fleets, known.recorded))
    canary = canary_of(jobs) if decision.kind.canary else None
    if canary is not None:
        jobs = [canary, *(job for job in jobs if job.id != canary.id)]
    plan = Plan(
        mode=decision.kind.mode,
        fail_fast=decision.kind.fail_fast,
        canary=None if canary is None else canary.id,
        commit=change.head_commit,
        base=change.base_commit,
        keys=list(dict.fromkeys(job.key for job in jobs)),
        jobs=jobs,
        reused=reused,
    )
    if not jobs:
        return Outcome("reuse" if reused else "skip", _nothing(reused), plan, unaffected=unaffected)
    shards = shards_of([job for job in jobs if canary is None or job.id != canary.id])
    cost = estimate(jobs, fleets, known.recorded, known.pools)
    if event.name == "push":
        return Outcome("run", decision.reason, plan, cost, shards, unaffected)
    answer = admit(plan, cost.gpu_hours, event.sender, event.number, fleets.limits, known.sweeps, now)
    if answer.refusal is not None:
        return Outcome("skip", answer.refusal, plan, cost, (), unaffected)
    return Outcome("run", decision.reason, plan, cost, shards, unaffected, answer.note)


def _nothing(reused: Sequence[ReusedPoint]) -> Bilingual:
    if reused:
        return Bilingual(f"all {len(reused):,} affected points are reused", f"受影响的 {len(reused):,} 个点全部复用")
    return Bilingual("no point is affected by this change", "此更改不影响任何点")


def _chosen(decision: Decision, change: Change) -> tuple[list[Job], int]:
    keys = change.head.select(decision.keys)
    jobs = _jobs_of(decision, change.head, keys, keys)
    return [job.model_copy(update={"why": BY_HAND}) for job in jobs], 0


def _affected(decision: Decision, change: Change) -> tuple[list[Job], int]:
    head, base, kind = change.head, change.base, decision.kind
    differing = set(head.differing(base)) | set(change.named)
    keys = [key for key in head.catalogue if key in differing]
    compared = [key for key in base.catalogue if key in differing or key not in head.catalogue]
    before = aside(
        lambda: [
            *base_fingerprints(base, compared, kind.duration),
            *_eval_fingerprints(decision, base),
        ]
    )
    jobs = _jobs_of(decision, head, keys, list(head.catalogue))
    jobs, unaffected = affected_jobs(jobs, frozenset(before()), change.named)
    rest = head.count_points(key for key in head.catalogue if key not in differing)
    return jobs, unaffected + (rest if kind.throughput else 0)


def _jobs_of(decision: Decision, tree: RepositoryTree, keys: Sequence[str], marking: Sequence[str]) -> list[Job]:
    """Return the jobs of `keys`; evals are marked among all entries of `marking`, since groups span entries."""
    kind = decision.kind
    jobs = tree.jobs(keys, kind.duration) if kind.throughput else []
    if _evaluates(decision):
        jobs += [job for job in tree.eval_jobs(marking, kind.every_eval) if job.key in set(keys)]
    return jobs


def _evaluates(decision: Decision) -> bool:
    return not decision.kind.trimmed or decision.kind.every_eval or not decision.kind.throughput


def _eval_fingerprints(decision: Decision, base: RepositoryTree) -> frozenset[str]:
    if not _evaluates(decision):
        return frozenset()
    try:
        jobs = base.eval_jobs(list(base.catalogue), decision.kind.every_eval)
    except InputError:
        # A base that could not run vouches for nothing: its evals all count as changed.
        return frozenset()
    return frozenset(value for job in jobs for value in job.fingerprints.values())


def _without_reused(jobs: Sequence[Job], reusable: Mapping[str, str]) -> tuple[list[Job], list[ReusedPoint]]:
    if not reusable:
        return list(jobs), []
    kept: list[Job] = []
    reused: list[ReusedPoint] = []
    for job in jobs:
        for conc in job.concurrencies:
            source = reusable.get(job.fingerprint(conc))
            if source is not None:
                reused.append(ReusedPoint(job=job.id, conc=conc, fingerprint=job.fingerprint(conc), source=source))
        part = job.only(
            [conc for conc in job.concurrencies if job.fingerprint(conc) not in reusable], job.why or CHANGED
        )
        if part is not None:
            kept.append(part)
    return kept, reused
