#!/usr/bin/env python3
"""Check every rule that spans files of this repository: exit code 0 when all hold, 2 when one is broken.

On GitHub Actions each finding is also an annotation at its line.

example: scripts/validate.py
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from sweepgate.cli import REPOSITORY, run
from sweepgate.errors import EXIT_BAD_INPUT


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=REPOSITORY, help="the checkout (default: this one)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from rich.console import Console
    from rich.table import Table

    from sweepgate.report.annotations import annotation
    from sweepgate.rules.finding import Checkout
    from sweepgate.rules.registry import RULES

    checkout = Checkout(arguments.repository.resolve())
    table = Table("rule", "verdict", "what it demands", box=None, pad_edge=False)
    errors = 0
    for rule in RULES:
        findings = rule.check(checkout)
        broken = sum(finding.severity == "error" for finding in findings)
        warnings = len(findings) - broken
        errors += broken
        verdict = f"{broken} broken" if broken else f"ok, {warnings} to look at" if warnings else "ok"
        table.add_row(rule.name, verdict, rule.demands)
        for finding in findings:
            problem = checkout.relative(finding.problem)
            print(f"{finding.severity}: {rule.name}: {problem.render()}", file=sys.stderr)
            if os.environ.get("GITHUB_ACTIONS") == "true":
                print(annotation(finding.severity, rule.name, problem))
    Console(highlight=False).print(table)
    print(f"{'FAIL' if errors else 'PASS'}: {len(RULES)} rules, {errors} broken")
    return EXIT_BAD_INPUT if errors else 0


if __name__ == "__main__":
    run(main)
