#!/usr/bin/env python3
"""Collect acceptance lengths with SPEED-Bench: plan the cells, run them here, merge what was measured into the curves.

A cell is one thinking mode with one number of draft tokens. Its server starts clean and really verifies drafts; the
length is what its counters say over the questions. Run again after a failure, `run` measures only what is missing.

example: scripts/collect_acceptance.py plan --model-prefix qwen3.5 --draft-tokens 1-8 --out out/al
         scripts/collect_acceptance.py run --plan out/al/acceptance-plan.json --prompts qualitative.jsonl --out out/al
         scripts/collect_acceptance.py merge --plan out/al/acceptance-plan.json --results out/al --source-run URL
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from sweepgate.cli import REPOSITORY, run
from sweepgate.errors import EXIT_FAILED_GATE, InputError, Problem


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=REPOSITORY, help="default: this checkout")
    commands = parser.add_subparsers(dest="command", required=True)
    planned = commands.add_parser("plan", help="write the plan of a collection")
    planned.add_argument("--model-prefix", required=True, help="as in speedbench-config.yaml")
    planned.add_argument("--collection", help="where the prefix has several")
    planned.add_argument("--model", help="another checkpoint (default: the collection's)")
    planned.add_argument("--image", help="another engine image (default: the collection's)")
    planned.add_argument("--draft-tokens", default="1-8", help="default: 1-8")
    planned.add_argument("--thinking", default="", help="on, off or both (default: every mode of the collection)")
    planned.add_argument("--category", default="coding", help="default: coding")
    planned.add_argument("--output-tokens", type=int, default=4096, help="bound of an answer (default: 4096)")
    planned.add_argument("--out", type=Path, required=True, help="folder for acceptance-plan.json")
    planned.add_argument("--outputs", type=Path, help="add the cells to this file of a workflow step's outputs")
    ran = commands.add_parser("run", help="collect cells here")
    ran.add_argument("--plan", type=Path, required=True)
    ran.add_argument("--cell", help="only this one (default: all)")
    ran.add_argument("--prompts", type=Path, required=True, help="qualitative.jsonl of SPEED-Bench, prepared")
    ran.add_argument("--out", type=Path, required=True, help="folder for results; valid ones in it are kept")
    ran.add_argument("--port", type=int, help="serve on this port (default: a free one)")
    merged = commands.add_parser("merge", help="put valid lengths into the model's curve, and sum up")
    merged.add_argument("--plan", type=Path, required=True)
    merged.add_argument("--results", type=Path, required=True)
    merged.add_argument("--source-run", required=True, help="address of the run that measured")
    merged.add_argument("--write", action="store_true", help="write the curve file and the README's table")
    merged.add_argument("--summary", type=Path, help="add the summary to this file (default: print it)")
    merged.add_argument("--body", type=Path, help="write a pull request's body to this file")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    return {"plan": plan, "run": collect, "merge": merge}[arguments.command](arguments)


def plan(arguments: argparse.Namespace) -> int:
    """Write the plan, and the outputs from which a workflow makes its matrix."""
    from sweepgate.speedbench.cells import make_plan, matrix, write_plan
    from sweepgate.speedbench.collections import find_collection, load_collections, with_overrides

    collections = load_collections(arguments.repository)
    name = find_collection(collections, arguments.model_prefix, arguments.collection)
    collection = with_overrides(collections[name], arguments.model, arguments.image)
    made = make_plan(
        name, collection, arguments.draft_tokens, arguments.thinking, arguments.category, arguments.output_tokens
    )
    path = write_plan(arguments.out, made)
    if arguments.outputs:
        cells = json.dumps(matrix(made, made.cells), separators=(",", ":"))
        with arguments.outputs.open("a", encoding="utf-8") as file:
            file.write(f"cells={cells}\ncollection={name}\n")
    print(f"{path}: {len(made.cells)} cells of {name}: {', '.join(cell.id for cell in made.cells)}")
    return 0


def collect(arguments: argparse.Namespace) -> int:
    """Collect cells here; 1 when one is not valid."""
    from sweepgate.config.fleets import load_fleets
    from sweepgate.plan.build import FLEETS_FILE
    from sweepgate.run.interrupts import end_cleanly_on_signals
    from sweepgate.run.settings import Settings, installed_client
    from sweepgate.speedbench.cells import read_plan
    from sweepgate.speedbench.collect import collect as collect_cells
    from sweepgate.speedbench.prompts import read_prompts

    made = read_plan(arguments.plan)
    cells = [made.cell(arguments.cell)] if arguments.cell else made.cells
    prompts = read_prompts(arguments.prompts, made.category)
    fleets = load_fleets(arguments.repository / FLEETS_FILE)
    settings = Settings(arguments.repository, fleets, installed_client(arguments.repository), arguments.port)
    settings.launch(made.collection.runner)
    end_cleanly_on_signals()
    results = collect_cells(
        made, cells, prompts, settings, arguments.out, lambda text: print(text, file=sys.stderr, flush=True)
    )
    valid = sum(result.status == "valid" for result in results)
    print(f"{'PASS' if valid == len(results) else 'FAIL'}: {valid} of {len(results)} cells of {made.name} are valid")
    return 0 if valid == len(results) else EXIT_FAILED_GATE


def merge(arguments: argparse.Namespace) -> int:
    """Sum up, and with --write put the lengths into the repository; 1 when a planned cell is not valid."""
    from sweepgate.files import write_text
    from sweepgate.golden.curves import load_curves
    from sweepgate.report.acceptance_summary import acceptance_summary, headline, pull_request_body
    from sweepgate.report.golden_table import README, with_table
    from sweepgate.speedbench.cells import read_plan
    from sweepgate.speedbench.merge import merge as merge_results
    from sweepgate.speedbench.merge import merged_text
    from sweepgate.speedbench.result import read_results

    if not re.fullmatch(r"https://[A-Za-z0-9._~:/-]+", arguments.source_run):
        raise InputError(
            Problem("is no address of a run", None, None, "--source-run", arguments.source_run, "https://")
        )
    made = read_plan(arguments.plan)
    results = read_results(arguments.results, made.cells)
    merged = merge_results(arguments.repository, made, list(results.values()), arguments.source_run)
    summary = acceptance_summary(made, results, merged, arguments.source_run)
    if arguments.summary:
        with arguments.summary.open("a", encoding="utf-8") as file:
            file.write(summary)
    else:
        print(summary)
    if merged is not None and arguments.write:
        write_text(arguments.repository / merged.file, merged_text(arguments.repository, merged))
        readme = arguments.repository / README
        write_text(readme, with_table(readme.read_text(encoding="utf-8"), load_curves(arguments.repository)))
    if merged is not None and arguments.body:
        write_text(arguments.body, pull_request_body(summary, merged))
    print(headline(made, results))
    return (
        0
        if all(result.status == "valid" for result in results.values()) and len(results) == len(made.cells)
        else EXIT_FAILED_GATE
    )


if __name__ == "__main__":
    run(main)
