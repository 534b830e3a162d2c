"""Shares of requesters, and the same points asked for twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from histories import NOW, History, active, two_jobs
from pydantic import ValidationError

from sweepgate.config.fleets import Limits
from sweepgate.plan.admission import ActiveSweep, admit
from sweepgate.plan.plan import Plan
from sweepgate.plan.sweep_plan import Knowledge

LIMITS = Limits(concurrent_sweeps=2, gpu_hours_per_day=100.0)


@pytest.mark.parametrize(
    ("sweeps", "gpu_hours", "reason"),
    [
        ([], 50.0, None),
        ([], 101.0, "would pass the limit"),
        ([active(), active()], 1.0, "me has 2 sweeps of at most 2"),
        ([active(status="passed"), active()], 1.0, None),
        ([active(requester="you"), active()], 1.0, None),
        ([active(**{"pull-request": 7}), active()], 1.0, None),
        ([active(**{"gpu-hours": 95.0, "status": "failed"})], 6.0, "would pass the limit of 100"),
        ([active(**{"gpu-hours": 95.0, "started": (NOW - timedelta(hours=25)).isoformat()})], 6.0, None),
        ([active(fingerprints=["ALL"], requester="you")], 1.0, "the same points are in the running sweep of #3"),
        ([active(fingerprints=["ALL"], requester="you", status="cancelled")], 1.0, None),
    ],
)
def test_admission(sweeps: list[ActiveSweep], gpu_hours: float, reason: str | None) -> None:
    jobs = two_jobs()
    everything = [value for job in jobs for value in job.fingerprints.values()]
    sweeps = [s.model_copy(update={"fingerprints": everything}) if s.fingerprints == ["ALL"] else s for s in sweeps]
    plan = Plan(commit="c", keys=[], jobs=jobs)
    answer = admit(plan, gpu_hours, "me", 7, LIMITS, sweeps, NOW)
    assert (answer.refusal is None) == (reason is None)
    assert reason is None or (answer.refusal is not None and reason in answer.refusal.en)


def test_a_partial_overlap_is_noted() -> None:
    jobs = two_jobs()
    plan = Plan(commit="c", keys=[], jobs=jobs)
    other = active(fingerprints=[jobs[0].fingerprint(jobs[0].concurrencies[0])], requester="you")
    answer = admit(plan, 1.0, "me", 7, Limits(), [other], NOW)
    assert answer.refusal is None
    assert answer.note is not None
    assert answer.note.en.startswith("1 of 2 points are also in the running sweep of #3")


def test_a_second_sweep_of_the_same_points_is_pointed_at_the_first(history: History, tmp_path: Path) -> None:
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    plan = history.outcome(tmp_path / "one").plan
    assert plan is not None
    fingerprints = [value for job in plan.jobs for value in job.fingerprints.values()]
    known = Knowledge(sweeps=[active(fingerprints=fingerprints, requester="you")])
    outcome = history.outcome(tmp_path / "two", known=known)
    assert outcome.verdict == "skip"
    assert "https://x/1" in outcome.reason.en
    assert outcome.shards == ()


@pytest.mark.parametrize("url", ["javascript:x", "http://x/1", "https://x/1 y", "https://x/)[a](b", "https://x/?a=b"])
def test_only_plain_addresses_of_sweeps(url: str) -> None:
    with pytest.raises(ValidationError):
        active(url=url)
