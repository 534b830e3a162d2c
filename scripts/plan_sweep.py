#!/usr/bin/env python3
"""Plan chosen entries of the catalogue: writes plan.json, and says what it holds.

example: scripts/plan_sweep.py 'tiny-*' --out plan.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sweepgate.cli import REPOSITORY, run


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="+", help="entry keys, * and ? allowed")
    parser.add_argument("--conc", nargs="+", type=int, default=[], metavar="N", help="only these concurrencies")
    parser.add_argument(
        "--out", type=Path, default=Path("plan.json"), help="where to write the plan (default: plan.json)"
    )
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from sweepgate.plan.build import build_plan
    from sweepgate.results.store import write_json

    plan = build_plan(REPOSITORY, arguments.keys, arguments.conc)
    write_json(arguments.out, json.loads(plan.model_dump_json(by_alias=True, exclude_none=True)))
    for job in plan.jobs:
        print(f"{job.id}  on {job.runs_on}, {job.row.gpus} GPUs")
    print(f"{plan.points} points in {len(plan.jobs)} jobs → {arguments.out}")
    return 0


if __name__ == "__main__":
    run(main)
