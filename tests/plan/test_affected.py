"""From a change to the points that it affects, on real git history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import CATALOGUE, FakeRepository
from histories import NOW, PULL, TWO, WORDS, History, git, points

from sweepgate.errors import InputError
from sweepgate.plan.decide import Decision
from sweepgate.plan.sources import read_change
from sweepgate.plan.sweep_plan import Knowledge, plan_change

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


def test_keys_chosen_by_hand(history: History, tmp_path: Path) -> None:
    history.commit()
    assert points(history.outcome(tmp_path / "trees", keys=("oth*",))) == BOTH
