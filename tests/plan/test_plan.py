"""Plans of chosen entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import CATALOGUE, PROJECT, FakeRepository

from sweepgate.errors import InputError
from sweepgate.plan.build import build_plan
from sweepgate.plan.plan import read_plan, write_plan


def test_the_repository_plans_its_own_catalogue() -> None:
    plan = build_plan(PROJECT, ["*"])
    by_key: dict[str, int] = {}
    for job in plan.jobs:
        by_key[job.key] = by_key.get(job.key, 0) + len(job.concurrencies)
    assert by_key == {
        "tiny-fp8-local-dynamo-mocker": 6,
        "tiny-fp8-local-dynamo-mocker-disagg": 2,
        "qwen3.5-fp8-h100-sglang-agentic-mtp": 9,
    }
    assert len({job.id for job in plan.jobs}) == len(plan.jobs)


def test_cheapest_first() -> None:
    plan = build_plan(PROJECT, ["*"])
    gpus = [job.row.gpus for job in plan.jobs]
    assert gpus == sorted(gpus)
    assert plan.jobs[0].id == "tiny-fp8-local-dynamo-mocker.512x64.tp1.c1"


def test_plans_are_read_back(tmp_path: Path) -> None:
    plan = build_plan(PROJECT, ["*"])
    write_plan(tmp_path / "plan.json", plan)
    assert read_plan(tmp_path / "plan.json") == plan


def test_a_filter_keeps_the_server_and_drops_points() -> None:
    (job,) = build_plan(PROJECT, ["*disagg"], [6]).jobs
    (whole,) = build_plan(PROJECT, ["*disagg"]).jobs
    assert job.concurrencies == [6]
    assert job.row == whole.row
    assert job.fingerprint(6) == whole.fingerprint(6)


@pytest.mark.parametrize(
    ("patterns", "concurrencies", "message"),
    [
        (["nothing-*"], [], "no entry has this key"),
        (["tiny-fp8-local-dynamo-mokcer"], [], "did you mean `tiny-fp8-local-dynamo-mocker`"),
        (["tiny-*"], [77], "no point has this concurrency"),
    ],
)
def test_filters_that_leave_nothing(patterns: list[str], concurrencies: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_plan(PROJECT, patterns, concurrencies)


def test_an_unknown_runner(repository: FakeRepository) -> None:
    repository.catalogue(CATALOGUE.replace("cluster:local", "cluster:lokal"))
    with pytest.raises(InputError, match="unknown runner"):
        repository.plan()


def test_rows_with_equal_names_get_ids_of_their_own(repository: FakeRepository) -> None:
    space = "      - { tp: 1, conc-list: [1, 2] }\n"
    repository.catalogue(CATALOGUE.replace(space, space + "      - { tp: 1, spec-decoding: mtp, conc-list: [1] }\n"))
    ids = sorted(job.id for job in repository.plan().jobs)
    assert ids == ["fake.100x20.tp1.c1", "fake.100x20.tp1.c1-2", "fake.100x20.tp1.c2"]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"extra": 1},
        {"jobs": [{"id": "../../etc"}]},
        {"mode": "none"},
    ],
)
def test_a_plan_that_is_none(tmp_path: Path, change: dict[str, Any]) -> None:
    data = json.loads(build_plan(PROJECT, ["tiny-*"], [1]).model_dump_json(by_alias=True, exclude_none=True))
    if "jobs" in change:
        change = {"jobs": [{**data["jobs"][0], **change["jobs"][0]}]}
    (tmp_path / "plan.json").write_text(json.dumps({**data, **change}))
    with pytest.raises(InputError):
        read_plan(tmp_path / "plan.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_a_file_that_is_no_plan(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(InputError):
        read_plan(tmp_path / "plan.json")


def test_an_unknown_job() -> None:
    with pytest.raises(InputError, match="the plan has no such job"):
        build_plan(PROJECT, ["tiny-*"]).job("x")
