"""All rules of validate.py, in the order of the report. A new rule is one module and one line here."""

from __future__ import annotations

from sweepgate.rules import (
    codeowners,
    collections,
    conflicts,
    fragments,
    golden,
    knobs,
    purity,
    rows,
    schemas,
    timeouts,
    typed_lengths,
)
from sweepgate.rules.finding import Rule

RULES: tuple[Rule, ...] = (
    conflicts.RULE,
    schemas.RULE,
    rows.RULE,
    purity.RULE,
    golden.RULE,
    typed_lengths.RULE,
    knobs.RULE,
    collections.RULE,
    timeouts.RULE,
    fragments.RULE,
    codeowners.RULE,
)
