"""Event → run, stop or skip: the whole rule for what starts a sweep, without any input or output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sweepgate.errors import InputError, Problem
from sweepgate.plan.event import Event
from sweepgate.plan.labels import (
    FAIL_FAST,
    KEEP_GOING,
    MODIFIERS,
    PRIMARY,
    SWEEP_LABELS,
    SweepKind,
    primary_of,
    sweep_kind,
)

Verdict = Literal["run", "stop", "skip"]
# Actions after which the head is new or newly ready: the labels that are there count again.
_NEW_HEAD = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_DISPATCH_INPUTS = ("keys", "mode", "modifiers")


@dataclass(frozen=True)
class Decision:
    """What to do and why, in words for the summary.

    `keys` are patterns of entries to run in full; empty means the points that the change affects.
    """

    verdict: Verdict
    reason: str
    kind: SweepKind = field(default_factory=SweepKind)
    keys: tuple[str, ...] = ()


def decide(event: Event, approved_sha: str | None = None) -> Decision:
    """Return what `event` makes happen. `approved_sha` is the fork's head that a user with write access approved.

    Raises InputError for two primary labels and for dispatch inputs that make no sense.
    """
    if event.name == "pull_request":
        return _pull_request(event, approved_sha)
    if event.name == "push":
        return _push(event)
    if event.name == "workflow_dispatch":
        return _dispatch(event)
    return Decision("skip", "a comment starts no sweep; labels do")


def _pull_request(event: Event, approved_sha: str | None) -> Decision:
    if not event.is_open:
        return Decision("stop", "the pull request is closed")
    removed = event.action == "unlabeled"
    if event.action in ("labeled", "unlabeled"):
        if event.label not in SWEEP_LABELS:
            return Decision("skip", "the changed label has nothing to do with sweeps")
    elif event.action == "converted_to_draft":
        return Decision("stop", "the pull request became a draft")
    elif event.action not in _NEW_HEAD:
        return Decision("skip", f"{event.action or 'this action'} changes nothing that a sweep depends on")
    primary = primary_of(event.labels)
    if primary is None:
        if removed and event.label in PRIMARY:
            return Decision("stop", f"the label {event.label} was removed")
        return Decision("skip", _no_primary(event))
    blocked = _blocked(event, approved_sha)
    if blocked is not None:
        return Decision("skip", blocked)
    return Decision("run", _label_words(event, primary), sweep_kind(event.labels))


def _no_primary(event: Event) -> str:
    modifiers = [label for label in MODIFIERS if label in event.labels]
    if modifiers:
        return f"{' and '.join(modifiers)} only changes how a sweep runs; add {FAIL_FAST} to start one"
    return f"no sweep label; add {FAIL_FAST} (recommended) or {KEEP_GOING} to start one"


def _blocked(event: Event, approved_sha: str | None) -> str | None:
    if event.draft:
        return "the pull request is a draft; mark it ready for review to start its sweep"
    if event.conflict:
        return "the pull request conflicts with its base; merge or rebase, and the sweep starts by itself"
    if event.fork and (approved_sha is None or approved_sha != event.head_sha):
        head = (event.head_sha or "")[:12]
        return f"a fork's commit runs only after a user with write access has approved exactly this one ({head})"
    return None


def _label_words(event: Event, primary: str) -> str:
    modifiers = [label for label in MODIFIERS if label in event.labels]
    return " with ".join([f"label {primary}", *([", ".join(modifiers)] if modifiers else [])])


def _push(event: Event) -> Decision:
    if event.deleted or not event.on_default_branch:
        return Decision("skip", "only pushes to the default branch are swept; pull requests are by label")
    return Decision("run", "push to the default branch", SweepKind(fail_fast=False))


def _dispatch(event: Event) -> Decision:
    unknown = [name for name in event.inputs if name not in _DISPATCH_INPUTS]
    if unknown:
        raise InputError(
            Problem("unknown input", key="inputs", found=", ".join(unknown), allowed=", ".join(_DISPATCH_INPUTS))
        )
    primary = event.inputs.get("mode", "").strip() or FAIL_FAST
    modifiers = event.inputs.get("modifiers", "").replace(",", " ").split()
    for name, value, allowed in (("mode", [primary], PRIMARY), ("modifiers", modifiers, MODIFIERS)):
        wrong = [item for item in value if item not in allowed]
        if wrong:
            raise InputError(
                Problem("is not allowed", key=f"inputs.{name}", found=" ".join(wrong), allowed=", ".join(allowed))
            )
    keys = tuple(event.inputs.get("keys", "").replace(",", " ").split())
    return Decision("run", "started by hand", sweep_kind({primary, *modifiers}), keys)
