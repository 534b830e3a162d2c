"""When a point's acceptance may be believed: each bound at its edge and over it."""

from __future__ import annotations

from typing import Any

import pytest
from test_validity import AGENTIC, FIXED

from sweepgate.matrix.row import Row
from sweepgate.measure.acceptance import Acceptance, schedule
from sweepgate.results.acceptance_bounds import acceptance_reasons, acceptance_warnings

FORCED = AGENTIC.model_copy(update={"spec_decoding": "mtp", "draft_tokens": 3, "thinking": "on"})
EVAL = FORCED.model_copy(update={"eval_only": True})
REAL = FIXED.model_copy(update={"spec_decoding": "mtp", "draft_tokens": 3})


def seen(length: float | None, drafts: int = 11_000, rates: Any = "due", draws: float | None = None) -> Acceptance:
    if rates == "due":
        rates = schedule(length, 3) if length is not None else None
    return Acceptance(length, drafts, drafts if draws is None else draws, rates, "counters")


CASES: dict[str, tuple[Row, float | None, Acceptance | None, str | None]] = {
    "as due": (FORCED, 2.49, seen(2.49), None),
    "1 % off": (FORCED, 2.49, seen(2.5148), None),
    "over 1 % off": (FORCED, 2.49, seen(2.5152), "length 2.515 was measured, 2.49 is due and 0.025 off is allowed"),
    "the neighbour's length": (FORCED, 2.49, seen(2.54), "length 2.540 was measured"),
    "not forced at all": (FORCED, 2.49, seen(1.0003, rates=[0.0003, 0, 0]), "length 1.000 was measured"),
    "NaN": (FORCED, 2.49, seen(float("nan"), rates=None), "length nan was measured"),
    "no draft": (FORCED, 2.49, seen(None, drafts=0), "verified no draft"),
    "few drafts, within three errors": (FORCED, 2.49, seen(2.55, drafts=500), None),
    "few drafts, beyond": (FORCED, 2.49, seen(2.57, drafts=500), "from only 500 drafts"),
    "one draw a step for a batch": (FORCED, 3.39, seen(3.45, 3311, None, draws=3311 / 8), None),
    "as many draws as calls": (FORCED, 3.39, seen(3.45, 3311, None), "length 3.450 was measured"),
    "whole lengths have no error": (FORCED, 3.0, seen(3.031, rates=None), "length 3.031 was measured"),
    "the right mean by other rates": (
        FORCED,
        2.49,
        seen(2.49, rates=[0.8, 0.49, 0.2]),
        "draft token 1 was accepted in 0.800 of steps, 1.00 is due",
    ),
    "no counters": (FORCED, 2.49, None, None),
    "an eval that verifies": (EVAL, None, seen(2.9, rates=[0.9, 0.6, 0.4]), None),
    "an eval that was forced": (EVAL, None, seen(2.49), "looks forced (rates by position 1, 0.49, 0), and evals must"),
    "fixed sequences that verify": (REAL, None, seen(2.9, rates=[0.9, 0.6, 0.4]), None),
    "fixed sequences that were forced": (REAL, None, seen(2.49), "rows like this one must really verify"),
    "no speculation": (FIXED, None, seen(None, drafts=0), None),
    "speculation that the row does not have": (FIXED, None, seen(2.9), "the row has no speculation"),
}


@pytest.mark.parametrize("name", CASES)
def test_reasons(name: str) -> None:
    row, golden, acceptance, expected = CASES[name]
    reasons = acceptance_reasons(row, golden, acceptance)
    if expected is None:
        assert reasons == []
    else:
        assert expected in reasons[0]


@pytest.mark.parametrize(
    ("row", "golden", "acceptance", "words"),
    [
        (FORCED, 2.49, None, ["the golden length is not proven"]),
        (REAL, None, None, ["so it is not known"]),
        (FORCED, 2.49, seen(2.49, drafts=999), ["only 999 drafts"]),
        (FORCED, 2.49, seen(2.49, drafts=1000), []),
        (FIXED, None, None, []),
    ],
)
def test_warnings(row: Row, golden: float | None, acceptance: Acceptance | None, words: list[str]) -> None:
    found = acceptance_warnings(row, golden, acceptance)
    assert len(found) == len(words)
    assert all(word in text for word, text in zip(words, found, strict=True))
