"""A whole sweep against the stand-ins: order, resuming, retries, and disks that are full."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import CATALOGUE, FakeRepository

from sweepgate.errors import InputError
from sweepgate.gate.verdict import judge
from sweepgate.plan.plan import Job, Plan, read_plan
from sweepgate.results.store import PointResult
from sweepgate.run.job import run_job
from sweepgate.run.outputs import write_reports
from sweepgate.run.step import Step
from sweepgate.run.sweep import (
    SweepEvents,
    check_unchanged,
    job_folder,
    load_results,
    run_sweep,
    start_or_resume,
    write_aggregates,
)

pytestmark = [pytest.mark.usefixtures("no_leftovers"), pytest.mark.timeout(60)]


class Watcher:
    """Remembers what a sweep told."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.points: list[PointResult] = []
        self.retries: list[str] = []

    @property
    def events(self) -> SweepEvents:
        return SweepEvents(self.steps.append, self.points.append, self.retry)

    def retry(self, job: Job, result: PointResult) -> None:
        self.retries.append(job.id)


def sweep(repository: FakeRepository, plan: Plan, out: Path, client: str = "ok", fail_fast: bool = False) -> Watcher:
    watcher = Watcher()
    run_sweep(plan, repository.settings(client), out, watcher.events, fail_fast)
    return watcher


def test_all_files_of_a_good_sweep(repository: FakeRepository, tmp_path: Path) -> None:
    plan, out = repository.plan(), tmp_path / "out"
    start_or_resume(plan, out, resume=False)
    watcher = sweep(repository, plan, out)
    results = load_results(plan, out)
    write_reports(plan, out, results, write_aggregates(plan, out, results))
    assert [(point.conc, point.status) for point in watcher.points] == [(1, "valid"), (2, "valid")]
    names = {path.name for path in out.iterdir()}
    assert names == {"plan.json", "agg_bmk.json", "sweep-manifest.json", "jobs", "summary.md", "report.html"}
    rows = json.loads((out / "agg_bmk.json").read_text())
    assert [row["conc"] for row in rows] == [1, 2]
    manifest = json.loads((out / "sweep-manifest.json").read_text())
    assert (manifest["passed"], manifest["planned"], manifest["valid"]) == (True, 2, 2)
    assert [point["fingerprint"] for point in manifest["points"]] == [row["fingerprint"] for row in rows]
    assert read_plan(out / "plan.json") == plan


def test_invalid_points_are_not_published_and_do_not_stop_the_rest(repository: FakeRepository, tmp_path: Path) -> None:
    plan, out = repository.plan(), tmp_path
    sweep(repository, plan, out, client="short-output")
    assert json.loads((out / "agg_bmk.json").read_text()) == []
    manifest = json.loads((out / "sweep-manifest.json").read_text())
    assert [point["status"] for point in manifest["points"]] == ["invalid", "invalid"]
    assert "off the length asked for" in manifest["points"][0]["reasons"][0]


def test_fail_fast_stops_at_a_benchmark_failure(repository: FakeRepository, tmp_path: Path) -> None:
    watcher = sweep(repository, repository.plan(), tmp_path, client="short-output", fail_fast=True)
    assert len(watcher.points) == 1


def test_fail_fast_goes_on_after_an_infrastructure_failure(repository: FakeRepository, tmp_path: Path) -> None:
    watcher = sweep(repository, repository.plan(), tmp_path, client="crash", fail_fast=True)
    assert [point.status for point in watcher.points] == ["failed", "failed"]


def test_an_infrastructure_failure_is_retried_once(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    watcher = sweep(repository, plan, tmp_path, client="crash")
    assert watcher.retries == [job.id for job in plan.jobs]
    starts = [step.job for step in watcher.steps if step.phase == "start"]
    assert starts == [plan.jobs[0].id] * 2 + [plan.jobs[1].id] * 2


def test_a_benchmark_failure_is_not_retried(repository: FakeRepository, tmp_path: Path) -> None:
    repository.serve("--exit-after 0")
    assert sweep(repository, repository.plan(), tmp_path).retries == []


def test_resuming_runs_only_what_is_missing(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    job = plan.jobs[0]
    run_job(job, repository.settings(), job_folder(tmp_path, job), lambda step: None)
    kept = (job_folder(tmp_path, job) / "result-c1.json").read_bytes()
    watcher = sweep(repository, plan, tmp_path)
    assert [point.conc for point in watcher.points] == [2]
    assert (job_folder(tmp_path, job) / "result-c1.json").read_bytes() == kept
    assert judge(plan, load_results(plan, tmp_path)).passed


def test_invalid_and_failed_points_run_again(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    sweep(repository, plan, tmp_path, client="short-output")
    watcher = sweep(repository, plan, tmp_path)
    assert [point.status for point in watcher.points] == ["valid", "valid"]


def test_a_result_of_another_configuration_does_not_count(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    sweep(repository, plan, tmp_path)
    repository.serve("--fail-every 100")
    assert len(sweep(repository, repository.plan(), tmp_path).points) == 2


def test_a_changed_recipe_cannot_be_resumed(repository: FakeRepository) -> None:
    old = repository.plan()
    check_unchanged(old, repository.plan())
    repository.serve("--fail-every 100")
    with pytest.raises(InputError, match="has changed since this sweep began") as caught:
        check_unchanged(old, repository.plan())
    assert len(caught.value.problems) == 2


def test_a_folder_in_use_is_not_overwritten(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    start_or_resume(plan, tmp_path / "out", resume=False)
    with pytest.raises(InputError, match="already holds a sweep"):
        start_or_resume(plan, tmp_path / "out", resume=False)
    start_or_resume(plan, tmp_path / "out", resume=True)


def test_a_damaged_result_is_named(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    sweep(repository, plan, tmp_path)
    path = job_folder(tmp_path, plan.jobs[0]) / "result-c1.json"
    path.write_text(path.read_text()[:50])
    with pytest.raises(InputError, match=r"result-c1\.json.*not a result") as caught:
        load_results(plan, tmp_path)
    assert "delete the file" in str(caught.value)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], capture_output=True, check=False)
    if mount.returncode:
        pytest.skip(f"cannot mount a file system here: {mount.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_nearly_full_disk_is_refused_before_anything_starts(repository: FakeRepository, small_disk: Path) -> None:
    watcher = sweep(repository, repository.plan(), small_disk)
    assert {point.status for point in watcher.points} == {"failed"}
    failure = watcher.points[0].failure
    assert failure is not None
    assert failure.kind == "infrastructure"
    assert "MB left, at least 200 MB are needed" in failure.message
    assert "start" not in [step.phase for step in watcher.steps]


def test_a_disk_that_fills_up_loses_no_earlier_result(
    repository: FakeRepository, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweepgate.run.job.MIN_FREE_BYTES", 0)
    plan = repository.plan()
    first = plan.jobs[0]
    run_job(first, repository.settings(), job_folder(small_disk, first), lambda step: None)
    watcher = sweep(repository, plan, small_disk, client="fill")
    (failed,) = watcher.points
    assert failed.failure is not None
    assert failed.failure.kind == "infrastructure"
    assert (1, "valid") in [(result.conc, result.status) for result in load_results(plan, small_disk)]


def test_a_result_that_cannot_be_written_is_still_reported(
    repository: FakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("sweepgate.files.write_text", full)
    watcher = sweep(repository, repository.plan(), tmp_path)
    assert {point.status for point in watcher.points} == {"failed"}
    assert all("No space left on device" in " ".join(point.reasons) for point in watcher.points)


def test_two_entries_run_cheapest_first(repository: FakeRepository, tmp_path: Path) -> None:
    repository.catalogue(CATALOGUE.replace("tp: 1", "tp: 4") + CATALOGUE.replace("fake:", "small:"))
    watcher = sweep(repository, repository.plan(), tmp_path)
    assert [point.job.split(".")[0] for point in watcher.points] == ["small", "small", "fake", "fake"]
