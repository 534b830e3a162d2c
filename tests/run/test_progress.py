"""Progress on a terminal and in a log."""

from __future__ import annotations

import io
from pathlib import Path

from conftest import PROJECT
from rich.console import Console

from sweepgate.plan.build import build_plan
from sweepgate.results.store import Failure, PointResult
from sweepgate.run.failure import log_tail
from sweepgate.run.progress import ProgressView
from sweepgate.run.step import Step

PLAN = build_plan(PROJECT, ["tiny-*"], [1, 2])
JOB = PLAN.jobs[0]


def view(terminal: bool) -> tuple[ProgressView, io.StringIO]:
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=100, color_system=None)
    return ProgressView(PLAN, 1, console), text


def test_a_log_gets_one_line_an_event() -> None:
    progress, text = view(terminal=False)
    failure = Failure(kind="benchmark", phase="ready", message="gone", detail="[bold]the log[/bold]")
    with progress:
        progress.step(Step(JOB.id, "start"))
        progress.step(Step(JOB.id, "collect"))
        failed = PointResult(
            job=JOB.id, conc=1, fingerprint="f", status="failed", reasons=["ready: gone"], failure=failure
        )
        progress.point(failed)
        progress.point(failed.model_copy(update={"conc": 2}))
    lines = text.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[0].endswith(f"{JOB.id}: start")
    assert "2/4 failed" in lines[1]
    assert "ready: gone" in lines[1]
    # Log text is shown as it is, and once for all points of a job.
    assert lines[2] == "[bold]the log[/bold]"
    assert "3/4 failed" in lines[3]


def test_a_terminal_shows_the_phase_and_what_is_left() -> None:
    progress, text = view(terminal=True)
    with progress:
        progress.step(Step(JOB.id, "measure", 1))
        progress.live.refresh()
    shown = text.getvalue()
    assert f"{JOB.id}: measure, concurrency 1" in shown
    assert "1 of 4 points" in shown
    assert "about 1:" in shown


def test_the_end_of_a_log_cannot_drive_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 20_000 + b"\nfine\n\x1b[2J\x07bad \xff\n")
    lines = log_tail(path).splitlines()
    assert lines[-2:] == ["fine", "�[2J�bad �"]
    assert log_tail(tmp_path / "none") == "(no log: No such file or directory)"
