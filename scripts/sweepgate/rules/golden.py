"""The committed acceptance lengths are valid, and what is published of them is what the files say."""

from __future__ import annotations

from sweepgate.errors import InputError, Problem
from sweepgate.golden.curves import load_curves
from sweepgate.report.golden_table import README, is_current
from sweepgate.rules.finding import Checkout, Finding, Rule


def _check(checkout: Checkout) -> list[Finding]:
    try:
        curves = load_curves(checkout.root)
    except InputError as error:
        return [Finding(problem) for problem in error.problems]
    if curves and not is_current(checkout.root, curves):
        hint = "scripts/golden_al.py table --write"
        return [Finding(Problem("the table of lengths is not what the curve files say", README, hint=hint))]
    return []


RULE = Rule("golden", "golden_al_distribution/ is valid, and its table is what its files say", _check)
