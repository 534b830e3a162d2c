#!/usr/bin/env python3
"""Show what went into the fingerprints of catalogue entries and, with --base, what differs from another revision.

example: scripts/fingerprint.py explain 'tiny-*'
         scripts/fingerprint.py explain tiny-fp8-local-dynamo-mocker --base main
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from sweepgate.cli import REPOSITORY, run


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="show the inputs of every point of an entry")
    explain.add_argument("keys", nargs="+", metavar="KEY", help="entry keys, * and ? allowed")
    explain.add_argument("--base", metavar="REF", help="show only what differs from this revision")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from sweepgate.plan.build import CATALOGUE_FILE, read_repository
    from sweepgate.plan.explain import compare_jobs, explain_job
    from sweepgate.plan.tree import commit_of, unpack

    here = read_repository(REPOSITORY)
    jobs = here.jobs(here.select(arguments.keys))
    if arguments.base is None:
        for job in jobs:
            print("\n".join(explain_job(job, here.fingerprinter)))
        return 0
    with tempfile.TemporaryDirectory(prefix="sweepgate-") as folder:
        there = read_repository(unpack(REPOSITORY, commit_of(REPOSITORY, arguments.base), Path(folder)))
        keys = [key for key in dict.fromkeys(job.key for job in jobs) if key in there.catalogue]
        others = {job.id: job for job in there.jobs(keys)}
        before = {
            name: (job, there.fingerprinter.point_inputs(job.row, job.concurrencies[0])) for name, job in others.items()
        }
        for job in jobs:
            inputs = here.fingerprinter.point_inputs(job.row, job.concurrencies[0])
            print("\n".join(compare_jobs(before.get(job.id), (job, inputs))))
        gone = [name for name in others if name not in {job.id for job in jobs}]
        for name in gone:
            print(f"{name}: gone, only the base has this job ({CATALOGUE_FILE})")
    return 0


if __name__ == "__main__":
    run(main)
