#!/usr/bin/env python3
"""Decide what a GitHub event makes run, or plan chosen entries: writes plan.json and says what it holds.

With --event, base and head are read as data from this checkout's history; the decision, ids of the jobs in matrices and
a Markdown summary go where GitHub looks for them. Exit code 0 for run, reuse, skip and stop alike; 2 where the event,
the catalogue or the plan's size is at fault.

example: scripts/plan_sweep.py 'tiny-*' --out plan.json
         scripts/plan_sweep.py --event "$GITHUB_EVENT_PATH" --base origin/main --head HEAD --out plan.json
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
from pathlib import Path
from typing import Any

from sweepgate.cli import REPOSITORY, run
from sweepgate.errors import InputError, Problem


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", help="entry keys to plan in full, * and ? allowed (without --event)")
    parser.add_argument("--conc", nargs="+", type=int, default=[], metavar="N", help="only these concurrencies")
    parser.add_argument("--out", type=Path, default=Path("plan.json"), help="the plan (default: plan.json)")
    event = parser.add_argument_group("planning an event")
    event.add_argument("--event", type=Path, metavar="FILE", help="GitHub's event payload")
    event.add_argument("--event-name", default=os.environ.get("GITHUB_EVENT_NAME"), help="default: GITHUB_EVENT_NAME")
    event.add_argument("--base", metavar="REF", help="the branch to merge into, or the commit before a push")
    event.add_argument("--head", metavar="REF", default="HEAD", help="the commit to sweep (default: HEAD)")
    event.add_argument("--repository", type=Path, default=REPOSITORY, help="the checkout (default: this one)")
    event.add_argument("--approved-sha", metavar="SHA", help="the fork's head that a user with write access approved")
    known = parser.add_argument_group("what is known, as files")
    known.add_argument("--durations", nargs="+", type=Path, default=[], metavar="MANIFEST", help="earlier sweeps")
    known.add_argument("--reuse", nargs="+", type=Path, default=[], metavar="MANIFEST", help="sweeps to reuse")
    known.add_argument("--runners", type=Path, metavar="FILE", help="GitHub's list of self-hosted runners")
    known.add_argument("--sweeps", type=Path, metavar="FILE", help="the sweeps of the last day")
    results = parser.add_argument_group("where else to write")
    results.add_argument("--outputs", type=Path, default=_from_environment("GITHUB_OUTPUT"), metavar="FILE")
    results.add_argument("--summary", type=Path, default=_from_environment("GITHUB_STEP_SUMMARY"), metavar="FILE")
    results.add_argument("--comment", type=Path, metavar="FILE", help="the pull request's comment, where one is due")
    arguments = parser.parse_args()
    if bool(arguments.keys) == (arguments.event is not None):
        parser.error("give entry keys, or --event")
    return arguments


def _from_environment(name: str) -> Path | None:
    return Path(os.environ[name]) if os.environ.get(name) else None


def main() -> int:
    arguments = parse_arguments()
    gc.disable()
    return plan_event(arguments) if arguments.event is not None else plan_keys(arguments)


def plan_keys(arguments: argparse.Namespace) -> int:
    """Plan entries chosen on the command line."""
    from sweepgate.plan.build import build_plan
    from sweepgate.plan.plan import write_plan

    plan = build_plan(REPOSITORY, arguments.keys, arguments.conc)
    write_plan(arguments.out, plan)
    for job in plan.jobs:
        print(f"{job.id}  on {job.runs_on}, {job.row.gpus} GPUs")
    print(f"{plan.points} points in {len(plan.jobs)} jobs → {arguments.out}")
    return 0


def plan_event(arguments: argparse.Namespace) -> int:
    """Plan what an event makes run. A refusal is told where the plan would have been."""
    from sweepgate.report.plan_comment import refusal_comment, refusal_summary

    try:
        return answer_event(arguments)
    except InputError as error:
        append(arguments.summary, refusal_summary(error))
        write(arguments.comment, refusal_comment(error))
        raise


def answer_event(arguments: argparse.Namespace) -> int:
    """Decide, plan, and write plan, outputs, summary and comment."""
    from sweepgate.plan.decide import decide
    from sweepgate.plan.event import read_event
    from sweepgate.plan.plan import write_plan
    from sweepgate.plan.sweep_plan import Outcome
    from sweepgate.report.plan_comment import plan_comment
    from sweepgate.report.plan_summary import plan_headline, plan_summary

    event = read_event(arguments.event, arguments.event_name)
    decision = decide(event, arguments.approved_sha)
    if decision.verdict == "run":
        outcome = plan_run(arguments, event, decision)
    else:
        outcome = Outcome(decision.verdict, decision.reason)
    if outcome.plan is not None:
        write_plan(arguments.out, outcome.plan)
    append(arguments.outputs, outputs(outcome))
    append(arguments.summary, plan_summary(outcome))
    if decision.answer and event.number is not None:
        write(arguments.comment, plan_comment(outcome))
    print(" ".join(plan_headline(outcome).en.split()))
    return 0


def append(path: Path | None, text: str) -> None:
    """Add to a file that GitHub collects from every step, where there is one."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)


def write(path: Path | None, text: str) -> None:
    """Write a file that was asked for."""
    if path is not None:
        path.write_text(text, encoding="utf-8")


def plan_run(arguments: argparse.Namespace, event: Any, decision: Any) -> Any:
    """Return the outcome of a decision to run."""
    from sweepgate.plan.admission import read_sweeps, utc_now
    from sweepgate.plan.estimate import read_pools
    from sweepgate.plan.manifest import read_manifests, recorded_seconds, reusable
    from sweepgate.plan.sources import read_change
    from sweepgate.plan.sweep_plan import Knowledge, plan_change

    if arguments.base is None:
        raise InputError(Problem("is needed to plan an event that runs", key="--base", hint="--base origin/main"))
    with tempfile.TemporaryDirectory(prefix="sweepgate-") as folder:
        change = read_change(arguments.repository, arguments.base, arguments.head, Path(folder))
        known = Knowledge(
            recorded=recorded_seconds(read_manifests(arguments.durations)),
            reusable=reusable(read_manifests(arguments.reuse)),
            pools=read_pools(arguments.runners, change.head.fleets) if arguments.runners else None,
            sweeps=read_sweeps(arguments.sweeps) if arguments.sweeps else (),
        )
        return plan_change(decision, event, change, known, utc_now())


def outputs(outcome: Any) -> str:
    """Return the job outputs: short words and ids, one line each, whatever a label or a login contains."""
    from sweepgate.plan.shards import output_text

    plan = outcome.plan
    canary = None if plan is None or plan.canary is None else plan.job(plan.canary)
    runs = outcome.verdict == "run"
    values = {
        "decision": outcome.verdict,
        "reason": outcome.reason.en,
        "mode": plan.mode if plan is not None else "",
        "fail-fast": str(plan is not None and plan.fail_fast).lower(),
        "points": str(plan.points if runs else 0),
        "canary": canary.id if runs and canary is not None else "",
        "canary-runs-on": canary.runs_on if runs and canary is not None else "",
        "shards": output_text(outcome.shards),
    }
    return "".join(f"{name}={' '.join(value.split())}\n" for name, value in values.items())


if __name__ == "__main__":
    run(main)
