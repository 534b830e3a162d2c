"""The gate: n of m points, and never a pass over something that is missing."""

from __future__ import annotations

from typing import Any

import pytest

from sweepgate.gate.verdict import judge
from sweepgate.matrix.row import Row
from sweepgate.plan.plan import Job, Plan
from sweepgate.results.store import PointResult, Status

ROW = Row.model_validate(
    {
        "image": "i",
        "model": "m",
        "model-prefix": "m",
        "precision": "fp8",
        "framework": "vllm",
        "runner": "r",
        "exp-name": "e",
        "conc": [1, 2],
        "isl": 8,
        "osl": 8,
        "prefill": {"num-worker": 1, "tp": 1},
        "decode": {"num-worker": 1, "tp": 1},
    }
)


def plan(*ids: str) -> Plan:
    jobs = [Job(id=name, key="k", runs_on="r", row=ROW, fingerprints={"1": "f1", "2": "f2"}) for name in ids]
    return Plan(commit="c", keys=["k"], jobs=jobs)


def result(job: str, conc: int, status: Status = "valid", **changes: Any) -> PointResult:
    data: dict[str, Any] = {"job": job, "conc": conc, "fingerprint": f"f{conc}", "status": status, "row": {"x": 1}}
    return PointResult(**{**data, **changes})


CASES = {
    "all valid": ([result("a", 1), result("a", 2)], True, "PASS: 2 of 2 points are valid"),
    "nothing ran": ([], False, "FAIL: 0 of 2 points are valid (2 missing)"),
    "one missing": ([result("a", 1)], False, "FAIL: 1 of 2 points are valid (1 missing)"),
    "one invalid": ([result("a", 1), result("a", 2, "invalid")], False, "FAIL: 1 of 2 points are valid (1 invalid)"),
    "one failed": ([result("a", 1), result("a", 2, "failed")], False, "FAIL: 1 of 2 points are valid (1 failed)"),
    "valid without a row": (
        [result("a", 1), result("a", 2, row=None)],
        False,
        "FAIL: 1 of 2 points are valid (1 invalid)",
    ),
    "another fingerprint": (
        [result("a", 1), result("a", 2, fingerprint="old")],
        False,
        "FAIL: 1 of 2 points are valid (1 missing)",
    ),
    "results of another job": ([result("b", 1), result("b", 2)], False, "FAIL: 0 of 2 points are valid (2 missing)"),
    "more results than points": (
        [result("a", 1), result("a", 2), result("b", 1)],
        True,
        "PASS: 2 of 2 points are valid",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    results, passed, headline = CASES[name]
    verdict = judge(plan("a"), results)
    assert verdict.passed is passed
    assert verdict.headline == headline


def test_an_empty_plan_does_not_pass() -> None:
    verdict = judge(plan(), [])
    assert not verdict.passed
    assert verdict.headline == "FAIL: nothing was planned"


def test_shortfalls_of_one_cause_are_one_group() -> None:
    results = [result(job, conc, "failed", reasons=["ready: no kernel image"]) for job in "ab" for conc in (1, 2)]
    results[3] = result("b", 2, "invalid", reasons=["too short"])
    (first, items), (second, _) = judge(plan("a", "b"), results).groups()
    assert (first, len(items)) == ("failed: ready: no kernel image", 3)
    assert second == "invalid: too short"
