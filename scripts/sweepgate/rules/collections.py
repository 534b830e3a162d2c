"""speedbench-config.yaml is valid, and each of its cells would be served with real acceptance."""

from __future__ import annotations

from dataclasses import replace

from sweepgate.engines.recipe import NOMINAL
from sweepgate.engines.registry import engine_for
from sweepgate.errors import InputError
from sweepgate.fingerprint.serving import server_commands
from sweepgate.rules.finding import Checkout, Finding, Rule
from sweepgate.speedbench.cells import Cell, make_plan, row_of
from sweepgate.speedbench.collections import CONFIG_FILE, Collection, load_collections


def _check(checkout: Checkout) -> list[Finding]:
    if not (checkout.root / CONFIG_FILE).is_file():
        return []
    try:
        collections = load_collections(checkout.root)
    except InputError as error:
        return [Finding(problem) for problem in error.problems]
    findings = []
    for name, collection in collections.items():
        try:
            _serve(checkout, name, collection)
        except InputError as error:
            findings += [Finding(replace(problem, key=problem.key or name)) for problem in error.problems]
    return findings


def _serve(checkout: Checkout, name: str, collection: Collection) -> None:
    """Resolve the server of one cell of each thinking mode. Raises InputError where that is refused."""
    plan = make_plan(name, collection, "1", "", "coding", collection.max_model_len // 4)
    cells: list[Cell] = plan.cells
    for cell in cells:
        row = row_of(plan, cell)
        nominal = [(process, NOMINAL) for process in engine_for(row.framework).processes(row)]
        server_commands(checkout.root / "benchmarks", row, nominal)


RULE = Rule("collections", "acceptance lengths are collected by valid recipes that force nothing", _check)
