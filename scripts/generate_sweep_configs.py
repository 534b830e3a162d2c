#!/usr/bin/env python3
"""Expand the catalogue into matrix rows: JSON on standard output.

example: scripts/generate_sweep_configs.py full-sweep
         scripts/generate_sweep_configs.py test-config --config-keys 'qwen3.5-*' --conc 4 8
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sweepgate.cli import REPOSITORY, run


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    files = [REPOSITORY / "master-config.yaml"]
    common.add_argument("--config-files", nargs="+", type=Path, default=files, help="catalogue files")
    common.add_argument("--runner-config", type=Path, default=REPOSITORY / "runners.yaml", help="fleets file")
    common.add_argument("--step-size", type=int, default=2, help="factor between concurrencies of a range (default: 2)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("full-sweep", parents=[common], help="every row of the catalogue")
    chosen = commands.add_parser("test-config", parents=[common], help="the rows of some entries, without evals")
    chosen.add_argument("--config-keys", nargs="+", required=True, help="entry keys, * and ? allowed")
    chosen.add_argument("--conc", nargs="+", type=int, default=[], help="only these concurrencies")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    from sweepgate.config.catalogue import load_catalogue
    from sweepgate.config.fleets import load_fleets
    from sweepgate.errors import InputError, Problem
    from sweepgate.matrix.evals import mark_evals
    from sweepgate.matrix.expand import expand
    from sweepgate.plan.build import select_keys

    if arguments.step_size < 2:
        raise InputError(Problem("must be 2 or more", key="--step-size", found=str(arguments.step_size)))
    catalogue = load_catalogue(arguments.config_files)
    if arguments.command == "test-config":
        catalogue = {key: catalogue[key] for key in select_keys(catalogue, arguments.config_keys)}
    rows = expand(catalogue, load_fleets(arguments.runner_config), arguments.step_size)
    if arguments.command == "full-sweep":
        mark_evals(rows)
    else:
        rows = [row for row in rows if _has_concurrency(row, arguments.conc)]
    json.dump(rows, sys.stdout)
    print()
    return 0


def _has_concurrency(row: dict[str, Any], wanted: list[int]) -> bool:
    conc = row["conc"] if isinstance(row["conc"], list) else [row["conc"]]
    return not wanted or bool(set(conc) & set(wanted))


if __name__ == "__main__":
    run(main)
