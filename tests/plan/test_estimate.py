"""What a plan costs and how long it takes; which job goes first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from histories import two_jobs
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.config.fleets import Fleets, Planning
from sweepgate.errors import InputError
from sweepgate.plan.estimate import Pool, estimate, makespan, read_pools, timed
from sweepgate.plan.order import canary_of, ordered


@given(st.lists(st.floats(1, 10_000), min_size=1, max_size=40), st.integers(1, 12))
@settings(deadline=None)
def test_makespan_bounds(seconds: list[float], runners: int) -> None:
    found = makespan(sorted(seconds, reverse=True), runners)
    lower = max(max(seconds), sum(seconds) / runners)
    # Longest first is within 4/3 of the best schedule (Graham 1969), which is never below the lower bound.
    assert lower * (1 - 1e-9) <= found <= lower * 4 / 3 + max(seconds)


def test_an_estimate_adds_up() -> None:
    planning = {"cluster:local": Planning(startup_seconds=100, point_seconds=50, usd_per_gpu_hour=2.0)}
    fleets = Fleets(labels={"cluster:local": ["a", "b"]}, planning=planning)
    one, two = two_jobs()
    jobs = ordered(timed([one, two], fleets, {(one.id, 1): 350.0}))
    assert [job.seconds for job in jobs] == [350.0, 150.0]
    cost = estimate(jobs, fleets, {(one.id, 1): 350.0})
    assert (cost.points, cost.recorded, cost.wall_seconds) == (2, 1, 350.0)
    assert cost.gpu_hours == pytest.approx(500 / 3600)
    assert cost.usd == pytest.approx(1000 / 3600)
    busy = estimate(jobs, fleets, {}, {"cluster:local": Pool(free=1, busy=1, offline=0)})
    assert busy.wall_seconds == 350.0
    down = estimate(jobs, fleets, {}, {"cluster:local": Pool(free=0, busy=0, offline=2)})
    assert down.wall_seconds is None
    assert down.pools[0].pool is not None
    assert down.pools[0].pool.down


def test_pools_from_githubs_list(tmp_path: Path) -> None:
    path = tmp_path / "runners.json"
    states = [("a", "online", True), ("b", "online", False), ("c", "offline", False)]
    runners = [{"id": 1, "name": name, "status": status, "busy": busy} for name, status, busy in states]
    path.write_text(json.dumps({"total_count": 3, "runners": runners}))
    fleets = Fleets(labels={"x": ["a", "b", "c", "never-seen"], "y": ["c"]})
    assert read_pools(path, fleets) == {"x": Pool(1, 1, 2), "y": Pool(0, 0, 1)}
    path.write_text("[]")
    with pytest.raises(InputError):
        read_pools(path, fleets)


def test_the_canary_is_the_smallest_throughput_job() -> None:
    one, two = two_jobs()
    large = two.model_copy(update={"row": two.row.model_copy(update={"tp": 8})})
    evaluating = one.model_copy(update={"kind": "eval"})
    assert canary_of([large, one]) == one
    assert canary_of([evaluating, large]) == large
    assert canary_of([evaluating]) is None
