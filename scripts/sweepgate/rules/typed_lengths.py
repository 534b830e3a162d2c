"""Recipes hold no acceptance length: the harness looks it up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepgate.engines.recipe import conventional_name
from sweepgate.errors import InputError
from sweepgate.golden.check import Checked, check_file
from sweepgate.golden.curves import load_curves
from sweepgate.matrix.row import Row
from sweepgate.rules.finding import Checkout, Finding, Rule


def _check(checkout: Checkout) -> list[Finding]:
    try:
        curves = load_curves(checkout.root)
    except InputError:
        return []  # the `golden` rule says why
    uses = _uses(checkout)
    found: dict[Checked, None] = {}
    for name in checkout.files:
        path = checkout.root / name
        if name.startswith("benchmarks/") and path.suffix == ".sh" and path.is_file():
            for use in uses.get(name, [{}]):
                try:
                    checked = check_file(path, curves, name=name, harness_forces=True, **use)
                except InputError as error:
                    checked = [Checked("error", problem) for problem in error.problems]
                found |= dict.fromkeys(checked)
    return [Finding(item.problem, item.severity) for item in found if item.severity != "ok"]


def _uses(checkout: Checkout) -> dict[str, list[Mapping[str, Any]]]:
    """Return recipe → what to check it as, for each way in which rows of the catalogue speculate with it."""
    uses: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in checkout.rows:
        use = _use(row)
        uses.setdefault(f"benchmarks/{row.recipe or conventional_name(row)}", {})[repr(use)] = use
    return {name: list(found.values()) for name, found in uses.items()}


def _use(row: Row) -> Mapping[str, Any]:
    facts = {
        "MODEL": row.model,
        "SPEC_DECODING": row.spec_decoding,
        "DRAFT_TOKENS": row.draft_tokens,
        "DRAFT_MODEL": row.draft_model,
        "DRAFT_SAMPLE_METHOD": row.draft_sample_method,
    }
    return {
        "scenario": "agentic" if row.is_agentic else "fixed-seq-len",
        "thinking": row.thinking or "on",
        "known": {name: str(fact) for name, fact in facts.items() if fact is not None},
    }


RULE = Rule("typed-lengths", "no recipe types an acceptance length", _check)
