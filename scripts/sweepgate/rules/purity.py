"""Recipes are pure, so that a fingerprint follows what they run and not how they are written."""

from __future__ import annotations

from sweepgate.errors import Problem
from sweepgate.fingerprint.statements import compile_recipe
from sweepgate.fingerprint.syntax import ImpureError
from sweepgate.rules.finding import Checkout, Finding, Rule

_HINT = "without it, an edit to any arm or comment runs every point of this recipe again"


def _check(checkout: Checkout) -> list[Finding]:
    findings = []
    for name in checkout.files:
        path = checkout.root / name
        if not name.startswith("benchmarks/") or path.suffix != ".sh" or not path.is_file():
            continue
        try:
            compile_recipe(path.read_bytes())
        except ImpureError as error:
            problem = Problem(f"the recipe is impure: it {error.what}", name, error.line, hint=_HINT)
            findings.append(Finding(problem, "warning"))
    return findings


RULE = Rule("purity", "recipes only set variables and end in exec (a warning where not)", _check)
