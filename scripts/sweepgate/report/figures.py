"""Plotly figures as plain dictionaries; colours of text and grid are left to the page, which knows light and dark."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sweepgate.report.columns import Row, scenario, series, sorted_rows
from sweepgate.report.pareto import frontier

Figure = dict[str, Any]

# Okabe and Ito's palette, told apart by colour-blind readers and on light and dark grounds alike.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A500", "#8C8C8C")
_WAIT, _DECODE = "#E69F00", "#0072B2"
# A timeline beyond this many requests is unreadable and only makes the page heavy.
MAX_TIMELINE_REQUESTS = 1500


def by_scenario(rows: list[Row]) -> dict[str, list[Row]]:
    """Return chart title → rows, grouped by what was loaded: points of different loads are never on one chart.

    The title also takes what all curves of the chart have in common, so that the legend needs not repeat it.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in sorted_rows(rows):
        groups[scenario(row)].append(row)
    return {", ".join([name, *_shared_parts(group)]): group for name, group in groups.items()}


def _shared_parts(rows: list[Row]) -> list[str]:
    """Return the leading parts of the series names that all rows share, leaving each name at least one of its own."""
    names = {tuple(series(row).split(", ")) for row in rows}
    longest = min(len(name) for name in names) - 1
    shared = 0
    while shared < longest and len({name[shared] for name in names}) == 1:
        shared += 1
    return list(next(iter(names))[:shared])


def pareto(rows: list[Row]) -> Figure:
    """Throughput per GPU against interactivity, one curve a series, and the frontier of all of them."""
    traces = []
    for name, group, color in _curves(rows):
        trace = _curve(name, group, "median_intvty", "tput_per_gpu", color)
        labels = [str(row["conc"]) for row in group]
        traces.append({**trace, "mode": "lines+markers+text", "text": labels, "textposition": "top right"})
    points = [(row["median_intvty"], row["tput_per_gpu"]) for row in rows]
    best = [points[index] for index in frontier(points)]
    traces.insert(
        0,
        {
            "x": [x for x, _ in best],
            "y": [y for _, y in best],
            "name": "Pareto frontier",
            "mode": "lines",
            "line": {"color": "rgba(140,140,140,0.35)", "width": 9},
            "hoverinfo": "skip",
        },
    )
    figure = _figure(traces, "interactivity, median (tokens/s/user)", "throughput (tokens/s/GPU)")
    figure["layout"]["xaxis"]["rangemode"] = "normal"
    return figure


def latency(rows: list[Row]) -> Figure:
    """TTFT against concurrency: median as a line, 99th percentile dotted."""
    traces = []
    for name, group, color in _curves(rows):
        for statistic, dash in (("median", "solid"), ("p99", "dot")):
            trace = _curve(f"{name} · {statistic}", group, "conc", f"{statistic}_ttft", color, 1000)
            trace["line"]["dash"] = dash
            traces.append(trace)
    figure = _figure(traces, "concurrency", "TTFT (ms)")
    figure["layout"]["xaxis"] |= {"type": "log", "tickvals": sorted({row["conc"] for row in rows})}
    return figure


def timeline(requests: list[dict[str, Any]]) -> Figure:
    """Every request of a point as a bar: waiting for the first token, then receiving. One lane a request in flight."""
    shown = requests[:MAX_TIMELINE_REQUESTS]
    lanes = assign_lanes([(request["start"], request["end"]) for request in shown])
    texts = [f"{r['input']} in, {r['output']} out, session {r['session']}" for r in shown]
    phases = (("waiting for the first token", "start", "first", _WAIT), ("receiving tokens", "first", "end", _DECODE))
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": lanes,
            "base": [request[begin] for request in shown],
            "x": [round(request[end] - request[begin], 4) for request in shown],
            "text": texts,
            "textposition": "none",
            "hovertemplate": f"{name}: %{{x:.3f}} s<br>%{{text}}<extra></extra>",
            "marker": {"color": color},
        }
        for name, begin, end, color in phases
    ]
    figure = _figure(traces, "time since the first request (s)", "request slot")
    figure["layout"] |= {"barmode": "overlay", "bargap": 0.25}
    # Slots are counted, not measured: whole numbers, the first on top, and few enough to read.
    step = max(1, max(lanes, default=1) // 8)
    figure["layout"]["yaxis"] |= {
        "range": [max(lanes, default=1) + 0.6, 0.4],
        "tick0": 1,
        "dtick": step,
        "showgrid": False,
    }
    return figure


def assign_lanes(spans: list[tuple[float, float]]) -> list[int]:
    """Return a lane for each (start, end), in order of start: the lowest one that is free again (from 1)."""
    free_at: list[float] = []
    lanes = []
    for start, end in spans:
        lane = next((index for index, time in enumerate(free_at) if time <= start), len(free_at))
        free_at[lane : lane + 1] = [end]
        lanes.append(lane + 1)
    return lanes


def _curves(rows: list[Row]) -> list[tuple[str, list[Row], str]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[series(row)].append(row)
    shared = len(_shared_parts(rows))
    names = {name: ", ".join(name.split(", ")[shared:]) for name in groups}
    return [(names[name], group, PALETTE[index % len(PALETTE)]) for index, (name, group) in enumerate(groups.items())]


def _curve(name: str, rows: list[Row], x: str, y: str, color: str, scale: float = 1) -> dict[str, Any]:
    return {
        "x": [row[x] for row in rows],
        "y": [row[y] * scale for row in rows],
        "name": name,
        "mode": "lines+markers",
        "line": {"color": color, "width": 2},
        "marker": {
            "size": 9,
            "color": color,
            "symbol": ["circle-open" if row["client"]["bound"] else "circle" for row in rows],
        },
        "customdata": [_hover(row) for row in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _hover(row: Row) -> str:
    lines = [
        f"<b>concurrency {row['conc']}</b>",
        series(row),
        f"throughput {row['tput_per_gpu']:,.0f} tokens/s/GPU",
        f"interactivity {row['median_intvty']:.1f} tokens/s/user",
        f"TTFT {row['median_ttft'] * 1000:.1f} ms, p99 {row['p99_ttft'] * 1000:.1f} ms",
        f"TPOT {row['median_tpot'] * 1000:.2f} ms",
    ]
    if row["client"]["bound"]:
        lines.append("client-bound")
    return "<br>".join(lines)


def _figure(traces: list[dict[str, Any]], x_title: str, y_title: str) -> Figure:
    return {
        "data": traces,
        "layout": {
            "xaxis": {"title": {"text": x_title}, "rangemode": "tozero", "automargin": True},
            "yaxis": {"title": {"text": y_title}, "rangemode": "tozero", "automargin": True},
            "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
            "margin": {"l": 10, "r": 10, "t": 10, "b": 90},
            "hovermode": "closest",
        },
    }
