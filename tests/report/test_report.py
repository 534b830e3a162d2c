"""Reports: the same numbers everywhere, nothing hostile gets through, curves and frontiers are right."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from sweepgate.gate.verdict import Shortfall, Verdict
from sweepgate.matrix.row import Row
from sweepgate.measure.records import Measurement, Request
from sweepgate.report import figures
from sweepgate.report.html import page
from sweepgate.report.markdown import escape, summary
from sweepgate.report.pareto import frontier
from sweepgate.report.terminal import print_verdict
from sweepgate.results.build import Observed, PointId, build_row

ROW: dict[str, Any] = {
    "image": "i",
    "model": "m",
    "model-prefix": "tiny",
    "precision": "fp8",
    "framework": "vllm",
    "runner": "cluster:h100-x",
    "exp-name": "e",
    "conc": 4,
    "tp": 8,
    "ep": 1,
    "dp-attn": False,
    "isl": 100,
    "osl": 10,
}
REQUEST = Request(
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


def result(conc: int = 4, speed: float = 1.0, bound: bool = False, **row: Any) -> dict[str, Any]:
    delay = 0.5 if bound else 0.001
    requests = [dataclasses.replace(REQUEST, tpot=0.1 / speed, send_delay=delay)] * (10 * conc)
    measurement = Measurement(requests, 0, {}, 10.0, "0.13.0", True, len(requests), None)
    built, reasons = build_row(
        Row.model_validate({**ROW, "conc": conc, **row}), PointId("job", conc, "f"), Observed(measurement, {}, [], 0.0)
    )
    assert reasons == []
    assert built is not None
    return built


PASSED = Verdict(2, 2, [])


def test_the_markdown_summary_reads_top_down() -> None:
    rows = [result(8), result(4)]
    text = summary(PASSED, rows, "abc")
    lines = text.splitlines()
    assert lines[0] == "## ✅ PASS: 2 of 2 points are valid"
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 4
    assert len({line.count("|") for line in table}) == 1
    assert [line.split("|")[3].strip() for line in table[2:]] == ["4", "8"]


def test_shortfalls_are_grouped_and_counted() -> None:
    items = [Shortfall(f"job{n}", 1, "failed", ["ready: gone"]) for n in range(12)]
    text = summary(Verdict(12, 0, items), [], "abc")
    assert "## ❌ FAIL: 0 of 12 points are valid (12 failed)" in text
    assert r"**12** × failed: ready: gone" in text
    assert "`job0` at concurrency 1" in text
    assert "and 4 more" in text


HOSTILE = "<script>alert(1)</script> | [x](http://evil) @everyone **b** `c` </script>\n## no"


def test_hostile_text_stays_text() -> None:
    verdict = Verdict(1, 0, [Shortfall("job", 1, "failed", [HOSTILE])])
    markdown = summary(verdict, [], HOSTILE)
    assert "<script>" not in markdown
    assert "\n## no" not in markdown
    assert "[x](" not in markdown
    assert "@everyone" not in markdown
    row = {**result(), "infmax_model_prefix": HOSTILE}
    html = page(verdict, [row], {HOSTILE: []}, [HOSTILE])
    assert "<script>alert(1)" not in html
    data = re.search(r'id="charts">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert HOSTILE.split()[0] in json.dumps(json.loads(data.group(1)))


@given(text=st.text())
def test_escaped_text_is_one_line_without_markup(text: str) -> None:
    escaped = escape(text)
    assert len(escaped.splitlines()) <= 1
    assert not re.search(r"(?<!\\)[`*_\[\]|]", escaped)
    assert "<" not in escaped
    assert "@" not in escaped


def test_the_page_is_self_contained() -> None:
    html = page(
        PASSED,
        [result(4), result(8)],
        {"a point": [{"start": 0.0, "first": 0.1, "end": 1.0, "session": 0, "input": 1, "output": 1}]},
        ["fact"],
    )
    outside = html.replace(html[html.index("<script>") :], "")
    assert not re.search(r'(?:src|href)\s*=\s*["\']', outside)
    assert "PASS: 2 of 2 points are valid" in html
    assert html.count("data-chart=") == 2
    assert "prefers-color-scheme: dark" in html


def test_a_page_without_results_still_says_why() -> None:
    html = page(Verdict(1, 0, [Shortfall("job", 1, "missing", ["it did not run"])]), [], {}, [])
    assert "FAIL: 0 of 1 points are valid (1 missing)" in html
    assert "it did not run" in html


def test_the_terminal_fits_80_columns() -> None:
    rows = [result(4), result(1024, 0.01, bound=True), result(4, tp=None, **POOLS)]
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115 - closed with the process
    print_verdict(PASSED, rows, console)
    text = console.export_text()
    tables = [line for line in text.splitlines() if re.match(r"^\s+\d", line)]
    assert len(tables) == 3
    assert all(len(line) <= 80 and "…" not in line for line in tables)
    assert text.startswith("PASS: 2 of 2 points are valid")
    assert "client-bound" in text


POOLS: dict[str, Any] = {
    "ep": None,
    "dp-attn": None,
    "disagg": True,
    "framework": "dynamo-vllm",
    "prefill": {"num-worker": 1, "tp": 4},
    "decode": {"num-worker": 2, "tp": 8, "ep": 8, "dp-attn": True},
}


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([], []),
        ([(1.0, 1.0)], [0]),
        ([(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], [0, 1, 2]),
        ([(1.0, 1.0), (2.0, 2.0)], [1]),
        ([(1.0, 3.0), (2.0, 1.0), (3.0, 2.0)], [0, 2]),
        ([(1.0, 1.0), (1.0, 1.0)], [0]),
        ([(1.0, 2.0), (1.0, 1.0)], [0]),
    ],
)
def test_frontier(points: list[tuple[float, float]], expected: list[int]) -> None:
    assert frontier(points) == expected


FLOATS = st.floats(min_value=0, max_value=100)


@given(points=st.lists(st.tuples(FLOATS, FLOATS), max_size=30))
def test_no_point_beats_the_frontier(points: list[tuple[float, float]]) -> None:
    best = [points[index] for index in frontier(points)]
    for x, y in points:
        assert any(bx >= x and by >= y for bx, by in best)
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in itertools.pairwise(best))


@given(spans=st.lists(st.tuples(FLOATS, FLOATS), max_size=40))
def test_requests_of_a_lane_never_overlap(spans: list[tuple[float, float]]) -> None:
    ordered = sorted((start, start + length) for start, length in spans)
    lanes = figures.assign_lanes(ordered)
    for lane in set(lanes):
        mine = [span for span, where in zip(ordered, lanes, strict=True) if where == lane]
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(mine))


def test_loads_are_never_on_one_chart() -> None:
    agentic = {"isl": None, "osl": None, "scenario-type": "agentic-coding", "duration": 900, "trace-set": "x"}
    groups = figures.by_scenario([result(4), result(8), result(4, **agentic)])
    assert [len(group) for group in groups.values()] == [2, 1]


def test_legends_leave_out_what_all_curves_share() -> None:
    groups = figures.by_scenario([result(4), result(4, tp=4)])
    ((title, rows),) = groups.items()
    assert title == "100 in / 10 out, tiny fp8 vllm H100"
    names = [trace["name"] for trace in figures.pareto(rows)["data"]]
    assert names == ["Pareto frontier", "TP4", "TP8"]
