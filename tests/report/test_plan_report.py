"""Summary and comment of a plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from histories import History, active

from sweepgate.bilingual import Bilingual
from sweepgate.plan.estimate import Pool
from sweepgate.plan.sweep_plan import Knowledge, Outcome
from sweepgate.report.plan_comment import MARKER, plan_comment
from sweepgate.report.plan_summary import duration, plan_headline, plan_summary


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


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "1 h 00 min"), (9000, "2 h 30 min")],
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds).startswith(words)
