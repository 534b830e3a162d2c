"""A whole sweep on this machine: every job of a plan, resumable, never losing what was measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweepgate.errors import InputError, Problem
from sweepgate.files import write_json
from sweepgate.gate.verdict import Verdict, judge
from sweepgate.plan.plan import Job, Plan, write_plan
from sweepgate.results.store import PointResult, read_result
from sweepgate.run.job import run_job
from sweepgate.run.settings import Settings
from sweepgate.run.step import Observer

PLAN_FILE = "plan.json"
RESULTS_FILE = "agg_bmk.json"
MANIFEST_FILE = "sweep-manifest.json"
JOBS_FOLDER = "jobs"
# An infrastructure failure is retried once: it says nothing about the change.
INFRASTRUCTURE_ATTEMPTS = 2
_RESULT_NAME = re.compile(r"result-c\d+\.json")


@dataclass(frozen=True)
class SweepEvents:
    """Who wants to know: each step of a job, each finished point, and each retry."""

    step: Observer
    point: Callable[[PointResult], None]
    retry: Callable[[Job, PointResult], None]


def run_sweep(plan: Plan, settings: Settings, out: Path, events: SweepEvents, fail_fast: bool) -> list[PointResult]:
    """Run every point of `plan` that `out` has no valid result of, and return all results, old and new.

    Aggregate files are brought up to date after each job; a disk that refuses them does not stop the sweep, since the
    caller writes them once more at the end.
    """
    results = {(result.job, result.conc): result for result in load_results(plan, out)}
    for job in plan.jobs:
        pending = [conc for conc in job.concurrencies if not _has_valid(results, job, conc)]
        if not pending:
            continue
        for result in _run_with_retry(job, pending, settings, out, events):
            results[result.job, result.conc] = result
        with suppress(OSError):
            write_aggregates(plan, out, list(results.values()))
        if fail_fast and any(_is_benchmark_failure(results[job.id, conc]) for conc in pending):
            break
    return list(results.values())


def load_results(plan: Plan, out: Path) -> list[PointResult]:
    """Return the results that `out` holds for jobs of `plan`. Raises InputError for one that cannot be read."""
    found = []
    for job in plan.jobs:
        folder = job_folder(out, job)
        if folder.is_dir():
            paths = sorted(path for path in folder.iterdir() if _RESULT_NAME.fullmatch(path.name))
            found += [read_result(path) for path in paths]
    return found


def job_folder(out: Path, job: Job) -> Path:
    """Return the folder of a job's files."""
    return out / JOBS_FOLDER / job.id


def start_or_resume(plan: Plan, out: Path, resume: bool) -> None:
    """Prepare `out` for `plan`: write plan.json, or check on resuming that it would still run the same.

    Raises InputError when `out` is in use without `resume`, holds no plan with it, or its points have changed.
    """
    path = out / PLAN_FILE
    if not resume:
        if path.exists():
            hint = "choose another --out, or continue it with --resume"
            raise InputError(Problem("this folder already holds a sweep", str(out), hint=hint))
        out.mkdir(parents=True, exist_ok=True)
        write_plan(path, plan)


def check_unchanged(old: Plan, new: Plan) -> None:
    """Raise InputError naming every point of `old` whose configuration is no longer the one in `new`."""
    current = {job.id: job for job in new.jobs}
    problems = [
        Problem("has changed since this sweep began", key=job.id, hint="start a new sweep, without --resume")
        for job in old.jobs
        if job.id not in current
        or any(job.fingerprint(c) != current[job.id].fingerprints.get(str(c)) for c in job.concurrencies)
    ]
    if problems:
        raise InputError(problems)


def write_aggregates(plan: Plan, out: Path, results: list[PointResult]) -> Verdict:
    """Write agg_bmk.json (valid rows only) and sweep-manifest.json (every planned point), and return the verdict."""
    verdict = judge(plan, results)
    by_point = {(result.job, result.conc): result for result in results}
    points = [(job, conc, by_point.get((job.id, conc))) for job in plan.jobs for conc in job.concurrencies]
    rows = [result.row for _, _, result in points if result is not None and result.status == "valid"]
    write_json(out / RESULTS_FILE, rows)
    manifest = {
        "version": 1,
        "mode": plan.mode,
        "commit": plan.commit,
        "passed": verdict.passed,
        "planned": verdict.planned,
        "valid": verdict.valid,
        "points": [_manifest_point(job, conc, result) for job, conc, result in points],
    }
    write_json(out / MANIFEST_FILE, manifest)
    return verdict


def _manifest_point(job: Job, conc: int, result: PointResult | None) -> dict[str, Any]:
    return {
        "job": job.id,
        "conc": conc,
        "fingerprint": job.fingerprint(conc),
        "status": "missing" if result is None else result.status,
        "reasons": [] if result is None else result.reasons,
        "seconds": 0.0 if result is None else round(result.seconds, 1),
    }


def _run_with_retry(
    job: Job, pending: list[int], settings: Settings, out: Path, events: SweepEvents
) -> list[PointResult]:
    done: list[PointResult] = []
    for attempt in range(1, INFRASTRUCTURE_ATTEMPTS + 1):
        results = run_job(job, settings, job_folder(out, job), events.step, events.point, pending)
        again = [r for r in results if r.failure is not None and r.failure.kind == "infrastructure"]
        if not again or attempt == INFRASTRUCTURE_ATTEMPTS:
            done += results
            break
        done += [result for result in results if result not in again]
        events.retry(job, again[0])
        pending = [result.conc for result in again]
    for result in done:
        if result.status == "failed":
            events.point(result)
    return done


def _has_valid(results: dict[tuple[str, int], PointResult], job: Job, conc: int) -> bool:
    result = results.get((job.id, conc))
    return result is not None and result.status == "valid" and result.fingerprint == job.fingerprint(conc)


def _is_benchmark_failure(result: PointResult) -> bool:
    infrastructure = result.failure is not None and result.failure.kind == "infrastructure"
    return result.status != "valid" and not infrastructure
