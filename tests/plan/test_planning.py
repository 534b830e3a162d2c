"""From a change to its plan: affected points, modes, order, shards, cost, admission — on real git history."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import CATALOGUE, PROJECT, FakeRepository
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sweepgate.bilingual import Bilingual
from sweepgate.config.fleets import Fleets, Limits, Planning
from sweepgate.errors import InputError
from sweepgate.plan.admission import ActiveSweep, admit
from sweepgate.plan.decide import Decision
from sweepgate.plan.estimate import Pool, estimate, makespan, read_pools, timed
from sweepgate.plan.event import Event
from sweepgate.plan.labels import sweep_kind
from sweepgate.plan.manifest import Manifest, ManifestPoint, recorded_seconds, reusable
from sweepgate.plan.order import canary_of, ordered
from sweepgate.plan.plan import Job, Plan
from sweepgate.plan.shards import MATRIX_JOBS, output_bytes, shards_of
from sweepgate.plan.sources import read_change
from sweepgate.plan.sweep_plan import Knowledge, Outcome, plan_change
from sweepgate.report.plan_comment import MARKER, plan_comment
from sweepgate.report.plan_summary import duration, plan_headline, plan_summary

NOW = datetime(2026, 12, 1, tzinfo=UTC)
WORDS = Bilingual("label", "标签")
PULL = Event("pull_request", sender="me", number=7)
TWO = CATALOGUE + CATALOGUE.replace("fake:", "other:").replace("fp8", "fp4")
AGENTIC = """\
replay:
  image: example/vllm:v1
  model: example/model
  model-prefix: fake
  runner: cluster:local
  precision: fp8
  framework: vllm
  recipe: fake.sh
  multinode: false
  scenarios:
    agentic-coding:
    - search-space:
      - { tp: 1, conc-list: [4] }
    fixed-seq-len:
    - { isl: 8192, osl: 1024, search-space: [{ tp: 1, conc-list: [16, 32] }] }
"""


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


@pytest.fixture
def history(repository: FakeRepository) -> History:
    """Two entries of two points, committed."""
    made = History(repository)
    repository.catalogue(TWO)
    made.commit()
    return made


def points(outcome: Outcome) -> list[tuple[str, int]]:
    assert outcome.plan is not None
    return sorted((job.id, conc) for job in outcome.plan.jobs for conc in job.concurrencies)


BOTH = [("other.100x20.tp1.c1", 1), ("other.100x20.tp1.c2", 2)]
ALL = [("fake.100x20.tp1.c1", 1), ("fake.100x20.tp1.c2", 2), *BOTH]
CASES: dict[str, tuple[Callable[[History], Callable[[], Any]], list[tuple[str, int]]]] = {
    "nothing": (lambda h: lambda: None, []),
    "a comment": (lambda h: h.write("master-config.yaml", "# hello\n" + TWO), []),
    "the order of entries": (
        lambda h: h.write("master-config.yaml", TWO[len(CATALOGUE) :] + CATALOGUE),
        [],
    ),
    "a renamed entry": (lambda h: h.write("master-config.yaml", TWO.replace("other:", "another:")), []),
    "an entry's image": (
        lambda h: h.write("master-config.yaml", CATALOGUE + TWO[len(CATALOGUE) :].replace("vllm:v1", "vllm:v2")),
        BOTH,
    ),
    "a further concurrency": (
        lambda h: h.write("master-config.yaml", CATALOGUE + TWO[len(CATALOGUE) :].replace("[1, 2]", "[1, 2, 4]")),
        [("other.100x20.tp1.c4", 4)],
    ),
    "the recipe": (lambda h: lambda: h.repository.serve("--slow 0"), ALL),
    "the client": (lambda h: h.write("requirements.txt", "aiperf==0.13.1\n"), ALL),
    "a fragment": (lambda h: h.fragment(**{"config-keys": ["oth*"]}), BOTH),
    "a fragment of another scenario": (
        lambda h: h.fragment(**{"config-keys": ["*"], "scenario-type": "agentic-coding"}),
        [],
    ),
    "a fragment that only adds": (lambda h: h.fragment(**{"config-keys": ["*"], "append-only": True}), []),
    "a document": (lambda h: h.write("README.md", "x"), []),
}


@pytest.mark.parametrize("name", CASES)
def test_affected_points(history: History, tmp_path: Path, name: str) -> None:
    edit, expected = CASES[name]
    history.commit(edit(history))
    outcome = history.outcome(tmp_path / "trees")
    assert points(outcome) == sorted(expected)
    assert outcome.verdict == ("run" if expected else "skip")
    total = 5 if name == "a further concurrency" else 4
    assert outcome.unaffected == total - len(expected)


def test_the_comparison_is_with_the_merge_base_not_with_the_tip(history: History, tmp_path: Path) -> None:
    git(history.path, "checkout", "-q", "-b", "change")
    history.commit(history.write("README.md", "x"))
    git(history.path, "checkout", "-q", "main")
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    (tmp_path / "trees").mkdir()
    change = read_change(history.path, "main", "change", tmp_path / "trees")
    outcome = plan_change(Decision("run", WORDS), PULL, change, Knowledge(), NOW)
    assert points(outcome) == []


def test_a_recipe_affects_only_the_entries_that_use_it(history: History, tmp_path: Path) -> None:
    recipes = history.path / "benchmarks"
    (recipes / "own.sh").write_bytes((recipes / "fake.sh").read_bytes())
    (recipes / "own.sh").chmod(0o755)
    history.commit(history.write("master-config.yaml", CATALOGUE + TWO[len(CATALOGUE) :].replace("fake.sh", "own.sh")))
    history.commit(lambda: (recipes / "own.sh").write_text("#!/usr/bin/env bash\nexec another\n"))
    assert points(history.outcome(tmp_path / "trees")) == BOTH


def test_an_entry_that_was_broken_before_holds_up_no_other(history: History, tmp_path: Path) -> None:
    lost = CATALOGUE.replace("fake:", "lost:").replace("fake.sh", "lost.sh")
    history.commit(history.write("master-config.yaml", lost + TWO))
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    assert points(history.outcome(tmp_path / "one")) == ALL
    history.commit(history.fragment(**{"config-keys": ["lost"]}))
    with pytest.raises(InputError, match=r"benchmarks/lost.sh: lost: recipe is missing"):
        history.outcome(tmp_path / "two")


def test_a_base_that_does_not_validate_vouches_for_nothing(repository: FakeRepository, tmp_path: Path) -> None:
    history = History(repository)
    history.commit(history.write("master-config.yaml", "fake: nonsense\n"))
    history.commit(history.write("master-config.yaml", TWO))
    assert points(history.outcome(tmp_path / "trees")) == ALL


def test_a_head_that_does_not_validate_is_named_by_its_own_path(history: History, tmp_path: Path) -> None:
    history.commit(history.write("master-config.yaml", TWO.replace("osl: 20", "osl: none", 1)))
    with pytest.raises(InputError, match=r"^master-config.yaml:13: fake.scenarios"):
        history.outcome(tmp_path / "trees")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"config-keys": ["nope"], "description": ["d"], "pr-link": "https://x/pull/1"}', "no entry has this key"),
        ('{"config-keys": [], "description": ["d"], "pr-link": "https://x/pull/1"}', "at least 1 item"),
        ('{"config-keys": ["fake"], "description": ["d"], "pr-link": "TBD"}', "pr-link"),
        ("config-keys: [fake]\n<<<<<<< HEAD\n", "is not valid YAML"),
    ],
)
def test_fragments_that_are_refused(history: History, tmp_path: Path, text: str, message: str) -> None:
    history.commit(history.write("perf-changelog/7.yaml", text))
    with pytest.raises(InputError, match=message):
        history.outcome(tmp_path / "trees")


@pytest.mark.parametrize(
    ("labels", "throughput", "evals", "mode"),
    [
        ("full-sweep-fail-fast", ["agentic.tp1.c4", "8192x1024.tp1.c16", "8192x1024.tp1.c32"], ["32"], "full"),
        ("sweep-enabled", ["agentic.tp1.c4", "8192x1024.tp1.c16"], [], "trimmed"),
        ("full-sweep-enabled evals-only", [], ["32"], "evals-only"),
        ("full-sweep-enabled evals-only all-evals", [], ["16", "32", "4"], "evals-only"),
    ],
)
def test_modes(
    repository: FakeRepository, tmp_path: Path, labels: str, throughput: list[str], evals: list[str], mode: str
) -> None:
    history = History(repository)
    history.commit()
    history.commit(history.write("master-config.yaml", CATALOGUE + AGENTIC))
    outcome = history.outcome(tmp_path / "trees", *labels.split())
    assert outcome.plan is not None
    jobs = outcome.plan.jobs
    assert sorted(job.id for job in jobs if job.kind == "throughput") == sorted(f"replay.{name}" for name in throughput)
    assert sorted(str(c) for job in jobs if job.kind == "eval" for c in job.concurrencies) == sorted(evals)
    assert outcome.plan.mode == mode
    assert len({job.id for job in jobs}) == len(jobs)


def test_the_fast_profile_cuts_replays_and_is_no_full_sweep(repository: FakeRepository, tmp_path: Path) -> None:
    history = History(repository)
    history.commit()
    history.commit(history.write("master-config.yaml", CATALOGUE + AGENTIC))
    plan = history.outcome(tmp_path / "trees", "full-sweep-fail-fast", "agentx-fast").plan
    assert plan is not None
    assert {job.row.duration for job in plan.jobs if job.row.is_agentic} == {1200}
    assert plan.mode == "fast"


def test_canary_first_then_longest_first(repository: FakeRepository, tmp_path: Path) -> None:
    history = History(repository)
    history.commit()
    history.commit(history.write("master-config.yaml", CATALOGUE + AGENTIC))
    plan = history.outcome(tmp_path / "trees").plan
    assert plan is not None
    assert plan.canary == plan.jobs[0].id == "replay.8192x1024.tp1.c16"
    seconds = [job.seconds or 0 for job in plan.jobs[1:]]
    assert seconds == sorted(seconds, reverse=True)
    assert plan.jobs[1].id == "replay.agentic.tp1.c4"
    without = History.outcome(history, tmp_path / "more", "full-sweep-fail-fast", "no-canary").plan
    assert without is not None
    assert without.canary is None


def test_reuse_by_fingerprint(history: History, tmp_path: Path) -> None:
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    first = history.outcome(tmp_path / "one").plan
    assert first is not None
    job = first.job("fake.100x20.tp1.c1")
    known = Knowledge(reusable={job.fingerprint(1): "c" * 40})
    outcome = history.outcome(tmp_path / "two", known=known)
    assert points(outcome) == [point for point in ALL if point != ("fake.100x20.tp1.c1", 1)]
    assert outcome.plan is not None
    assert [point.source for point in outcome.plan.reused] == ["c" * 40]
    everything = {value: "c" * 40 for job in first.jobs for value in job.fingerprints.values()}
    outcome = history.outcome(tmp_path / "three", known=Knowledge(reusable=everything))
    assert (outcome.verdict, outcome.reason.en) == ("reuse", "all 4 affected points are reused")


def test_only_valid_points_of_full_sweeps_are_reused() -> None:
    def manifest(mode: str, status: str, fingerprint: str) -> Manifest:
        point = ManifestPoint(job="j", conc=1, fingerprint=fingerprint, status=status, reasons=[], seconds=3.0)  # type: ignore[arg-type]
        return Manifest(mode=mode, commit=f"{mode}-{status}", passed=True, planned=1, valid=1, points=[point])  # type: ignore[arg-type]

    found = [manifest("full", "valid", "a"), manifest("trimmed", "valid", "b"), manifest("full", "failed", "c")]
    assert reusable(found) == {"a": "full-valid"}
    assert recorded_seconds(found) == {("j", 1): 3.0}


def test_keys_chosen_by_hand(history: History, tmp_path: Path) -> None:
    history.commit()
    assert points(history.outcome(tmp_path / "trees", keys=("oth*",))) == BOTH


def jobs_of(count: int, runs_on: str = "cluster:local") -> list[Job]:
    (job, _) = _template()
    return [
        job.model_copy(update={"id": f"entry-{n // 20}.8192x1024.tp8ep8.c{n}", "runs_on": runs_on, "seconds": float(n)})
        for n in range(count)
    ]


def _template() -> list[Job]:
    from sweepgate.plan.build import build_plan

    return build_plan(PROJECT, ["tiny-fp8-local-dynamo-mocker"], [1, 2]).jobs[:2]


@pytest.mark.parametrize("count", [0, 1, 256, 257, 5000])
def test_shards_partition_the_jobs(count: int) -> None:
    jobs = jobs_of(count) + jobs_of(count // 3, "h100")
    shards = shards_of(jobs)
    for label in ("cluster:local", "h100"):
        listed = [job for shard in shards if shard.runs_on == label for job in shard.jobs]
        assert listed == [job.id for job in jobs if job.runs_on == label]
    assert all(0 < len(shard.jobs) <= MATRIX_JOBS for shard in shards)
    assert len(shards) <= MATRIX_JOBS
    assert output_bytes(shards) < 1_000_000


def test_what_one_run_cannot_hold_is_refused_with_counts() -> None:
    with pytest.raises(InputError) as caught:
        shards_of(jobs_of(20_000))
    text = str(caught.value)
    assert "20,000 jobs" in text
    assert "sweep-enabled" in text
    assert "cluster:local 20,000" in text


@given(st.lists(st.floats(1, 10_000), min_size=1, max_size=40), st.integers(1, 12))
@settings(deadline=None)
def test_makespan_bounds(seconds: list[float], runners: int) -> None:
    found = makespan(sorted(seconds, reverse=True), runners)
    lower = max(max(seconds), sum(seconds) / runners)
    # Longest first is within 4/3 of the best schedule (Graham 1969), which is never below the lower bound.
    assert lower * (1 - 1e-9) <= found <= lower * 4 / 3 + max(seconds)


def test_an_estimate_adds_up() -> None:
    planning = {"cluster:local": Planning(startup_seconds=100, point_seconds=50, usd_per_gpu_hour=2.0)}
    fleets = Fleets(labels={"cluster:local": ["a", "b"]}, planning=planning)
    one, two = _template()
    jobs = ordered(timed([one, two], fleets, {(one.id, 1): 350.0}))
    assert [job.seconds for job in jobs] == [350.0, 150.0]
    cost = estimate(jobs, fleets, {(one.id, 1): 350.0})
    assert (cost.points, cost.recorded, cost.wall_seconds) == (2, 1, 350.0)
    assert cost.gpu_hours == pytest.approx(500 / 3600)
    assert cost.usd == pytest.approx(1000 / 3600)
    busy = estimate(jobs, fleets, {}, {"cluster:local": Pool(free=1, busy=1, offline=0)})
    assert busy.wall_seconds == 350.0
    down = estimate(jobs, fleets, {}, {"cluster:local": Pool(free=0, busy=0, offline=2)})
    assert down.wall_seconds is None
    assert down.pools[0].pool is not None
    assert down.pools[0].pool.down


def test_pools_from_githubs_list(tmp_path: Path) -> None:
    path = tmp_path / "runners.json"
    states = [("a", "online", True), ("b", "online", False), ("c", "offline", False)]
    runners = [{"id": 1, "name": name, "status": status, "busy": busy} for name, status, busy in states]
    path.write_text(json.dumps({"total_count": 3, "runners": runners}))
    fleets = Fleets(labels={"x": ["a", "b", "c", "never-seen"], "y": ["c"]})
    assert read_pools(path, fleets) == {"x": Pool(1, 1, 2), "y": Pool(0, 0, 1)}
    path.write_text("[]")
    with pytest.raises(InputError):
        read_pools(path, fleets)


def active(**facts: Any) -> ActiveSweep:
    data = {
        "run-id": 1, "url": "https://x/1", "requester": "me", "pull-request": 3, "status": "running",
        "started": (NOW - timedelta(hours=2)).isoformat(), "gpu-hours": 10.0, "fingerprints": ["f"], **facts,
    }  # fmt: skip
    return ActiveSweep.model_validate(data)


LIMITS = Limits(concurrent_sweeps=2, gpu_hours_per_day=100.0)


@pytest.mark.parametrize(
    ("sweeps", "gpu_hours", "reason"),
    [
        ([], 50.0, None),
        ([], 101.0, "would pass the limit"),
        ([active(), active()], 1.0, "me has 2 sweeps of at most 2"),
        ([active(status="passed"), active()], 1.0, None),
        ([active(requester="you"), active()], 1.0, None),
        ([active(**{"pull-request": 7}), active()], 1.0, None),
        ([active(**{"gpu-hours": 95.0, "status": "failed"})], 6.0, "would pass the limit of 100"),
        ([active(**{"gpu-hours": 95.0, "started": (NOW - timedelta(hours=25)).isoformat()})], 6.0, None),
        ([active(fingerprints=["ALL"], requester="you")], 1.0, "the same points are in the running sweep of #3"),
        ([active(fingerprints=["ALL"], requester="you", status="cancelled")], 1.0, None),
    ],
)
def test_admission(sweeps: list[ActiveSweep], gpu_hours: float, reason: str | None) -> None:
    jobs = _template()
    everything = [value for job in jobs for value in job.fingerprints.values()]
    sweeps = [s.model_copy(update={"fingerprints": everything}) if s.fingerprints == ["ALL"] else s for s in sweeps]
    plan = Plan(commit="c", keys=[], jobs=jobs)
    answer = admit(plan, gpu_hours, "me", 7, LIMITS, sweeps, NOW)
    assert (answer.refusal is None) == (reason is None)
    assert reason is None or (answer.refusal is not None and reason in answer.refusal.en)


def test_a_partial_overlap_is_noted() -> None:
    jobs = _template()
    plan = Plan(commit="c", keys=[], jobs=jobs)
    other = active(fingerprints=[jobs[0].fingerprint(jobs[0].concurrencies[0])], requester="you")
    answer = admit(plan, 1.0, "me", 7, Limits(), [other], NOW)
    assert answer.refusal is None
    assert answer.note is not None
    assert answer.note.en.startswith("1 of 2 points are also in the running sweep of #3")


def test_a_second_sweep_of_the_same_points_is_pointed_at_the_first(history: History, tmp_path: Path) -> None:
    history.commit(history.write("requirements.txt", "aiperf==0.13.1\n"))
    plan = history.outcome(tmp_path / "one").plan
    assert plan is not None
    fingerprints = [value for job in plan.jobs for value in job.fingerprints.values()]
    known = Knowledge(sweeps=[active(fingerprints=fingerprints, requester="you")])
    outcome = history.outcome(tmp_path / "two", known=known)
    assert outcome.verdict == "skip"
    assert "https://x/1" in outcome.reason.en
    assert outcome.shards == ()


def test_the_summary_says_it_all(history: History, tmp_path: Path) -> None:
    history.commit(history.fragment(**{"config-keys": ["*"]}))
    outcome = history.outcome(tmp_path / "trees", known=Knowledge(pools={"cluster:local": Pool(0, 0, 1)}))
    text = plan_summary(outcome)
    assert text.startswith("## ▶️ run: 4 points in 4 jobs")
    for words in ("down: 0 free, 0 busy, 1 offline", "named by 7.yaml", "canary: `fake.100x20.tp1.c1`"):
        assert words in text.replace("\\", "")
    assert plan_headline(Outcome("stop", Bilingual("closed", "关闭"))) == Bilingual("stop: closed", "停止：关闭")


HOSTILE = Bilingual("<img src=x> [a](http://b) @all `x`\n# y | z", "<img src=x> [a](http://b) @all `x`\n# y | z")


@pytest.mark.parametrize("write", [plan_summary, plan_comment])
def test_hostile_text_stays_text(write: Callable[[Outcome], str]) -> None:
    text = write(Outcome("skip", HOSTILE))
    for trick in ("<img", "[a](", "@all", "`x`", "\n# y", " | z"):
        assert trick not in text


def test_the_comment_answers_in_both_languages(history: History, tmp_path: Path) -> None:
    history.commit(history.fragment(**{"config-keys": ["*"]}))
    pools = {"cluster:local": Pool(0, 0, 1)}
    others = [active(fingerprints=["x"], requester="you")]
    outcome = history.outcome(tmp_path / "trees", known=Knowledge(pools=pools, sweeps=others))
    lines = plan_comment(outcome).splitlines()
    assert lines[0] == MARKER
    assert lines[1] == "### ▶️ run: 4 points in 4 jobs, 1.3 GPU-hours, end unknown while cluster:local is down"
    assert sum(line.startswith("### ▶️ 运行：4 个点，4 个任务") for line in lines) == 1
    assert "- cluster:local: down, no runner is online; its 4 jobs will wait" in lines
    assert "- cluster:local：已离线，没有在线运行器；其 4 个任务将等待" in lines
    assert lines[-1].endswith("| — | 0 | 0 | 1 |")


def test_a_comment_links_to_the_sweep_that_is_in_the_way(history: History, tmp_path: Path) -> None:
    history.commit(history.fragment(**{"config-keys": ["*"]}))
    plan = history.outcome(tmp_path / "one").plan
    assert plan is not None
    url = "https://github.com/o_o/r_r/actions/runs/1"
    points_of_it = [value for job in plan.jobs for value in job.fingerprints.values()]
    known = Knowledge(sweeps=[active(fingerprints=points_of_it, requester="you", url=url)])
    text = plan_comment(history.outcome(tmp_path / "two", known=known))
    assert text.count(f"<{url}>") == 2
    assert "skip: the same points are in the running sweep of" in text


@pytest.mark.parametrize("url", ["javascript:x", "http://x/1", "https://x/1 y", "https://x/)[a](b", "https://x/?a=b"])
def test_only_plain_addresses_of_sweeps(url: str) -> None:
    with pytest.raises(ValidationError):
        active(url=url)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "1 h 00 min"), (9000, "2 h 30 min")],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds).startswith(words)


def test_the_canary_is_the_smallest_throughput_job() -> None:
    one, two = _template()
    large = two.model_copy(update={"row": two.row.model_copy(update={"tp": 8})})
    evaluating = one.model_copy(update={"kind": "eval"})
    assert canary_of([large, one]) == one
    assert canary_of([evaluating, large]) == large
    assert canary_of([evaluating]) is None


# the command line -----------------------------------------------------------------------------------------------------
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
    }  # type: ignore[dict-item]
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
