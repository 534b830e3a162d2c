#!/usr/bin/env python3
"""The golden acceptance lengths of golden_al_distribution/: look one up, render it for an engine, check recipes and
server commands against them, and make the table of the folder's README.

example: scripts/golden_al.py lookup --model qwen3.5 --method mtp --thinking on --draft-tokens 3
         scripts/golden_al.py render --engine sglang --model qwen3.5 --method mtp --thinking on --draft-tokens 3
         scripts/golden_al.py check benchmarks/single_node/agentic/*.sh
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from sweepgate.cli import REPOSITORY, run


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=REPOSITORY, help="whose curves (default: this checkout)")
    commands = parser.add_subparsers(dest="command", required=True)
    key = argparse.ArgumentParser(add_help=False)
    add = key.add_argument
    add("--model", required=True, help="model prefix (qwen3.5) or model id (Qwen/Qwen3.5-397B-A17B-FP8)")
    add("--method", required=True, help="draft method: mtp, eagle3, dspark, draft_model")
    add("--thinking", required=True, choices=["on", "off"])
    add("--draft-tokens", required=True, type=int, metavar="N", help="draft tokens a step")
    add("--draft-sample-method", default="greedy", choices=["greedy", "probabilistic"], help="default: greedy")
    add("--rejection-sample-method", choices=["standard", "block"], help="where that tells curves apart")
    add("--draft-model", help="where that tells curves apart")
    commands.add_parser("lookup", parents=[key], help="print the committed length")
    rendered = commands.add_parser("render", parents=[key], help="print the engine's own settings for it")
    rendered.add_argument("--engine", required=True, choices=["vllm", "sglang", "trtllm", "atom"])
    checked = commands.add_parser("check", help="check bash recipes, server command lines, srt-slurm and Dynamo YAML")
    checked.add_argument("files", nargs="+", type=Path, metavar="FILE")
    checked.add_argument(
        "--scenario",
        choices=["agentic", "fixed-seq-len", "speedbench"],
        help="what the files are for (default: by path, then by content, then agentic)",
    )
    checked.add_argument("--thinking", default="on", choices=["on", "off"], help="default: on, as in agentic traces")
    checked.add_argument("--model", help="model id, where neither the file's name nor its content says")
    made = commands.add_parser("table", help="print the table of all curves")
    made.add_argument("--write", action="store_true", help="put it into golden_al_distribution/README.md")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    commands = {"lookup": look_up, "render": render_settings, "check": check, "table": make_table}
    return commands[arguments.command](arguments)


def golden_of(arguments: argparse.Namespace) -> Any:
    """Return the committed length that the options ask for."""
    from sweepgate.golden.curves import load_curves
    from sweepgate.golden.lookup import Speculation, lookup

    curves = load_curves(arguments.repository)
    is_prefix = arguments.model in {item.curve.model_prefix for item in curves}
    wanted = Speculation(
        method=arguments.method,
        thinking=arguments.thinking,
        draft_tokens=arguments.draft_tokens,
        prefix=arguments.model if is_prefix else None,
        model=None if is_prefix else arguments.model,
        draft_sample_method=arguments.draft_sample_method,
        rejection_sample_method=arguments.rejection_sample_method,
        draft_model=arguments.draft_model,
    )
    return lookup(curves, wanted)


def look_up(arguments: argparse.Namespace) -> int:
    """Print the length on standard output, and where it is committed on standard error."""
    golden = golden_of(arguments)
    print(golden.text)
    print(golden.place, file=sys.stderr)
    return 0


def render_settings(arguments: argparse.Namespace) -> int:
    """Print what the engine is given: variables one a line, then arguments as a shell would take them."""
    from sweepgate.golden.render import SPECULATIVE_CONFIG, render

    golden = golden_of(arguments)
    rendered = render(arguments.engine, golden.length, golden.draft_tokens)
    for name, text in rendered.environment.items():
        print(f"{name}={text}")
    if rendered.speculative_config:
        curve = golden.source.curve
        config = {"method": curve.method, "num_speculative_tokens": golden.draft_tokens}
        config |= {"model": curve.draft_model} if curve.draft_model else {}
        sampling = curve.draft_sample_method
        config |= {"draft_sample_method": sampling} if sampling != "greedy" else {}
        text = json.dumps({**config, **rendered.speculative_config}, separators=(",", ":"))
        print(f"{SPECULATIVE_CONFIG} {shlex.quote(text)}")
    if rendered.arguments:
        print(shlex.join(rendered.arguments))
    return 0


def check(arguments: argparse.Namespace) -> int:
    """Print what each server of each file does, and the verdict; 1 when one is wrong."""
    from sweepgate.errors import EXIT_FAILED_GATE
    from sweepgate.golden.check import check_file
    from sweepgate.golden.curves import load_curves

    curves = load_curves(arguments.repository)
    wrong = seen = 0
    for path in arguments.files:
        found = check_file(path, curves, arguments.scenario, arguments.thinking, arguments.model)
        for item in found:
            print(f"{item.severity + ':':<9}{item.problem.render()}")
        if not found:
            print(f"ok:      {path}: no server speculates")
        seen += len(found)
        wrong += sum(not item.ok for item in found)
    verdict = "FAIL" if wrong else "PASS"
    print(f"{verdict}: {len(arguments.files)} files, {seen} ways to speculate, {wrong} wrong")
    return EXIT_FAILED_GATE if wrong else 0


def make_table(arguments: argparse.Namespace) -> int:
    """Print the table, or put it into the README."""
    from sweepgate.files import write_text
    from sweepgate.golden.curves import load_curves
    from sweepgate.report.golden_table import README, lengths_table, with_table

    curves = load_curves(arguments.repository)
    if not arguments.write:
        print(lengths_table(curves))
        return 0
    path = arguments.repository / README
    write_text(path, with_table(path.read_text(encoding="utf-8"), curves))
    print(f"{README}: {len(curves)} curves")
    return 0


if __name__ == "__main__":
    run(main)
