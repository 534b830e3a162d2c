"""Payloads as GitHub sends them, and as nobody should."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.errors import InputError
from sweepgate.plan.decide import decide
from sweepgate.plan.event import parse_event, read_event

SHA = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = {"full_name": "o/r", "default_branch": "main", "id": 1}
SENDER = {"login": "someone", "type": "User"}
PULL: dict[str, Any] = {
    "action": "labeled",
    "number": 7,
    "label": {"name": "sweep-enabled", "color": "fff"},
    "sender": SENDER,
    "repository": REPOSITORY,
    "pull_request": {
        "number": 7,
        "state": "open",
        "draft": False,
        "mergeable": None,
        "mergeable_state": "unknown",
        "labels": [{"name": "sweep-enabled"}, {"name": "x"}],
        "head": {"sha": SHA, "ref": "b", "repo": {"full_name": "o/r"}},
        "base": {"sha": SHA, "ref": "main", "repo": {"full_name": "o/r"}},
        "user": {"login": "someone"},
    },
}
PUSH = {"ref": "refs/heads/main", "before": SHA, "after": SHA, "repository": REPOSITORY, "sender": SENDER}
DISPATCH = {"ref": "refs/heads/main", "inputs": {"keys": "a"}, "repository": REPOSITORY, "sender": SENDER}
COMMENT = {
    "action": "created",
    "issue": {"number": 7, "pull_request": {"url": "https://x"}},
    "comment": {"body": "/reuse-sweep-run"},
    "repository": REPOSITORY,
    "sender": SENDER,
}
PAYLOADS = {"pull_request": PULL, "push": PUSH, "workflow_dispatch": DISPATCH, "issue_comment": COMMENT}


def changed(payload: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    copied: dict[str, Any] = copy.deepcopy(payload)
    target = copied
    *parents, last = path.split(".")
    for name in parents:
        target = target[name]
    target[last] = value
    return copied


@pytest.mark.parametrize("name", PAYLOADS)
def test_events_are_known_with_and_without_their_name(name: str) -> None:
    assert parse_event(PAYLOADS[name], name) == parse_event(PAYLOADS[name])
    assert parse_event(PAYLOADS[name]).name == name
    assert parse_event(PAYLOADS[name]).sender == "someone"


@pytest.mark.parametrize(
    ("path", "value", "fact", "expected"),
    [
        ("pull_request.draft", True, "draft", True),
        ("pull_request.head.repo", {"full_name": "stranger/r"}, "fork", True),
        ("pull_request.head.repo", None, "fork", True),
        ("pull_request.mergeable", False, "conflict", True),
        ("pull_request.mergeable", True, "conflict", False),
        ("pull_request.mergeable_state", "dirty", "conflict", True),
        ("pull_request.state", "closed", "is_open", False),
        ("label", None, "label", None),
    ],
)
def test_facts_of_a_pull_request(path: str, value: Any, fact: str, expected: Any) -> None:
    assert getattr(parse_event(changed(PULL, path, value)), fact) == expected


def test_pull_request_target_is_a_pull_request() -> None:
    assert parse_event(PULL, "pull_request_target").name == "pull_request"


def test_a_push_elsewhere() -> None:
    assert parse_event(PUSH).on_default_branch
    assert not parse_event({**PUSH, "ref": "refs/heads/x"}).on_default_branch


@pytest.mark.parametrize(
    ("payload", "name", "message"),
    [
        ([], None, "not an object"),
        ({}, None, "no event that can start a sweep"),
        (PULL, "schedule", "no event that can start a sweep"),
        (changed(PULL, "pull_request.head.sha", "main; rm -rf /"), None, "pull_request.head.sha"),
        (changed(PULL, "pull_request.labels", [{"name": 1}]), None, "pull_request.labels[0].name"),
        (changed(PULL, "pull_request.number", True), None, "pull_request.number"),
        (changed(PULL, "sender", None), None, "sender"),
        (changed(DISPATCH, "inputs", {"keys": 3}), None, "inputs.keys"),
    ],
)
def test_what_is_wrong_is_named(payload: Any, name: str | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_event(payload, name)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "nul", "[" * 100_000, "\udcff".encode(errors="surrogateescape")])
def test_files_that_are_no_payload(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError):
        read_event(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [path for key in keys for path in [(*prefix, key), *paths(value[key], (*prefix, key))]]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_no_payload_ends_in_anything_but_a_decision_or_an_input_error(data: st.DataObject) -> None:
    payload: Any = copy.deepcopy(data.draw(st.sampled_from([*PAYLOADS.values(), {}])))
    for _ in range(data.draw(st.integers(0, 3))):
        options = paths(payload)
        if not options:
            break
        *parents, last = data.draw(st.sampled_from(options))
        target = payload
        for key in parents:
            target = target[key]
        if data.draw(st.booleans()):
            target[last] = data.draw(JSON)
        else:
            del target[last]
    if data.draw(st.booleans()):
        payload = data.draw(JSON)
    name = data.draw(st.sampled_from([None, *PAYLOADS, "x"]))
    with suppress(InputError):
        assert decide(parse_event(json.loads(json.dumps(payload)), name)).verdict in ("run", "stop", "skip")
