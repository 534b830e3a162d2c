"""When a measured acceptance may be believed: forced rows at their golden length, all others really verified."""

from __future__ import annotations

import math

from sweepgate.matrix.row import Row
from sweepgate.measure.acceptance import Acceptance, looks_forced, schedule, schedule_error

# A measured length may be off by the larger of this share and so many standard errors.
MAX_DEVIATION = 0.01
MAX_STANDARD_ERRORS = 3.0
# Below this many drafts a wrong length may pass for a right one.
FEW_DRAFTS = 1000


def acceptance_reasons(row: Row, golden: float | None, seen: Acceptance | None) -> list[str]:
    """Return why the acceptance of a point must not be published; empty when it may be."""
    if seen is None:
        return []
    if golden is not None:
        return _off_golden(golden, seen)
    if row.spec_decoding == "none" and seen.drafts:
        return [f"the server verified {seen.drafts} drafts, and the row has no speculation"]
    if looks_forced(seen.rates, seen.drafts):
        kind = "evals" if row.eval_only else "rows like this one"
        return [f"acceptance looks forced (rates by position {_shown(seen.rates)}), and {kind} must really verify"]
    return []


def acceptance_warnings(row: Row, golden: float | None, seen: Acceptance | None) -> list[str]:
    """Return what a reader of the point should know of its acceptance."""
    if row.spec_decoding == "none":
        return []
    if seen is None:
        proof = "so the golden length is not proven" if golden is not None else "so it is not known"
        return [f"the server does not count acceptance, {proof}"]
    if golden is not None and 0 < seen.drafts < FEW_DRAFTS:
        return [f"only {seen.drafts} drafts, {FEW_DRAFTS} are due for a sharp check of the acceptance length"]
    return []


def _off_golden(golden: float, seen: Acceptance) -> list[str]:
    if seen.length is None:
        return [f"the server verified no draft, and acceptance length {golden:g} is due"]
    error = schedule_error(golden, seen.draws)
    allowed = max(MAX_DEVIATION * golden, MAX_STANDARD_ERRORS * error)
    reasons = []
    # Written so that NaN counts as off.
    if not abs(seen.length - golden) <= allowed:
        few = f", from only {seen.drafts} drafts" if seen.drafts < FEW_DRAFTS else ""
        reasons.append(
            f"acceptance length {seen.length:.3f} was measured{few}, {golden:g} is due and {allowed:.3f} off is allowed"
        )
    reasons += _off_schedule(golden, seen)
    return reasons


def _off_schedule(golden: float, seen: Acceptance) -> list[str]:
    """The engines spend a length on the earliest positions; the same mean by other rates is another workload."""
    if not seen.rates:
        return []
    due = schedule(golden, len(seen.rates))
    for position, (rate, expected) in enumerate(zip(seen.rates, due, strict=True), 1):
        spread = math.sqrt(expected * (1 - expected) / seen.draws) if seen.draws else math.inf
        if not abs(rate - expected) <= max(MAX_DEVIATION * golden, MAX_STANDARD_ERRORS * spread):
            return [
                f"draft token {position} was accepted in {rate:.3f} of steps, {expected:.2f} is due "
                f"(rates by position {_shown(seen.rates)}, {_shown(due)} are due)"
            ]
    return []


def _shown(rates: list[float] | None) -> str:
    return ", ".join(f"{rate:.3g}" for rate in rates or [])
