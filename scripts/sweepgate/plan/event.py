"""A GitHub event payload → the few facts that a decision needs.

GitHub adds fields to its payloads at will, so unknown ones are ignored here, and only here; every field that is read is
checked. All text in it is a stranger's: it is compared and printed, never executed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sweepgate.config.model import parse
from sweepgate.errors import InputError, Problem

MAX_BYTES = 30_000_000  # GitHub's own limit is 25 MB.
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
EventName = Literal["pull_request", "push", "workflow_dispatch", "issue_comment"]
EVENT_NAMES = ("pull_request", "push", "workflow_dispatch", "issue_comment")


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Label(_Payload):
    name: str


class _User(_Payload):
    login: str


class _Repository(_Payload):
    full_name: str
    default_branch: str = "main"


class _Head(_Payload):
    sha: Sha
    ref: str
    repo: _Repository | None = None


class _PullRequest(_Payload):
    number: Annotated[int, Field(ge=1)]
    state: str = "open"
    draft: bool = False
    labels: list[_Label] = Field(default_factory=list)
    head: _Head
    base: _Head
    user: _User | None = None
    mergeable: bool | None = None
    mergeable_state: str | None = None


class _PullRequestEvent(_Payload):
    action: str
    pull_request: _PullRequest
    repository: _Repository
    label: _Label | None = None
    sender: _User


class _PushEvent(_Payload):
    ref: str
    after: Sha
    deleted: bool = False
    repository: _Repository
    sender: _User


class _DispatchEvent(_Payload):
    ref: str
    inputs: dict[str, str] | None = None
    repository: _Repository
    sender: _User


class _Issue(_Payload):
    number: Annotated[int, Field(ge=1)]
    pull_request: dict[str, Any] | None = None


class _CommentEvent(_Payload):
    action: str
    issue: _Issue
    repository: _Repository
    sender: _User


@dataclass(frozen=True)
class Event:
    """What happened. `label` is the one added or removed; `labels` are those now on the pull request.

    `conflict` is None while GitHub has not worked it out. `head_sha` is the commit that would be swept.
    """

    name: EventName
    action: str = ""
    sender: str = ""
    number: int | None = None
    is_open: bool = True
    draft: bool = False
    fork: bool = False
    conflict: bool | None = None
    label: str | None = None
    labels: frozenset[str] = frozenset()
    head_sha: str | None = None
    on_default_branch: bool = False
    deleted: bool = False
    inputs: dict[str, str] = field(default_factory=dict)


def read_event(path: Path, name: str | None = None) -> Event:
    """Return the event in a payload file. Raises InputError for anything that is not one of the events known here."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(f"event cannot be read: {error.strerror}", str(path))) from error
    if len(raw) > MAX_BYTES:
        raise InputError(Problem("event is too large", str(path), found=f"{len(raw):,} bytes"))
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"event is not JSON: {error}", str(path))) from error
    return parse_event(payload, name, path)


def parse_event(payload: Any, name: str | None = None, source: Path = Path("event")) -> Event:
    """Return the event that `payload` describes; `name` is GitHub's event name, guessed from the payload without."""
    if not isinstance(payload, dict):
        raise InputError(Problem("event is not an object", str(source), found=type(payload).__name__))
    known = name or _guess(payload)
    if known == "pull_request_target":
        known = "pull_request"
    reader = _READERS.get(known or "")
    if reader is None:
        allowed = ", ".join(EVENT_NAMES)
        raise InputError(Problem("is no event that can start a sweep", str(source), None, "event", known, allowed))
    return reader(payload, source)


def _guess(payload: dict[str, Any]) -> str | None:
    marks = (("comment", "issue_comment"), ("pull_request", "pull_request"), ("after", "push"))
    found = next((name for mark, name in marks if mark in payload), None)
    return found or ("workflow_dispatch" if "inputs" in payload or "workflow" in payload else None)


def _pull_request(payload: Any, source: Path) -> Event:
    event = parse(_PullRequestEvent, payload, source)
    pull = event.pull_request
    conflict = None if pull.mergeable is None else not pull.mergeable
    return Event(
        name="pull_request",
        action=event.action,
        sender=event.sender.login,
        number=pull.number,
        is_open=pull.state == "open",
        draft=pull.draft,
        fork=pull.head.repo is None or pull.head.repo.full_name != event.repository.full_name,
        conflict=True if pull.mergeable_state == "dirty" else conflict,
        label=event.label.name if event.label else None,
        labels=frozenset(label.name for label in pull.labels),
        head_sha=pull.head.sha,
    )


def _push(payload: Any, source: Path) -> Event:
    event = parse(_PushEvent, payload, source)
    return Event(
        name="push",
        sender=event.sender.login,
        on_default_branch=event.ref == f"refs/heads/{event.repository.default_branch}",
        deleted=event.deleted,
        head_sha=event.after,
    )


def _dispatch(payload: Any, source: Path) -> Event:
    event = parse(_DispatchEvent, payload, source)
    return Event(name="workflow_dispatch", sender=event.sender.login, inputs=event.inputs or {})


def _comment(payload: Any, source: Path) -> Event:
    event = parse(_CommentEvent, payload, source)
    number = event.issue.number if event.issue.pull_request is not None else None
    return Event(name="issue_comment", action=event.action, sender=event.sender.login, number=number)


_READERS = {"pull_request": _pull_request, "push": _push, "workflow_dispatch": _dispatch, "issue_comment": _comment}
