"""A repository with history, whose last commit is the change to plan; and the values that its tests share."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from conftest import CATALOGUE, PROJECT, FakeRepository

from sweepgate.bilingual import Bilingual
from sweepgate.plan.admission import ActiveSweep
from sweepgate.plan.build import build_plan
from sweepgate.plan.decide import Decision
from sweepgate.plan.event import Event
from sweepgate.plan.labels import sweep_kind
from sweepgate.plan.plan import Job
from sweepgate.plan.sources import read_change
from sweepgate.plan.sweep_plan import Knowledge, Outcome, plan_change

NOW = datetime(2026, 12, 1, tzinfo=UTC)
WORDS = Bilingual("label", "标签")
PULL = Event("pull_request", sender="me", number=7)
TWO = CATALOGUE + CATALOGUE.replace("fake:", "other:").replace("fp8", "fp4")


def git(path: Path, *arguments: str) -> str:
    command = ["git", "-C", str(path), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class History:
    """A repository whose last commit is the change."""

    def __init__(self, repository: FakeRepository) -> None:
        self.repository = repository
        self.path = repository.path
        git(self.path, "init", "-q", "-b", "main")

    def commit(self, edit: Callable[[], Any] | None = None) -> None:
        if edit is not None:
            edit()
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "--allow-empty", "-m", "x")

    def write(self, name: str, text: str) -> Callable[[], Any]:
        def edit() -> None:
            (self.path / name).parent.mkdir(exist_ok=True)
            (self.path / name).write_text(text)

        return edit

    def fragment(self, **fields: Any) -> Callable[[], Any]:
        data = {"description": ["d"], "pr-link": "https://github.com/o/r/pull/7", **fields}
        return self.write("perf-changelog/7.yaml", json.dumps(data))

    def outcome(
        self, folder: Path, *labels: str, known: Knowledge | None = None, keys: tuple[str, ...] = ()
    ) -> Outcome:
        folder.mkdir()
        change = read_change(self.path, "HEAD~1", "HEAD", folder)
        kind = sweep_kind(labels or ("full-sweep-fail-fast",))
        return plan_change(Decision("run", WORDS, kind, keys), PULL, change, known or Knowledge(), NOW)


def points(outcome: Outcome) -> list[tuple[str, int]]:
    assert outcome.plan is not None
    return sorted((job.id, conc) for job in outcome.plan.jobs for conc in job.concurrencies)


def active(**facts: Any) -> ActiveSweep:
    data = {
        "run-id": 1, "url": "https://x/1", "requester": "me", "pull-request": 3, "status": "running",
        "started": (NOW - timedelta(hours=2)).isoformat(), "gpu-hours": 10.0, "fingerprints": ["f"], **facts,
    }  # fmt: skip
    return ActiveSweep.model_validate(data)


def two_jobs() -> list[Job]:
    """The first two jobs of this project's own catalogue."""
    return build_plan(PROJECT, ["tiny-fp8-local-dynamo-mocker"], [1, 2]).jobs[:2]
