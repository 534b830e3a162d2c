"""Statistics and result rows: names, units, and what each number is divided by."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_validity import FIXED, GOOD, measured

from sweepgate.matrix.row import Row
from sweepgate.measure.client_load import CpuSample
from sweepgate.measure.records import Measurement
from sweepgate.results.build import Observed, PointId, build_row
from sweepgate.results.row import LATENCIES, MULTI_NODE_FIELDS, SINGLE_NODE_FIELDS, STATISTICS
from sweepgate.results.statistics import latency_statistics

POINT = PointId("job", 2, "f" * 64)


def observed(measurement: Measurement) -> Observed:
    return Observed(measurement, {"output_tokens": 240.0}, [CpuSample(9.0, 0.0), CpuSample(12.0, 3.0)], 0.0)


def build(row: Row, measurement: Measurement) -> dict[str, Any]:
    built, reasons = build_row(row, POINT, observed(measurement))
    assert reasons == []
    assert built is not None
    return built


def test_a_single_node_row() -> None:
    row = build(FIXED.model_copy(update={"tp": 4, "pp": 2}), measured())
    assert row["num_gpu"] == 8
    # 20 requests of 90 tokens in and 10 out, in 10 s, on 8 GPUs.
    assert row["input_tput_per_gpu"] == pytest.approx(22.5)
    assert row["output_tput_per_gpu"] == pytest.approx(2.5)
    assert row["tput_per_gpu"] == pytest.approx(25.0)
    assert (row["median_ttft"], row["median_tpot"], row["median_e2el"]) == pytest.approx((0.1, 0.1, 1.0))
    assert row["median_intvty"] == pytest.approx(10.0)
    assert (row["golden_al"], row["measured_al"], row["power"]) == (None, None, None)
    assert row["client"]["version"] == "0.13.0"
    assert {f"{s}_{latency}" for s in STATISTICS for latency in LATENCIES} <= set(row)
    assert not MULTI_NODE_FIELDS & set(row)


def test_pools_are_divided_by_their_own_gpus() -> None:
    pools = {
        "tp": None,
        "disagg": True,
        "prefill": FIXED_WORKER.model_copy(update={"num_worker": 1}),
        "decode": FIXED_WORKER.model_copy(update={"num_worker": 3}),
    }
    row = build(FIXED.model_copy(update=pools), measured())
    assert (row["num_prefill_gpu"], row["num_decode_gpu"], row["num_gpu"]) == (4, 12, 16)
    assert row["input_tput_per_gpu"] == pytest.approx(180 / 4)
    assert row["output_tput_per_gpu"] == pytest.approx(20 / 12)
    assert row["tput_per_gpu"] == pytest.approx(200 / 16)
    assert not SINGLE_NODE_FIELDS & set(row)


def _worker() -> Any:
    from sweepgate.config.catalogue import Worker

    return Worker.model_validate({"num-worker": 1, "tp": 4})


FIXED_WORKER = _worker()


@pytest.mark.parametrize(
    "change", [{"ttft": float("nan")}, {"ttft": -1.0}, {"tpot": float("inf")}, {"tpot": None, "gaps": []}]
)
def test_a_row_that_cannot_be_written_is_none_with_a_reason(change: dict[str, Any]) -> None:
    spoilt = [dataclasses.replace(GOOD, **change)] * 20
    row, reasons = build_row(FIXED, POINT, observed(measured(spoilt)))
    assert row is None
    assert reasons


def test_statistics_of_known_samples() -> None:
    requests = [dataclasses.replace(GOOD, ttft=value / 100) for value in range(1, 101)]
    found = latency_statistics(requests)
    assert found["mean_ttft"] == pytest.approx(0.505)
    assert found["median_ttft"] == pytest.approx(0.505)
    assert found["p90_ttft"] == pytest.approx(0.901)
    assert found["p99_ttft"] == pytest.approx(0.9901)
    assert found["p99.9_ttft"] == pytest.approx(0.99901)
    assert found["std_ttft"] == pytest.approx(0.2886607)


def test_interactivity_is_the_slow_tail_of_tpot() -> None:
    requests = [dataclasses.replace(GOOD, tpot=value / 1000) for value in range(1, 101)]
    found = latency_statistics(requests)
    assert found["p99_intvty"] == pytest.approx(1 / found["p99_tpot"])
    assert found["p99_intvty"] < found["median_intvty"]
    assert found["mean_intvty"] == pytest.approx(1 / found["mean_tpot"])


TIMES = st.floats(min_value=1e-4, max_value=1e3)


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=30))
def test_statistics_are_finite_and_ordered(values: list[tuple[float, float]]) -> None:
    requests = [dataclasses.replace(GOOD, ttft=ttft, tpot=tpot, gaps=[tpot]) for ttft, tpot in values]
    found = latency_statistics(requests)
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    for latency in ("ttft", "tpot", "itl", "e2el"):
        ordered = [found[f"{name}_{latency}"] for name in ("median", "p90", "p99", "p99.9")]
        assert ordered == sorted(ordered)
    assert found["median_intvty"] >= found["p99_intvty"]
