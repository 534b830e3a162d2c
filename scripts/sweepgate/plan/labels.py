"""The labels of a pull request, and the kind of sweep that they ask for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sweepgate.errors import InputError, Problem
from sweepgate.plan.plan import Mode

FAIL_FAST = "full-sweep-fail-fast"
KEEP_GOING = "full-sweep-enabled"
TRIMMED = "sweep-enabled"
PRIMARY = (FAIL_FAST, KEEP_GOING, TRIMMED)

ALL_EVALS = "all-evals"
EVALS_ONLY = "evals-only"
NO_CANARY = "no-canary"
FAST_AGENTIC = "agentx-fast"
MODIFIERS = (ALL_EVALS, EVALS_ONLY, NO_CANARY, FAST_AGENTIC)
SWEEP_LABELS = frozenset((*PRIMARY, *MODIFIERS))

# The profile of `agentx-fast`: replays are cut to 20 minutes.
FAST_AGENTIC_SECONDS = 1200


@dataclass(frozen=True)
class SweepKind:
    """What the labels ask for.

    `trimmed` keeps the lowest concurrency of each topology; `throughput` is off for evals only; `every_eval` evaluates
    all rows that can be; `duration` (seconds) cuts agentic replays.
    """

    fail_fast: bool = False
    trimmed: bool = False
    throughput: bool = True
    every_eval: bool = False
    canary: bool = True
    duration: int | None = None

    @property
    def mode(self) -> Mode:
        """The name under which results are filed: only `full` may be reused as a full sweep."""
        if not self.throughput:
            return "evals-only"
        if self.trimmed:
            return "trimmed"
        return "fast" if self.duration is not None else "full"


def primary_of(labels: Collection[str]) -> str | None:
    """Return the one primary label, None without. Raises InputError that names both when there are two."""
    found = [label for label in PRIMARY if label in labels]
    if len(found) > 1:
        hint = f"keep one; {FAIL_FAST} is recommended"
        raise InputError(Problem("more than one sweep label", key="labels", found=" and ".join(found), hint=hint))
    return found[0] if found else None


def sweep_kind(labels: Collection[str]) -> SweepKind:
    """Return what a set of labels with a primary asks for."""
    primary = primary_of(labels)
    return SweepKind(
        fail_fast=primary == FAIL_FAST,
        trimmed=primary == TRIMMED,
        throughput=EVALS_ONLY not in labels,
        every_eval=ALL_EVALS in labels,
        canary=NO_CANARY not in labels,
        duration=FAST_AGENTIC_SECONDS if FAST_AGENTIC in labels else None,
    )
