"""Whether a sweep may start beside those that others run: shares, and the same points asked for twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from sweepgate.bilingual import Bilingual
from sweepgate.config.fleets import Limits
from sweepgate.config.model import Strict, parse
from sweepgate.files import read_json
from sweepgate.plan.labels import TRIMMED
from sweepgate.plan.plan import Plan

WINDOW = timedelta(hours=24)


class ActiveSweep(Strict):
    """A sweep that runs or ran: who asked for it, what it was expected to cost, and its points."""

    run_id: int
    url: Annotated[str, Field(pattern=r"^https://[A-Za-z0-9._~:/-]+$")]
    requester: str
    pull_request: int | None = None
    status: Literal["queued", "running", "passed", "failed", "cancelled"]
    started: AwareDatetime = Field(strict=False)
    gpu_hours: float
    fingerprints: list[str]

    @property
    def is_open(self) -> bool:
        """Whether it still holds or waits for runners."""
        return self.status in ("queued", "running")


class _ActiveSweeps(Strict):
    sweeps: list[ActiveSweep]


@dataclass(frozen=True)
class Admission:
    """`refusal` says why the plan may not start; `note` what is worth knowing although it may."""

    refusal: Bilingual | None = None
    note: Bilingual | None = None


def admit(
    plan: Plan,
    gpu_hours: float,
    requester: str,
    pull_request: int | None,
    limits: Limits,
    sweeps: Sequence[ActiveSweep],
    now: datetime,
) -> Admission:
    """Compare a plan with the sweeps of the last day.

    Earlier sweeps of the same pull request do not count: this one replaces them. Equal points are looked for only when
    the plan is a pull request's; a sweep started by hand is meant.
    """
    others = [sweep for sweep in sweeps if pull_request is None or sweep.pull_request != pull_request]
    mine = [sweep for sweep in others if sweep.requester == requester]
    wanted = {fingerprint for job in plan.jobs for fingerprint in job.fingerprints.values()}
    refusals = (
        None if pull_request is None else _duplicate(wanted, others),
        _too_many(requester, [sweep for sweep in mine if sweep.is_open], limits.concurrent_sweeps),
        _too_much(requester, [s for s in mine if s.started > now - WINDOW], gpu_hours, limits.gpu_hours_per_day),
    )
    refusal = next((found for found in refusals if found is not None), None)
    return Admission(refusal, None if refusal is not None else _overlap(wanted, others))


def _duplicate(wanted: Collection[str], others: Sequence[ActiveSweep]) -> Bilingual | None:
    for sweep in others:
        if wanted and sweep.status in ("queued", "running", "passed") and set(wanted) <= set(sweep.fingerprints):
            return Bilingual(
                f"the same points are in the {sweep.status} sweep of {_place(sweep)}; wait for it or reuse it",
                f"相同的点已包含在 {_place(sweep)} 的扫描中；请等待其完成或复用其结果",
            )
    return None


def _too_many(requester: str, running: Sequence[ActiveSweep], allowed: int | None) -> Bilingual | None:
    if allowed is None or len(running) < allowed:
        return None
    listed = ", ".join(_place(sweep) for sweep in running)
    return Bilingual(
        f"{requester} has {len(running)} sweeps of at most {allowed}: {listed}; wait for one to end, or cancel one",
        f"{requester} 已有 {len(running)} 次扫描，上限为 {allowed}：{listed}；请等待其中之一结束或将其取消",
    )


def _too_much(
    requester: str, today: Sequence[ActiveSweep], gpu_hours: float, allowed: float | None
) -> Bilingual | None:
    used = sum(sweep.gpu_hours for sweep in today)
    if allowed is None or used + gpu_hours <= allowed:
        return None
    return Bilingual(
        f"{requester} asked for {used:.1f} GPU-hours in 24 h; this sweep's {gpu_hours:.1f} would pass the limit of "
        f"{allowed:g}; wait, or start a smaller one with {TRIMMED}",
        f"{requester} 在 24 小时内已申请 {used:.1f} GPU 小时；加上本次的 {gpu_hours:.1f} 将超过上限 {allowed:g}；"
        f"请稍后再试，或用 {TRIMMED} 启动较小的扫描",
    )


def _overlap(wanted: Collection[str], others: Sequence[ActiveSweep]) -> Bilingual | None:
    shared = [(len(set(wanted) & set(sweep.fingerprints)), sweep) for sweep in others if sweep.is_open]
    count, most = max(shared, key=lambda item: item[0], default=(0, None))
    if most is None or not count:
        return None
    return Bilingual(
        f"{count:,} of {len(wanted):,} points are also in the {most.status} sweep of {_place(most)}",
        f"{len(wanted):,} 个点中有 {count:,} 个也在 {_place(most)} 的扫描中",
    )


def _place(sweep: ActiveSweep) -> str:
    return sweep.url if sweep.pull_request is None else f"#{sweep.pull_request} ({sweep.url})"


def read_sweeps(path: Path) -> list[ActiveSweep]:
    """Return the sweeps listed in a file. Raises InputError for another kind of file."""
    return parse(_ActiveSweeps, read_json(path, "list of sweeps"), path).sweeps


def utc_now() -> datetime:
    """Return the present time, with its zone."""
    return datetime.now(UTC)
