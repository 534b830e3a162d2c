#!/usr/bin/env python3
"""Show what went into the fingerprints of catalogue entries and, with --base, what differs from another revision.

example: scripts/fingerprint.py explain 'tiny-*'
         scripts/fingerprint.py explain tiny-fp8-local-dynamo-mocker --base main
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sweepgate.cli import REPOSITORY, run


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    explain = commands.add_parser("explain", help="show the inputs of every point of an entry")
    explain.add_argument("keys", nargs="+", metavar="KEY", help="entry keys, * and ? allowed")
    explain.add_argument("--base", metavar="REF", help="show only what differs from this revision")
    explain.add_argument("--repository", type=Path, default=REPOSITORY, help="the checkout (default: this one)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from sweepgate.plan.build import read_repository
    from sweepgate.plan.explain import explain_job

    tree = read_repository(arguments.repository)
    jobs = tree.jobs(tree.select(arguments.keys))
    if arguments.base is not None:
        return compare(arguments, tree, jobs)
    for job in jobs:
        print("\n".join(explain_job(job, tree.fingerprinter)))
    return 0


def compare(arguments: argparse.Namespace, here: Any, jobs: Sequence[Any]) -> int:
    """Print what differs from the base, job by job."""
    from sweepgate.plan.explain import compare_jobs
    from sweepgate.plan.sources import read_revision
    from sweepgate.plan.tree import commit_of

    with tempfile.TemporaryDirectory(prefix="sweepgate-") as folder:
        commit = commit_of(arguments.repository, arguments.base)
        there = read_revision(arguments.repository, commit, Path(folder, "base"), f"{arguments.base}:")
        keys = [key for key in dict.fromkeys(job.key for job in jobs) if key in there.catalogue]
        others = {job.id: (job, inputs_of(there, job)) for job in there.jobs(keys)}
        for job in jobs:
            print("\n".join(compare_jobs(others.get(job.id), (job, inputs_of(here, job)))))
        for name in sorted(others.keys() - {job.id for job in jobs}):
            print(f"{name}: gone, only {arguments.base} has this job")
    return 0


def inputs_of(tree: Any, job: Any) -> Any:
    """Return what decides the fingerprint of a job's first point."""
    return tree.fingerprinter.point_inputs(job.row, job.concurrencies[0])


if __name__ == "__main__":
    run(main)
