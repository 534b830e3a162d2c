"""Every row of the catalogue has a fleet and a recipe that ends in a server command."""

from __future__ import annotations

from functools import partial

from sweepgate.rules.finding import Checkout, Finding, Rule, errors_of


def _check(checkout: Checkout) -> list[Finding]:
    tree = checkout.tree
    if tree is None:
        return []
    return [finding for key in tree.catalogue for finding in errors_of(partial(tree.jobs, [key]))]


RULE = Rule("rows", "each row has a recipe that serves it and a fleet that runs it", _check)
