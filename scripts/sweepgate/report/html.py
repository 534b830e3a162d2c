"""report.html: one self-contained page. Everything from outside goes through autoescaping or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import plotly.offline

from sweepgate.gate.verdict import Verdict
from sweepgate.report import figures
from sweepgate.report.columns import COLUMNS, Row, remarks, sorted_rows

# All timelines together: beyond it later points have none, and the page says so.
MAX_REQUESTS = 20_000


def page(verdict: Verdict, rows: list[Row], timelines: Mapping[str, list[dict[str, Any]]], facts: list[str]) -> str:
    """Return the page. `timelines`: a point's title → its requests; `facts`: short lines under the verdict."""
    groups = figures.by_scenario(rows)
    charts = {
        **{f"pareto-{index}": figures.pareto(group) for index, group in enumerate(groups.values())},
        **{f"latency-{index}": figures.latency(group) for index, group in enumerate(groups.values())},
    }
    shown, left_out = _bounded(timelines)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        verdict=verdict,
        facts=facts,
        scenarios=list(groups),
        columns=COLUMNS,
        remarks=remarks,
        rows=sorted_rows(rows),
        charts=_script_json(charts),
        timelines=_script_json({name: figures.timeline(requests) for name, requests in shown.items()}),
        timeline_names=list(shown),
        timelines_left_out=left_out,
        # The busiest point that has a timeline is the most telling one.
        timeline_picked=max(shown, key=lambda name: len(shown[name]), default=""),
        max_timeline_requests=figures.MAX_TIMELINE_REQUESTS,
        plotly=plotly.offline.get_plotlyjs(),
    )


def _bounded(timelines: Mapping[str, list[dict[str, Any]]]) -> tuple[dict[str, list[dict[str, Any]]], int]:
    shown: dict[str, list[dict[str, Any]]] = {}
    total = 0
    for name, requests in timelines.items():
        total += min(len(requests), figures.MAX_TIMELINE_REQUESTS)
        if total > MAX_REQUESTS:
            break
        shown[name] = requests
    return shown, len(timelines) - len(shown)


def _script_json(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")
