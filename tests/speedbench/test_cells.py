"""Collections, plans and prompts: what is accepted, and what each mistake is told."""

from __future__ import annotations

import contextlib
import json

import pytest
from acceptance_bench import COLLECTIONS, Bench, question
from hypothesis import given
from hypothesis import strategies as st

from sweepgate.errors import InputError
from sweepgate.golden.lookup import is_forced
from sweepgate.speedbench.cells import draft_lengths, make_plan, matrix, read_plan, row_of, write_plan
from sweepgate.speedbench.client import request_options
from sweepgate.speedbench.collections import find_collection, load_collections, with_overrides
from sweepgate.speedbench.prompts import PLACEHOLDER, read_prompts


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1-8", list(range(1, 9))), ("3", [3]), ("1,3", [1, 3]), ("5 1-2,2", [1, 2, 5]), (" 16 ", [16])],
)
def test_draft_lengths(text: str, numbers: list[int]) -> None:
    assert draft_lengths(text) == numbers


@pytest.mark.parametrize("text", ["", "0", "17", "3-1", "1-", "a", "1;2", "-1", "1-99", "$(id)"])
def test_draft_lengths_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="is no list of draft lengths"):
        draft_lengths(text)


@given(st.text(max_size=12))
def test_draft_lengths_never_end_otherwise(text: str) -> None:
    with contextlib.suppress(InputError):
        assert all(1 <= number <= 16 for number in draft_lengths(text))


def test_a_plan_has_a_cell_for_each_mode_and_number(bench: Bench, tmp_path) -> None:
    plan = bench.acceptance_plan("1,3", "")
    assert [cell.id for cell in plan.cells] == ["on-1", "on-3", "off-1", "off-3"]
    assert read_plan(write_plan(tmp_path / "new", plan)) == plan
    assert matrix(plan, plan.cells)[0] == {"id": "on-1", "runs-on": "cluster:local"}
    row = row_of(plan, plan.cell("off-3"))
    assert (row.spec_decoding, row.draft_tokens, row.thinking, row.max_model_len, row.osl) == (
        "mtp",
        3,
        "off",
        1000,
        100,
    )
    assert not is_forced(row)
    with pytest.raises(InputError, match="allowed: on-1, on-3, off-1, off-3"):
        plan.cell("on-2")


@pytest.mark.parametrize(
    ("thinking", "category", "tokens", "words"),
    [
        ("maybe", "coding", 100, "thinking mode has no sampling"),
        ("on", "cooking", 100, "unknown category"),
        ("on", "coding", 1000, "leaves no room for a prompt"),
        ("on", "coding", 0, "leaves no room for a prompt"),
    ],
)
def test_plans_that_are_refused(bench: Bench, thinking: str, category: str, tokens: int, words: str) -> None:
    collection = load_collections(bench.path)["fake_mtp"]
    with pytest.raises(InputError, match=words):
        make_plan("fake_mtp", collection, "1", thinking, category, tokens)


@pytest.mark.parametrize("text", ["", "{}", "[", '{"version": 2}'])
def test_files_that_are_no_plan(tmp_path, text: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(InputError, match="plan"):
        read_plan(path)


def test_requests_carry_the_models_own_sampling(bench: Bench) -> None:
    plan = bench.acceptance_plan()
    assert request_options(plan.sampling(plan.cell("on-1")), 4096) == {
        "temperature": 0.6,
        "top_p": 0.95,
        "chat_template_kwargs": {"enable_thinking": True},
        "max_completion_tokens": 4096,
    }


BROKEN = [
    ("method: mtp", "method: guess", 12, "is not an allowed value"),
    ("framework: vllm", "framework: vlm", 1, "unknown framework"),
    ("single_node/speedbench/fake.sh", "single_node/speedbench/gone.sh", 1, "recipe is missing"),
    ("single_node/speedbench/fake.sh", "../../x.sh", 8, "pattern"),
    ("temperature: 0.6", "temperature: -1", 14, "greater than or equal to 0"),
    ("  tp: 1\n", "  tp: 1\n  acceptance-length: 3.39\n", 10, "unknown key"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), BROKEN)
def test_broken_collections(bench: Bench, old: str, new: str, line: int, words: str) -> None:
    (bench.path / "speedbench-config.yaml").write_text(COLLECTIONS.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_collections(bench.path)
    (problem,) = caught.value.problems
    assert problem.line == line
    assert words in problem.render()


def test_a_prefix_names_its_collection_where_it_has_one(bench: Bench) -> None:
    (bench.path / "speedbench-config.yaml").write_text(COLLECTIONS + COLLECTIONS.replace("fake_mtp", "fake_two"))
    collections = load_collections(bench.path)
    assert find_collection(collections, "fake", "fake_two") == "fake_two"
    for prefix, name, words in (
        ("fake", None, "several collections"),
        ("fake", "fake_x", "no such collection"),
        ("x", None, "no collection has this model prefix"),
    ):
        with pytest.raises(InputError, match=words):
            find_collection(collections, prefix, name)


def test_overrides_are_checked_like_the_file(bench: Bench) -> None:
    collection = load_collections(bench.path)["fake_mtp"]
    changed = with_overrides(collection, "other/Model", None)
    assert (changed.model, changed.image) == ("other/Model", "example/vllm:v1")
    with pytest.raises(InputError, match="image"):
        with_overrides(collection, None, "a\nb")


def test_prompts_are_counted_by_category(bench: Bench) -> None:
    prompts = bench.prompts
    assert (prompts.questions, prompts.requests, len(prompts.sha256)) == (3, 4, 64)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (question(1, "math"), "no question of this category"),
        ("", "no question of this category"),
        ("{", "is not a question of SPEED-Bench"),
        (json.dumps({"category": "coding"}), "is not a question of SPEED-Bench"),
        (json.dumps({"category": "coding", "messages": [{"content": PLACEHOLDER}]}), "holds a placeholder"),
    ],
)
def test_prompts_that_are_not_whole(tmp_path, content: str, words: str) -> None:
    path = tmp_path / "qualitative.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=words):
        read_prompts(path, "coding")
    with pytest.raises(InputError, match="cannot be read"):
        read_prompts(tmp_path / "none", "coding")
