#!/usr/bin/env python3
"""Plan and run a whole sweep on this machine, and report it.

example: scripts/sweep.py 'tiny-*' --conc 1 4
"""

from __future__ import annotations

import argparse
import sys
import time
from datetime import datetime
from pathlib import Path

from sweepgate.cli import REPOSITORY, run
from sweepgate.errors import EXIT_FAILED_GATE, EXIT_INTERRUPTED


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", default=["tiny-*"], help="entry keys, * and ? allowed (default: tiny-*)")
    parser.add_argument("--conc", nargs="+", type=int, default=[], metavar="N", help="only these concurrencies")
    parser.add_argument("--out", type=Path, help="output folder (default: out/<date and time>)")
    parser.add_argument(
        "--resume", type=Path, metavar="OUT", help="continue the sweep in this folder: run what is missing"
    )
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first benchmark failure")
    parser.add_argument("--port", type=int, help="serve on this port (default: a free one)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from rich.console import Console

    from sweepgate.config.fleets import load_fleets
    from sweepgate.gate.verdict import judge
    from sweepgate.plan.build import FLEETS_FILE, build_plan
    from sweepgate.plan.plan import read_plan
    from sweepgate.report.terminal import print_verdict
    from sweepgate.run.interrupts import end_cleanly_on_signals
    from sweepgate.run.outputs import REPORT_FILE, valid_rows, write_reports
    from sweepgate.run.progress import ProgressView
    from sweepgate.run.settings import Settings, installed_client
    from sweepgate.run.sweep import (
        PLAN_FILE,
        SweepEvents,
        check_unchanged,
        load_results,
        run_sweep,
        start_or_resume,
        write_aggregates,
    )

    end_cleanly_on_signals()
    console = Console(stderr=True)
    if arguments.resume is not None:
        out = arguments.resume
        plan = read_plan(out / PLAN_FILE)
        check_unchanged(plan, build_plan(REPOSITORY, plan.keys))
    else:
        plan = build_plan(REPOSITORY, arguments.keys, arguments.conc)
        out = arguments.out or REPOSITORY / "out" / datetime.now().strftime("%Y%m%d-%H%M%S")
    settings = Settings(REPOSITORY, load_fleets(REPOSITORY / FLEETS_FILE), installed_client(REPOSITORY), arguments.port)
    for job in plan.jobs:
        settings.launch(job.runs_on)
    start_or_resume(plan, out, arguments.resume is not None)

    begun = time.monotonic()
    interrupted = False
    done = load_results(plan, out)
    valid = [result for result in done if result.status == "valid"]
    console.print(
        f"{plan.points} points in {len(plan.jobs)} jobs, {len(valid)} measured before → {out}", highlight=False
    )
    view = ProgressView(plan, len(valid), console)
    view.skip(valid)
    try:
        with view:
            results = run_sweep(
                plan, settings, out, SweepEvents(view.step, view.point, view.retry), arguments.fail_fast
            )
    except KeyboardInterrupt:
        interrupted = True
        results = load_results(plan, out)
    verdict = judge(plan, results)
    # The terminal first: when the disk is full it is the only place left to say what was measured.
    print_verdict(verdict, valid_rows(results), Console())
    write_aggregates(plan, out, results)
    write_reports(plan, out, results, verdict)
    print(f"report: {out / REPORT_FILE}   ({time.monotonic() - begun:.0f} s)")
    if not verdict.passed:
        print(f"run what is missing: {Path(sys.argv[0])} --resume {out}")
    if interrupted:
        return EXIT_INTERRUPTED
    return 0 if verdict.passed else EXIT_FAILED_GATE


if __name__ == "__main__":
    run(main)
