"""Catalogue, fleets and pins parse and fit their schemas."""

from __future__ import annotations

from sweepgate.config.catalogue import load_catalogue
from sweepgate.config.fleets import load_fleets
from sweepgate.plan.build import CATALOGUE_FILE, FLEETS_FILE
from sweepgate.plan.pins import pinned_version
from sweepgate.rules.finding import Checkout, Finding, Rule, errors_of


def _check(checkout: Checkout) -> list[Finding]:
    return [
        *errors_of(lambda: load_catalogue([checkout.root / CATALOGUE_FILE])),
        *errors_of(lambda: load_fleets(checkout.root / FLEETS_FILE)),
        *errors_of(lambda: pinned_version(checkout.root, "aiperf")),
    ]


RULE = Rule("schemas", f"{CATALOGUE_FILE}, {FLEETS_FILE} and the client's pin are valid", _check)
