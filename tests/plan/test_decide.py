"""Event → run, stop or skip: every label combination × action × draft × fork × conflict."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sweepgate.errors import InputError
from sweepgate.plan.decide import decide
from sweepgate.plan.event import Event
from sweepgate.plan.labels import MODIFIERS, PRIMARY, SWEEP_LABELS, sweep_kind

SHA = "a" * 40
ACTIONS = ("opened", "reopened", "synchronize", "ready_for_review", "labeled", "unlabeled", "edited", "assigned")
NEW_HEAD = ACTIONS[:4]


def pull(**facts: Any) -> Event:
    return Event(**{"name": "pull_request", "action": "labeled", "number": 1, "head_sha": SHA, **facts})


def subsets(items: tuple[str, ...]) -> list[frozenset[str]]:
    return [frozenset(found) for size in range(len(items) + 1) for found in itertools.combinations(items, size)]


def expected(event: Event, approved: str | None) -> str:
    """The rule in the words of the README, written a second time."""
    if event.action not in (*NEW_HEAD, "labeled", "unlabeled"):
        return "skip"
    if event.action in ("labeled", "unlabeled") and event.label not in SWEEP_LABELS:
        return "skip"
    primaries = event.labels & set(PRIMARY)
    if len(primaries) > 1:
        return "error"
    if not primaries:
        return "stop" if event.action == "unlabeled" and event.label in PRIMARY else "skip"
    if event.draft or event.conflict or (event.fork and approved != event.head_sha):
        return "skip"
    return "run"


def verdict(event: Event, approved: str | None) -> str:
    try:
        return decide(event, approved).verdict
    except InputError:
        return "error"


def test_every_combination() -> None:
    seen = {"run": 0, "stop": 0, "skip": 0, "error": 0}
    changed = ("bug", "full-sweep-fail-fast", "sweep-enabled", "all-evals")
    states = list(itertools.product((False, True), (False, True), (None, False, True), (None, SHA, "b" * 40)))
    for labels in subsets((*PRIMARY, *MODIFIERS, "bug")):
        for action in ACTIONS:
            for label in changed if action in ("labeled", "unlabeled") else (None,):
                for draft, fork, conflict, approved in states:
                    event = pull(action=action, labels=labels, label=label, draft=draft, fork=fork, conflict=conflict)
                    found = verdict(event, approved)
                    assert found == expected(event, approved), event
                    seen[found] += 1
    assert min(seen.values()) > 100, seen


@pytest.mark.parametrize(
    ("labels", "mode", "fail_fast", "canary", "throughput", "every_eval", "duration"),
    [
        ({"full-sweep-fail-fast"}, "full", True, True, True, False, None),
        ({"full-sweep-enabled"}, "full", False, True, True, False, None),
        ({"sweep-enabled"}, "trimmed", False, True, True, False, None),
        ({"full-sweep-fail-fast", "no-canary"}, "full", True, False, True, False, None),
        ({"full-sweep-fail-fast", "evals-only"}, "evals-only", True, True, False, False, None),
        ({"full-sweep-enabled", "all-evals"}, "full", False, True, True, True, None),
        ({"full-sweep-enabled", "all-evals", "evals-only"}, "evals-only", False, True, False, True, None),
        ({"full-sweep-fail-fast", "agentx-fast"}, "fast", True, True, True, False, 1200),
        ({"sweep-enabled", "agentx-fast"}, "trimmed", False, True, True, False, 1200),
    ],
)
def test_modes(
    labels: set[str], mode: str, fail_fast: bool, canary: bool, throughput: bool, every_eval: bool, duration: int | None
) -> None:
    kind = sweep_kind(labels)
    found = (kind.mode, kind.fail_fast, kind.canary, kind.throughput, kind.every_eval, kind.duration)
    assert found == (mode, fail_fast, canary, throughput, every_eval, duration)
    assert decide(pull(labels=frozenset(labels), label="all-evals")).kind == kind


def test_two_primaries_are_both_named() -> None:
    with pytest.raises(InputError, match="full-sweep-fail-fast and sweep-enabled"):
        decide(pull(labels=frozenset({"sweep-enabled", "full-sweep-fail-fast"}), label="sweep-enabled"))


@pytest.mark.parametrize(
    ("event", "verdict", "reason"),
    [
        (Event("push", on_default_branch=True, head_sha=SHA), "run", "push to the default branch"),
        (Event("push", on_default_branch=False, head_sha=SHA), "skip", "only pushes to the default branch"),
        (Event("push", on_default_branch=True, deleted=True), "skip", "only pushes"),
        (Event("issue_comment", "created", number=3), "skip", "a comment starts no sweep"),
        (pull(action="closed", is_open=False, labels=frozenset({"sweep-enabled"})), "stop", "is closed"),
        (pull(action="converted_to_draft", draft=True), "stop", "became a draft"),
        (pull(labels=frozenset({"all-evals"}), label="all-evals"), "skip", "all-evals only changes how"),
        (pull(action="opened"), "skip", "no sweep label; add full-sweep-fail-fast"),
        (pull(label="sweep-enabled", labels=frozenset({"sweep-enabled"}), draft=True), "skip", "is a draft"),
        (pull(label="sweep-enabled", labels=frozenset({"sweep-enabled"}), conflict=True), "skip", "conflicts with"),
        (pull(label="sweep-enabled", labels=frozenset({"sweep-enabled"}), fork=True), "skip", "exactly this one (aaaa"),
    ],
)
def test_reasons(event: Event, verdict: str, reason: str) -> None:
    found = decide(event)
    assert found.verdict == verdict
    assert reason in found.reason.en


def test_started_by_hand() -> None:
    inputs = {"keys": "a-*, b", "mode": "full-sweep-enabled", "modifiers": "no-canary agentx-fast"}
    found = decide(Event("workflow_dispatch", inputs=inputs))
    assert (found.verdict, found.keys, found.kind.mode, found.kind.canary) == ("run", ("a-*", "b"), "fast", False)
    assert decide(Event("workflow_dispatch")).kind.fail_fast


@pytest.mark.parametrize(
    "inputs", [{"mode": "all-evals"}, {"modifiers": "sweep-enabled"}, {"color": "red"}, {"mode": "$(id)"}]
)
def test_hand_inputs_that_make_no_sense(inputs: dict[str, str]) -> None:
    with pytest.raises(InputError, match="allowed"):
        decide(Event("workflow_dispatch", inputs=inputs))
