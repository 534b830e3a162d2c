"""perf-changelog/ parses, and names entries that exist."""

from __future__ import annotations

from sweepgate.errors import InputError
from sweepgate.plan.fragments import FOLDER, named_keys, read_fragments
from sweepgate.rules.finding import Checkout, Finding, Rule, errors_of


def _check(checkout: Checkout) -> list[Finding]:
    try:
        fragments = read_fragments(checkout.root)
    except InputError as error:
        return [Finding(problem) for problem in error.problems]
    tree = checkout.tree
    if tree is None:
        return []
    # Old fragments may name entries that are gone since: they are history, and start nothing.
    gone = errors_of(lambda: named_keys(fragments, fragments, tree.catalogue))
    return [Finding(finding.problem, "warning") for finding in gone]


RULE = Rule("fragments", f"{FOLDER}/ holds one valid YAML a change (a warning where an entry is gone)", _check)
