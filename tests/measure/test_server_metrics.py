"""The server's counters."""

from __future__ import annotations

import pytest

from sweepgate.measure.server_metrics import CounterResetError, increase, totals

PAGE = """\
# HELP vllm:generation_tokens_total Generated tokens.
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} 100.0
vllm:generation_tokens_total{engine="1",model_name="m"} 50.0
# TYPE vllm:generation_tokens_created gauge
vllm:generation_tokens_created{engine="0"} 1.7e9
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running 3.0
# TYPE ttft histogram
ttft_bucket{le="1.0"} 2.0
ttft_bucket{le="+Inf"} 4.0
ttft_count 4.0
ttft_sum 8.0
"""


def test_counters_are_summed_over_labels_and_pages() -> None:
    found = totals([PAGE, PAGE])
    assert found == {"vllm:generation_tokens_total": 300.0, "ttft_count": 8.0, "ttft_sum": 16.0}


COUNTERS = {"output_tokens": ("a_total", "b_total")}


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        ({"a_total": 1.0}, {"a_total": 4.0}, {"output_tokens": 3.0}),
        ({}, {"b_total": 4.0}, {"output_tokens": 4.0}),
        ({"a_total": 1.0, "b_total": 9.0}, {"a_total": 2.0, "b_total": 99.0}, {"output_tokens": 1.0}),
        ({}, {"c_total": 4.0}, {}),
    ],
)
def test_increase(before: dict[str, float], after: dict[str, float], grown: dict[str, float]) -> None:
    assert increase(before, after, COUNTERS) == grown


def test_a_counter_that_fell_means_a_restart() -> None:
    with pytest.raises(CounterResetError, match="a_total fell from 5 to 2"):
        increase({"a_total": 5.0}, {"a_total": 2.0}, COUNTERS)


def test_a_page_that_is_not_metrics() -> None:
    with pytest.raises(ValueError, match="html"):
        totals(["<html>not found</html>"])
