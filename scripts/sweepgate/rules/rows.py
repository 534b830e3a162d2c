"""Every row of the catalogue has a fleet, a recipe that ends in a server command, and a length where it is forced."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sweepgate.config.yaml_file import load
from sweepgate.plan.build import CATALOGUE_FILE
from sweepgate.rules.finding import Checkout, Finding, Rule, errors_of


def _check(checkout: Checkout) -> list[Finding]:
    tree = checkout.tree
    if tree is None:
        return []
    catalogue = load(checkout.root / CATALOGUE_FILE)
    findings = []
    for key in tree.catalogue:
        for finding in errors_of(partial(tree.jobs, [key])):
            problem = finding.problem
            if problem.file is None:
                problem = replace(problem, file=CATALOGUE_FILE, line=catalogue.line((key,)))
            findings.append(replace(finding, problem=problem))
    return findings


RULE = Rule("rows", "each row has a recipe, a fleet, and a golden length where it is forced", _check)
