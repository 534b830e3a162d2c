"""Which points a change affects: those whose fingerprint the base does not have, and those that a fragment names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sweepgate.errors import InputError
from sweepgate.matrix.filters import AGENTIC, FIXED
from sweepgate.plan.build import RepositoryTree
from sweepgate.plan.fragments import NamedKey
from sweepgate.plan.plan import Job

CHANGED = "differs from the merge base"


def affected_jobs(
    jobs: Iterable[Job], base: frozenset[str], named: Mapping[str, Sequence[NamedKey]]
) -> tuple[list[Job], int]:
    """Return the jobs with only their affected points, and how many throughput points are not affected.

    `base` holds every fingerprint of the merge base, wherever it stood: a renamed entry is not a changed point.
    """
    kept: list[Job] = []
    unaffected = 0
    for job in jobs:
        name = _naming_fragment(job, named.get(job.key, ()))
        changed = [conc for conc in job.concurrencies if name is not None or job.fingerprint(conc) not in base]
        part = job.only(changed, CHANGED if name is None else f"named by {name}")
        if part is not None:
            kept.append(part)
        if job.kind == "throughput":
            unaffected += len(job.fingerprints) - len(changed)
    return kept, unaffected


def base_fingerprints(base: RepositoryTree, keys: Iterable[str], duration: int | None) -> frozenset[str]:
    """Return the fingerprints of these entries at the base; an entry that could not run there has none."""
    found: set[str] = set()
    for key in keys:
        try:
            for job in base.jobs([key], duration):
                found.update(job.fingerprints.values())
        except InputError:
            continue
    return frozenset(found)


def lowest_of_each_topology(jobs: Sequence[Job]) -> list[Job]:
    """Return the trimmed sweep: of each server configuration only its lowest concurrency."""
    lowest: dict[str, tuple[int, Job]] = {}
    for job in jobs:
        varying = {"conc", "exp_name", "run_eval", "eval_conc"}
        topology = job.key + job.row.model_dump_json(exclude=varying, exclude_none=True)
        conc = min(job.concurrencies)
        if topology not in lowest or conc < lowest[topology][0]:
            lowest[topology] = conc, job
    trimmed = [job.only([conc]) for conc, job in lowest.values()]
    return [job for job in trimmed if job is not None]


def _naming_fragment(job: Job, named: Sequence[NamedKey]) -> str | None:
    scenario = AGENTIC if job.row.is_agentic else FIXED
    return next((name.fragment for name in named if name.scenario_type in (None, scenario)), None)
