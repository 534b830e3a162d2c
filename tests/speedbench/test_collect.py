"""Collecting against the stand-in: valid cells, faults of each kind, and starting again."""

from __future__ import annotations

import pytest
from acceptance_bench import Bench

from sweepgate.errors import InputError
from sweepgate.speedbench.collect import collect, fingerprint
from sweepgate.speedbench.result import CellResult


def run(bench: Bench, client: str = "ok", draft_tokens: str = "3", thinking: str = "on") -> list[CellResult]:
    plan = bench.acceptance_plan(draft_tokens, thinking)
    return collect(plan, plan.cells, bench.prompts, bench.settings(client), bench.path / "out", lambda _: None)


def test_a_length_is_what_the_counters_say(bench: Bench, no_leftovers) -> None:
    on, off = run(bench, thinking="on,off")
    assert on.status == off.status == "valid"
    assert on.length == 2.6  # 1 + 0.8 + 0.5 + 0.3
    assert on.counted is not None
    assert off.counted is not None
    # One request of the probe lies before the window.
    assert (on.counted.drafts, on.counted.answers, on.counted.reasoned, off.counted.reasoned) == (1000, 4, 4, 0)
    assert on.counted.rates == pytest.approx([0.8, 0.5, 0.3])
    no_leftovers()


FAULTS = [
    ("--accept-rates 1,0.39,0", "ok", "invalid", "acceptance looks forced"),
    ("--accept-rates 1.5,1.5,1.5", "ok", "invalid", "5.500 tokens a step are impossible with 3 draft tokens"),
    ("", "zero-tokens", "invalid", "4 of 4 answers are empty"),
    ("", "errors", "invalid", "2 of 4 requests failed"),
    ("", "thinks-against-orders", "invalid", "thinking is on, and only 0 of 4 answers hold reasoning"),
    ("", "silent", "invalid", "the server verified no draft"),
    ("", "crash", "failed", "aiperf exited with code 139"),
    ("--never-ready", "ok", "failed", "was not ready within 5 s"),
    ("--die-on-request 2", "ok", "failed", "exited with code 3"),
]


@pytest.mark.parametrize(("arguments", "client", "status", "words"), FAULTS)
def test_faults(bench: Bench, arguments: str, client: str, status: str, words: str, no_leftovers) -> None:
    rates = "" if "rates" in arguments else "--accept-rates 0.8,0.5,0.3 "
    bench.serve_rates(rates + arguments)
    (result,) = run(bench, client)
    assert result.status == status, result
    assert words in "; ".join(result.reasons)
    assert (result.length is None) == (status != "valid")
    no_leftovers()


def test_a_model_that_thinks_against_orders(bench: Bench) -> None:
    (result,) = run(bench, "thinks-against-orders", thinking="off")
    assert result.reasons == ["thinking is off, and 4 of 4 answers hold reasoning"]


def test_only_what_is_missing_or_changed_is_measured_again(bench: Bench) -> None:
    said: list[str] = []
    plan = bench.acceptance_plan("2-3")

    def again(client: str = "ok") -> list[CellResult]:
        said.clear()
        return collect(plan, plan.cells, bench.prompts, bench.settings(client), bench.path / "out", said.append)

    # A server that dies with 3 draft tokens only: the other cell is kept.
    bench.serve_rates("--accept-rates 0.8,0.5,0.3 --die-on-request $((DRAFT_TOKENS == 3 ? 2 : 99))")
    assert [result.status for result in again()] == ["valid", "failed"]
    assert [result.status for result in again()] == ["valid", "failed"]
    assert "on-2: kept, measured before from equal inputs" in said
    assert "on-3: starting the server" in said
    bench.serve_rates()
    assert [result.status for result in again()] == ["valid", "valid"]
    assert not [line for line in said if "kept" in line]
    again()
    assert len([line for line in said if "kept" in line]) == 2
    (bench.path / "out" / "on-2" / "cell-on-2.json").write_text("{")
    again()
    assert "on-2: starting the server" in said


def test_everything_that_decides_a_length_is_in_its_fingerprint(bench: Bench) -> None:
    plan = bench.acceptance_plan("2-3", "on,off")
    settings = bench.settings()

    def marks() -> set[str]:
        return {fingerprint(plan, cell, bench.prompts, settings) for cell in plan.cells}

    first = marks()
    assert len(first) == 4
    assert marks() == first
    prompts = bench.path / "qualitative.jsonl"
    prompts.write_text(prompts.read_text().replace("program 1", "program 9"))
    assert not marks() & first
    bench.serve_rates("--accept-rates 0.1")
    assert not marks() & first


def test_a_recipe_that_forces_is_refused_before_anything_starts(bench: Bench) -> None:
    path = bench.path / "benchmarks" / "single_node" / "speedbench" / "fake.sh"
    forced = (
        '"num_speculative_tokens\\":$DRAFT_TOKENS,'
        '\\"rejection_sample_method\\":\\"synthetic\\",\\"synthetic_acceptance_length\\":2}"'
    )
    text = path.read_text()
    path.write_text(text.replace('"num_speculative_tokens\\":$DRAFT_TOKENS}"', forced))
    with pytest.raises(InputError, match="types an acceptance length in a fixed-sequence row"):
        run(bench)
    assert not (bench.path / "out").exists()
