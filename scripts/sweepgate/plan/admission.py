"""Whether a sweep may start beside those that others run: shares, and the same points asked for twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, Field

from sweepgate.config.fleets import Limits
from sweepgate.config.model import Strict, parse
from sweepgate.errors import InputError, Problem
from sweepgate.plan.plan import Plan

WINDOW = timedelta(hours=24)


class ActiveSweep(Strict):
    """A sweep that runs or ran: who asked for it, what it was expected to cost, and its points."""

    run_id: int
    url: str
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
    """Whether the plan may start; `reason` says why not, `note` what is worth knowing although it may."""

    admitted: bool
    reason: str | None = None
    note: str | None = None


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
    wanted = {fingerprint for job in plan.jobs for fingerprint in job.fingerprints.values()}
    for sweep in others if pull_request is not None else []:
        if wanted and sweep.status in ("queued", "running", "passed") and wanted <= set(sweep.fingerprints):
            return Admission(False, f"the same points are in {_shown(sweep)}; wait for it or reuse it")
    mine = [sweep for sweep in others if sweep.requester == requester]
    running = [sweep for sweep in mine if sweep.is_open]
    if limits.concurrent_sweeps is not None and len(running) >= limits.concurrent_sweeps:
        listed = ", ".join(_shown(sweep) for sweep in running)
        return Admission(
            False, f"{requester} has {len(running)} sweeps of at most {limits.concurrent_sweeps}: {listed}"
        )
    used = sum(sweep.gpu_hours for sweep in mine if sweep.started > now - WINDOW)
    if limits.gpu_hours_per_day is not None and used + gpu_hours > limits.gpu_hours_per_day:
        words = f"{requester} asked for {used:.1f} GPU-hours in 24 h; this sweep's {gpu_hours:.1f} would pass the limit"
        return Admission(False, f"{words} of {limits.gpu_hours_per_day:g}")
    shared = [(len(wanted & set(sweep.fingerprints)), sweep) for sweep in others if sweep.is_open]
    most = max(shared, key=lambda item: item[0], default=None)
    if most is not None and most[0]:
        return Admission(True, note=f"{most[0]} of {len(wanted)} points are also in {_shown(most[1])}")
    return Admission(True)


def _shown(sweep: ActiveSweep) -> str:
    where = f" of #{sweep.pull_request}" if sweep.pull_request is not None else ""
    return f"the {sweep.status} sweep{where} ({sweep.url})"


def read_sweeps(path: Path) -> list[ActiveSweep]:
    """Return the sweeps listed in a file. Raises InputError for another kind of file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(f"list of sweeps cannot be read: {error.strerror}", str(path))) from error
    except ValueError as error:
        raise InputError(Problem(f"list of sweeps is not JSON: {error}", str(path))) from error
    return parse(_ActiveSweeps, data, path).sweeps


def utc_now() -> datetime:
    """Return the present time, with its zone."""
    return datetime.now(UTC)
