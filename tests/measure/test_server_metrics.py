"""The server's counters."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sweepgate.measure.server_metrics import CounterResetError, Scrape, increase, increase_by, read_pages

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


def pages(*workers: dict[str, float]) -> Scrape:
    """Return a scrape of several processes: name (with labels, if any) → value."""
    return read_pages(
        "".join(f"# TYPE {name.split('{')[0]} {kind(name)}\n{name} {value}\n" for name, value in worker.items())
        for worker in workers
    )


def kind(name: str) -> str:
    return "counter" if name.split("{")[0].endswith("_total") else "gauge"


def test_series_are_kept_apart() -> None:
    found = read_pages([PAGE, PAGE])
    assert sorted({series.name for series in found}) == [
        "ttft_count",
        "ttft_sum",
        "vllm:generation_tokens_created",
        "vllm:generation_tokens_total",
    ]
    assert {series.page for series in found} == {0, 1}


COUNTERS = {"output_tokens": ("a_total", "b_total")}


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        ([{"a_total": 1.0}], [{"a_total": 4.0}], {"output_tokens": 3.0}),
        ([{}], [{"b_total": 4.0}], {"output_tokens": 4.0}),
        ([{"a_total": 1.0, "b_total": 9.0}], [{"a_total": 2.0, "b_total": 99.0}], {"output_tokens": 1.0}),
        ([{}], [{"c_total": 4.0}], {}),
        ([{"a_total": 1.0}, {"a_total": 2.0}], [{"a_total": 4.0}, {"a_total": 6.0}], {"output_tokens": 7.0}),
        (
            [{'a_total{x="0"}': 1.0, 'a_total{x="1"}': 2.0}],
            [{'a_total{x="0"}': 2.0, 'a_total{x="1"}': 2.0, 'a_total{x="2"}': 5.0}],
            {"output_tokens": 6.0},
        ),
    ],
)
def test_increase(before: list[Any], after: list[Any], grown: dict[str, float]) -> None:
    assert increase(pages(*before), pages(*after), COUNTERS) == grown


RESETS: list[tuple[list[Any], list[Any], str]] = [
    ([{"a_total": 5.0}], [{"a_total": 2.0}], "a_total fell from 5 to 2 in process 0"),
    # The other worker grew by more than this one fell.
    ([{"a_total": 5.0}, {"a_total": 5.0}], [{"a_total": 2.0}, {"a_total": 99.0}], "fell from 5 to 2 in process 0"),
    ([{"a_total": 1.0}, {"a_total": 5.0}], [{"a_total": 2.0}, {}], "a_total is gone from process 1"),
    ([{'a_total{x="0"}': 5.0}], [{'a_total{x="0"}': 4.0, 'a_total{x="1"}': 9.0}], "process 0 (x=0)"),
    # Restarted, and already above where it was.
    (
        [{"a_total": 5.0, "process_start_time_seconds": 100.0}],
        [{"a_total": 9.0, "process_start_time_seconds": 150.0}],
        "process_start_time_seconds changed in process 0",
    ),
    ([{"a_total": 5.0, "a_created": 1.0}], [{"a_total": 9.0, "a_created": 2.0}], "a_created changed"),
]


@pytest.mark.parametrize(("before", "after", "words"), RESETS)
def test_a_restart_is_seen(before: list[Any], after: list[Any], words: str) -> None:
    with pytest.raises(CounterResetError, match=re.escape(words)):
        increase(pages(*before), pages(*after), COUNTERS)


def test_increase_by_label() -> None:
    before = pages({'p_total{engine="0",position="0"}': 1.0, 'p_total{engine="1",position="0"}': 1.0})
    after = pages(
        {
            'p_total{engine="0",position="0"}': 3.0,
            'p_total{engine="1",position="0"}': 2.0,
            'p_total{engine="0",position="1"}': 1.0,
        }
    )
    assert increase_by(before, after, "p_total", "position") == {"0": 3.0, "1": 1.0}


def test_a_page_that_is_not_metrics() -> None:
    with pytest.raises(ValueError, match="html"):
        read_pages(["<html>not found</html>"])
