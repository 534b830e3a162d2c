#!/usr/bin/env python3
"""Run one job of a plan here: serve, measure, tear down. With --dry-run, only print what would run, as JSON.

example: scripts/run_job.py --plan plan.json --job tiny-fp8-local-dynamo-mocker.512x64.tp1.c4 --out out/job
         scripts/run_job.py --dry-run --keys '*'
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sweepgate.cli import REPOSITORY, run
from sweepgate.errors import EXIT_FAILED_GATE, InputError, Problem


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--plan", type=Path, help="a plan made by plan_sweep.py")
    source.add_argument("--keys", nargs="+", help="plan these entries of master-config.yaml now (with --dry-run)")
    parser.add_argument("--job", help="the job's id in the plan (default with --dry-run: every job)")
    parser.add_argument("--out", type=Path, help="folder for the job's files")
    parser.add_argument("--port", type=int, help="serve on this port (default: a free one)")
    parser.add_argument(
        "--dry-run", action="store_true", help="print server and client commands as JSON, start nothing"
    )
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from sweepgate.plan.build import build_plan
    from sweepgate.plan.plan import read_plan

    plan = read_plan(arguments.plan) if arguments.plan else build_plan(REPOSITORY, arguments.keys)
    jobs = [plan.job(arguments.job)] if arguments.job else plan.jobs
    if arguments.dry_run:
        json.dump([describe(job) for job in jobs], sys.stdout, indent=1)
        print()
        return 0
    if not arguments.job or not arguments.out or not arguments.plan:
        raise InputError(Problem("--plan, --job and --out are needed to run a job", hint="or add --dry-run"))
    return run_here(jobs[0], arguments)


def describe(job: Any) -> dict[str, Any]:
    """Return what `job` would run, with nominal ports and folders."""
    from sweepgate.fingerprint.point import Fingerprinter
    from sweepgate.fingerprint.syntax import ImpureError
    from sweepgate.measure.client import NOMINAL_CLIENT, client_arguments

    servers = Fingerprinter(REPOSITORY / "benchmarks", client_version="").servers(job.row)
    return {
        "job": job.id,
        "runs-on": job.runs_on,
        "image": job.row.image,
        "servers": f"only known by running the recipe: {servers}"
        if isinstance(servers, ImpureError)
        else [
            {"process": name, "command": command.argv, "environment": command.environment}
            for name, command in servers.items()
        ],
        "clients": [
            {
                "conc": conc,
                "fingerprint": job.fingerprint(conc),
                "command": ["aiperf", *client_arguments(job.row, conc, NOMINAL_CLIENT)],
            }
            for conc in job.concurrencies
        ],
    }


def run_here(job: Any, arguments: argparse.Namespace) -> int:
    """Run one job, saying each step on stderr; returns 0 when every point is valid."""
    from sweepgate.config.fleets import load_fleets
    from sweepgate.plan.build import FLEETS_FILE
    from sweepgate.run.interrupts import end_cleanly_on_signals
    from sweepgate.run.job import run_job
    from sweepgate.run.settings import Settings, installed_client
    from sweepgate.run.step import Step

    def say(step: Step) -> None:
        conc = "" if step.conc is None else f" at concurrency {step.conc}"
        print(f"{step.job}: {step.phase}{conc}", file=sys.stderr, flush=True)

    end_cleanly_on_signals()
    settings = Settings(REPOSITORY, load_fleets(REPOSITORY / FLEETS_FILE), installed_client(REPOSITORY), arguments.port)
    results = run_job(job, settings, arguments.out, say)
    for result in results:
        print(f"{result.status}: {result.job} at concurrency {result.conc}", *result.reasons, sep="\n  ")
        if result.failure is not None:
            print(result.failure.detail)
    return 0 if all(result.status == "valid" for result in results) else EXIT_FAILED_GATE


if __name__ == "__main__":
    run(main)
