"""The files that a person reads after a sweep: summary.md and report.html."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sweepgate.files import write_text
from sweepgate.gate.verdict import Verdict
from sweepgate.plan.plan import Plan
from sweepgate.report.columns import Row, scenario, shape, sorted_rows
from sweepgate.report.html import page
from sweepgate.report.markdown import summary
from sweepgate.results.store import PointResult
from sweepgate.run.sweep import JOBS_FOLDER

SUMMARY_FILE = "summary.md"
REPORT_FILE = "report.html"


def valid_rows(results: list[PointResult]) -> list[Row]:
    """Return the rows that may be shown and published."""
    return [result.row for result in results if result.status == "valid" and result.row is not None]


def write_reports(plan: Plan, out: Path, results: list[PointResult], verdict: Verdict) -> None:
    """Write both files."""
    rows = valid_rows(results)
    write_text(out / SUMMARY_FILE, summary(verdict, rows, plan.commit))
    write_text(out / REPORT_FILE, page(verdict, rows, _timelines(out, rows), _facts(plan, rows)))


def _timelines(out: Path, rows: list[Row]) -> dict[str, list[dict[str, Any]]]:
    timelines = {}
    for row in sorted_rows(rows):
        path = out / JOBS_FOLDER / row["job"] / f"timeline-c{row['conc']}.json"
        if path.is_file():
            title = f"{scenario(row)}, {shape(row)}, concurrency {row['conc']}"
            timelines[title] = json.loads(path.read_text(encoding="utf-8"))
    return timelines


def _facts(plan: Plan, rows: list[Row]) -> list[str]:
    facts = [f"Commit {plan.commit} · {', '.join(plan.keys)}"]
    if rows:
        begun = datetime.fromtimestamp(min(row["started_at"] for row in rows), UTC)
        clients = sorted({f"{row['client']['name']} {row['client']['version']}" for row in rows})
        requests = sum(row["requests"] for row in rows)
        facts.append(f"Measured {begun:%Y-%m-%d %H:%M} UTC with {', '.join(clients)} · {requests:,} requests")
    unofficial = [row for row in rows if row["client"]["submission_valid"] is False]
    if unofficial:
        facts.append(f"{len(unofficial)} agentic points are shortened replays, not valid submissions of the scenario.")
    return facts
