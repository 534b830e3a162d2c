"""Event → run, stop or skip: the whole rule for what starts a sweep, without any input or output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sweepgate.bilingual import Bilingual
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

Verdict = Literal["run", "reuse", "skip", "stop"]
# Actions after which the head is new or newly ready: the labels that are there count again.
_NEW_HEAD = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_DISPATCH_INPUTS = ("keys", "mode", "modifiers")


@dataclass(frozen=True)
class Decision:
    """What to do and why, in words for the summary. `reuse` is decided later: when a run finds nothing left to run.

    `keys` are patterns of entries to run in full; empty means the points that the change affects. `answer` is whether
    the pull request is told: not of events that nobody expects to start or stop a sweep.
    """

    verdict: Verdict
    reason: Bilingual
    kind: SweepKind = field(default_factory=SweepKind)
    keys: tuple[str, ...] = ()
    answer: bool = True


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
    return _unasked("a comment starts no sweep; labels do", "评论不会启动扫描；请使用标签")


def _unasked(en: str, zh: str) -> Decision:
    return Decision("skip", Bilingual(en, zh), answer=False)


def _pull_request(event: Event, approved_sha: str | None) -> Decision:
    if not event.is_open:
        return Decision("stop", Bilingual("the pull request is closed", "该拉取请求已关闭"))
    removed = event.action == "unlabeled"
    if event.action in ("labeled", "unlabeled"):
        if event.label not in SWEEP_LABELS:
            return _unasked("the changed label has nothing to do with sweeps", "所改标签与扫描无关")
    elif event.action == "converted_to_draft":
        return Decision("stop", Bilingual("the pull request became a draft", "该拉取请求已转为草稿"))
    elif event.action not in _NEW_HEAD:
        action = event.action or "this action"
        return _unasked(f"{action} changes nothing that a sweep depends on", f"{action} 不影响扫描")
    primary = primary_of(event.labels)
    if primary is None:
        if removed and event.label in PRIMARY:
            words = Bilingual(f"the label {event.label} was removed", f"标签 {event.label} 已被移除")
            return Decision("stop", words)
        return _no_primary(event)
    blocked = _blocked(event, approved_sha)
    if blocked is not None:
        return Decision("skip", blocked)
    return Decision("run", _label_words(event, primary), sweep_kind(event.labels))


def _no_primary(event: Event) -> Decision:
    modifiers = [label for label in MODIFIERS if label in event.labels]
    if modifiers:
        words = Bilingual(
            f"{' and '.join(modifiers)} only changes how a sweep runs; add {FAIL_FAST} to start one",
            f"{'、'.join(modifiers)} 只改变扫描方式；请添加 {FAIL_FAST} 以启动扫描",
        )
        return Decision("skip", words)
    return _unasked(
        f"no sweep label; add {FAIL_FAST} (recommended) or {KEEP_GOING} to start one",
        f"没有扫描标签；请添加 {FAIL_FAST}（推荐）或 {KEEP_GOING} 以启动扫描",
    )


def _blocked(event: Event, approved_sha: str | None) -> Bilingual | None:
    if event.draft:
        return Bilingual(
            "the pull request is a draft; mark it ready for review to start its sweep",
            "该拉取请求是草稿；标记为可评审后扫描才会启动",
        )
    if event.conflict:
        return Bilingual(
            "the pull request conflicts with its base; merge or rebase, and the sweep starts by itself",
            "该拉取请求与目标分支冲突；合并或变基后扫描会自动启动",
        )
    if event.fork and (approved_sha is None or approved_sha != event.head_sha):
        head = (event.head_sha or "")[:12]
        return Bilingual(
            f"a fork's commit runs only after a user with write access has approved exactly this one ({head})",
            f"来自复刻仓库的提交须由有写权限的用户批准这一确切提交（{head}）后才会运行",
        )
    return None


def _label_words(event: Event, primary: str) -> Bilingual:
    modifiers = ", ".join(label for label in MODIFIERS if label in event.labels)
    if not modifiers:
        return Bilingual(f"label {primary}", f"标签 {primary}")
    return Bilingual(f"label {primary} with {modifiers}", f"标签 {primary}，附加 {modifiers}")


def _push(event: Event) -> Decision:
    if event.deleted or not event.on_default_branch:
        en = "only pushes to the default branch are swept; pull requests are by label"
        return _unasked(en, "只有推送到默认分支才会扫描；拉取请求由标签启动")
    return Decision("run", Bilingual("push to the default branch", "推送到默认分支"), SweepKind(fail_fast=False))


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
    words = Bilingual("started by hand", "手动启动")
    return Decision("run", words, sweep_kind({primary, *modifiers}), keys)
