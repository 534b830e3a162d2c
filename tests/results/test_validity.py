"""When a point may be believed: each bound, at its edge and over it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from sweepgate.matrix.row import Row
from sweepgate.measure.records import Measurement, Request
from sweepgate.results.validity import client_bound_reasons, invalid_reasons

FIXED = Row.model_validate(
    {
        "image": "i",
        "model": "m",
        "model-prefix": "m",
        "precision": "fp8",
        "framework": "vllm",
        "runner": "r",
        "exp-name": "e",
        "conc": 2,
        "tp": 1,
        "isl": 100,
        "osl": 10,
    }
)
AGENTIC = FIXED.model_copy(update={"isl": None, "osl": None, "scenario_type": "agentic-coding", "duration": 900})
GOOD = Request(
    start=10.0,
    end=11.0,
    ttft=0.1,
    tpot=0.1,
    gaps=[0.1] * 9,
    input_tokens=90,
    output_tokens=10,
    cached_tokens=0,
    asked_output_tokens=10.0,
    send_delay=0.001,
    session="s",
)


def measured(requests: list[Request] | None = None, **changes: Any) -> Measurement:
    requests = [GOOD] * 20 if requests is None else requests
    base = Measurement(
        requests=requests,
        errors=0,
        error_kinds={},
        duration=10.0,
        aiperf_version="0.13.0",
        complete=True,
        exported_requests=len(requests),
        submission_valid=None,
    )
    return dataclasses.replace(base, **changes)


def with_request(count: int = 1, **changes: Any) -> Measurement:
    spoilt = dataclasses.replace(GOOD, **changes)
    return measured([spoilt] * count + [GOOD] * (20 - count))


def test_a_good_point() -> None:
    assert invalid_reasons(FIXED, 2, measured(), {"output_tokens": 200.0}) == []
    assert invalid_reasons(FIXED, 2, measured(), {}) == []


CASES: dict[str, tuple[Row, Measurement, dict[str, float], str | None]] = {
    "nothing finished": (FIXED, measured([]), {}, "no request finished"),
    "everything failed": (
        FIXED,
        measured([], errors=3, error_kinds={"x 500": 3}),
        {},
        "no request finished (3 failed: 3 × x 500)",
    ),
    "cancelled": (FIXED, measured(complete=False), {}, "cancelled before it finished"),
    "records lost": (FIXED, measured(exported_requests=21), {}, "reports 21 requests but recorded 20"),
    "too few requests": (FIXED, measured([GOOD] * 19), {}, "19 of 20 requests were made"),
    "one error is one too many": (
        FIXED,
        measured([GOOD] * 19, errors=1, error_kinds={"x": 1}),
        {},
        "5.0% of requests failed, at most 0% may (1 × x)",
    ),
    "agentic, 10 % errors": (AGENTIC, measured([GOOD] * 18, errors=2, error_kinds={"x": 2}), {}, None),
    "agentic, over 10 %": (
        AGENTIC,
        measured([GOOD] * 17, errors=2, error_kinds={"x": 2}),
        {},
        "10.5% of requests failed",
    ),
    "no duration": (FIXED, measured(duration=0.0), {}, "window is 0 s long"),
    "no input tokens": (AGENTIC, with_request(20, input_tokens=0), {}, "no input tokens"),
    "an empty answer": (FIXED, with_request(output_tokens=0), {}, "1 of 20 requests have no output tokens"),
    "negative TTFT": (FIXED, with_request(ttft=-0.1), {}, "impossible TTFT, such as -0.1 s"),
    "NaN TPOT": (FIXED, with_request(tpot=float("nan")), {}, "impossible TPOT, such as nan s"),
    "infinite gap": (FIXED, with_request(gaps=[float("inf")]), {}, "impossible inter-token gap"),
    "backward in time": (FIXED, with_request(end=9.0), {}, "impossible latency"),
    "outputs 5 % short": (FIXED, with_request(20, output_tokens=19, asked_output_tokens=20.0), {}, None),
    "outputs 6 % short": (
        FIXED,
        with_request(20, output_tokens=94, asked_output_tokens=100.0),
        {},
        "outputs are -6.0% off",
    ),
    "outputs 6 % long": (
        FIXED,
        with_request(20, output_tokens=106, asked_output_tokens=100.0),
        {},
        "outputs are +6.0% off",
    ),
    "lengths unknown": (FIXED, with_request(20, asked_output_tokens=None), {}, "does not say how many output tokens"),
    "inputs too short": (
        FIXED,
        with_request(20, input_tokens=70),
        {},
        "inputs average 70 tokens, 76 to 105 are due for ISL 100",
    ),
    "inputs too long": (FIXED, with_request(20, input_tokens=106), {}, "inputs average 106 tokens"),
    "agentic inputs are free": (AGENTIC, with_request(20, input_tokens=7000), {}, None),
    "prompts repeat": (
        FIXED,
        with_request(20, cached_tokens=18),
        {},
        "20% of the random prompts were in the prefix cache",
    ),
    "agentic prompts repeat": (AGENTIC, with_request(20, cached_tokens=80), {}, None),
    "the server counted less": (
        FIXED,
        measured(),
        {"output_tokens": 189.0},
        "the server counted 189 output tokens, the client 200",
    ),
    "the server counted warm-up too": (FIXED, measured(), {"output_tokens": 240.0}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_bounds(name: str) -> None:
    row, measurement, server, expected = CASES[name]
    reasons = invalid_reasons(row, 2, measurement, server)
    if expected is None:
        assert reasons == []
    else:
        assert len(reasons) == 1
        assert expected in reasons[0]


@pytest.mark.parametrize(
    ("delay", "latency", "block", "ttft", "share", "expected"),
    [
        (0.001, 1.0, 0.0, 0.1, 0.5, []),
        (0.001, 1.0, 0.0, 0.1, None, []),
        (0.06, 1.0, 0.0, 0.1, 0.5, ["requests left 6% of their latency late"]),
        (0.001, 1.0, 0.2, 0.1, 0.5, ["the event loop was blocked for 0.200 s, longer than the median TTFT"]),
        (0.001, 1.0, 0.0, 0.1, 0.95, ["the client used 95% of all CPU cores"]),
        (0.0, 0.0, 0.1, 0.0, 0.0, []),
    ],
)
def test_client_bound(
    delay: float, latency: float, block: float, ttft: float, share: float | None, expected: list[str]
) -> None:
    assert client_bound_reasons(delay, latency, block, ttft, share) == expected
