#!/usr/bin/env python3
"""Expand the catalogue into matrix rows: JSON on standard output.

example: scripts/generate_sweep_configs.py full-sweep --single-node --precision fp8 --max-conc 64
         scripts/generate_sweep_configs.py test-config --config-keys 'qwen3.5-*' --conc 4 8
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path

from sweepgate.cli import REPOSITORY, run


def positive(text: str) -> int:
    """Return a whole number of 1 or more; argparse names the option and what was found."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def step(text: str) -> int:
    """Return a whole number of 2 or more."""
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"must be 2 or more, found {number}")
    return number


def lengths(text: str) -> tuple[int, int]:
    """Return (isl, osl) in tokens: `8k1k` is 8192 and 1024, `512x64` is 512 and 64."""
    try:
        if text.endswith("k"):
            isl, osl = (int(part) * 1024 for part in text[:-1].split("k"))
        else:
            isl, osl = (int(part) for part in text.split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a pair of lengths such as 8k1k or 512x64") from None
    return isl, osl


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    add("--config-files", nargs="+", type=Path, default=[REPOSITORY / "master-config.yaml"], help="catalogue files")
    add("--runner-config", type=Path, default=REPOSITORY / "runners.yaml", help="fleets file")
    add("--runner-node-filter", metavar="TEXT", help="one row for each runner whose name contains this")
    add("--scenario-type", nargs="+", choices=["fixed-seq-len", "agentic-coding"], default=[], help="only these loads")
    add("--seq-lens", nargs="+", type=lengths, default=[], help="only these fixed lengths, such as 8k1k")
    evals = common.add_mutually_exclusive_group()
    evals.add_argument("--no-evals", action="store_true", help="mark no row for evals")
    evals.add_argument("--evals-only", action="store_true", help="only the rows that run evals, agentic ones included")
    add("--all-evals", action="store_true", help="only eval rows: every 8k1k and every agentic one")

    commands = parser.add_subparsers(dest="command", required=True)
    full = commands.add_parser("full-sweep", parents=[common], help="every row of the catalogue that the options keep")
    add = full.add_argument
    add("--model-prefix", nargs="+", default=[], help="only entries whose key starts with one of these")
    add("--precision", nargs="+", default=[], help="only these precisions")
    add("--framework", nargs="+", default=[], help="only these frameworks")
    add("--runner-type", nargs="+", default=[], help="only these runner labels")
    add("--step-size", type=step, default=2, help="factor between the concurrencies of a range (default: 2)")
    add("--min-conc", type=positive, metavar="N", help="lowest concurrency")
    add("--max-conc", type=positive, metavar="N", help="highest concurrency")
    add("--max-tp", type=positive, metavar="N", help="highest tp of fixed-sequence single-node rows")
    add("--max-ep", type=positive, metavar="N", help="fixed-sequence single-node rows above this ep run with it")
    add("--single-node", action="store_true", help="single-node rows (default: both kinds)")
    add("--multi-node", action="store_true", help="multi-node rows (default: both kinds)")
    chosen = commands.add_parser("test-config", parents=[common], help="the rows of chosen entries")
    chosen.add_argument("--config-keys", nargs="+", required=True, help="entry keys, * and ? allowed")
    chosen.add_argument("--conc", nargs="+", type=positive, default=[], help="only these concurrencies")

    arguments = parser.parse_args()
    if arguments.all_evals and arguments.no_evals:
        parser.error("argument --all-evals: not allowed with argument --no-evals")
    if arguments.command == "full-sweep" and (arguments.min_conc or 0) > (arguments.max_conc or sys.maxsize):
        parser.error("argument --min-conc: is above --max-conc")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    # A short process over a large tree of live objects: a collection could free nothing and takes a tenth of the time.
    gc.disable()
    from sweepgate.config.read_ahead import read_ahead

    read = read_ahead([*arguments.config_files, arguments.runner_config])
    from sweepgate.config.catalogue import load_catalogue
    from sweepgate.config.fleets import load_fleets
    from sweepgate.matrix.evals import eval_rows, mark_all_evals, mark_evals
    from sweepgate.matrix.expand import expand
    from sweepgate.matrix.filters import filters_of
    from sweepgate.matrix.selection import select_keys

    catalogue = load_catalogue(arguments.config_files, read)
    fleets = load_fleets(arguments.runner_config, read)
    if arguments.command == "test-config":
        shown = " ".join(map(str, arguments.config_files))
        catalogue = {key: catalogue[key] for key in select_keys(catalogue, arguments.config_keys, shown)}
    if getattr(arguments, "runner_type", None):
        select_keys(fleets.labels, arguments.runner_type, str(arguments.runner_config), "labels")
    rows = expand(catalogue, fleets, filters_of(vars(arguments)))
    only_evals = arguments.evals_only or arguments.all_evals
    if not arguments.no_evals:
        mark_evals(rows, include_agentic=only_evals)
    if arguments.all_evals:
        rows = mark_all_evals(rows)
    if only_evals:
        rows = eval_rows(rows)
    if not rows:
        print("note: these options keep no row", file=sys.stderr)
    print(json.dumps(rows))
    return 0


if __name__ == "__main__":
    run(main)
