"""plan_sweep.py as a workflow calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT
from histories import TWO, History

PAYLOAD: dict[str, Any] = {
    "action": "labeled",
    "label": {"name": "full-sweep-fail-fast"},
    "sender": {"login": "me"},
    "repository": {"full_name": "o/r"},
    "pull_request": {
        "number": 7,
        "labels": [{"name": "full-sweep-fail-fast"}],
        "head": {"sha": "a" * 40, "ref": "x", "repo": {"full_name": "o/r"}},
        "base": {"sha": "b" * 40, "ref": "main", "repo": {"full_name": "o/r"}},
    },
}


def plan_sweep(history: History, folder: Path, payload: Any, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "event.json").write_text(json.dumps(payload))
    command = [sys.executable, str(PROJECT / "scripts" / "plan_sweep.py"), "--repository", str(history.path)]
    command += ["--event", str(folder / "event.json"), "--out", str(folder / "plan.json")]
    command += ["--outputs", str(folder / "outputs"), "--summary", str(folder / "summary.md")]
    command += ["--comment", str(folder / "comment.md"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_an_event_on_the_command_line(history: History, tmp_path: Path) -> None:
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    done = plan_sweep(history, tmp_path, PAYLOAD, "--base", "HEAD~1")
    assert done.returncode == 0, done.stderr
    outputs = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text().splitlines())
    assert (outputs["decision"], outputs["points"], outputs["fail-fast"]) == ("run", "4", "true")
    plan = json.loads((tmp_path / "plan.json").read_text())
    sharded = [job for shard in json.loads(outputs["shards"]) for job in shard["jobs"]]
    assert sorted([outputs["canary"], *sharded]) == sorted(job["id"] for job in plan["jobs"])
    assert "run: 4 points" in (tmp_path / "summary.md").read_text()
    assert "运行：4 个点" in (tmp_path / "comment.md").read_text()


def test_a_label_cannot_write_outputs_of_its_own(history: History, tmp_path: Path) -> None:
    labels = [{"name": "x\ndecision=run"}, {"name": "sweep-enabled"}, {"name": "full-sweep-enabled"}]
    payload = {
        **PAYLOAD,
        "action": "edited\ndecision=run",
        "pull_request": {**PAYLOAD["pull_request"], "labels": labels},
    }
    done = plan_sweep(history, tmp_path, payload, "--base", "HEAD")
    assert done.returncode == 0, done.stderr
    names = [line.split("=", 1)[0] for line in (tmp_path / "outputs").read_text().splitlines()]
    assert names.count("decision") == 1
    assert (tmp_path / "outputs").read_text().startswith("decision=skip\n")
    assert not (tmp_path / "comment.md").exists(), "nobody asked"


def test_a_refusal_is_told_where_the_plan_would_have_been(history: History, tmp_path: Path) -> None:
    history.commit(history.write("master-config.yaml", TWO.replace("osl: 20", "osl: none", 1)))
    done = plan_sweep(history, tmp_path, PAYLOAD, "--base", "HEAD~1")
    assert done.returncode == 2
    for name in ("summary.md", "comment.md"):
        text = (tmp_path / name).read_text()
        assert "refused: nothing was started" in text
        assert "master-config.yaml:13: fake.scenarios.fixed-seq-len" in text.replace("\\", "")
    assert not (tmp_path / "plan.json").exists()


@pytest.mark.parametrize(
    ("payload", "options", "message"),
    [
        (PAYLOAD, [], "--base: is needed"),
        (PAYLOAD, ["--base", "no-such-branch"], "no commit of this checkout"),
        (PAYLOAD, ["--base=--upload-pack=x"], "is not a revision"),
        ({}, ["--base", "HEAD"], "no event that can start a sweep"),
        (PAYLOAD, ["--base", "HEAD", "--runners", "/nonexistent"], "runner list cannot be read"),
        (PAYLOAD, ["--base", "HEAD", "--durations", "/nonexistent"], "manifest cannot be read"),
    ],
)
def test_events_that_cannot_be_planned(
    history: History, tmp_path: Path, payload: Any, options: list[str], message: str
) -> None:
    done = plan_sweep(history, tmp_path, payload, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
