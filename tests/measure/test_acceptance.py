"""Acceptance from counters: pages of the shape that vLLM 0.24 and SGLang 0.5.16 showed on an H200, and every fault."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from conftest import PROJECT

from sweepgate.measure.acceptance import Acceptance, looks_forced, read_acceptance, schedule, schedule_error
from sweepgate.measure.server_metrics import CounterResetError, read_pages

RECORDED = PROJECT.parent / "shared" / "data" / "h200"


def vllm_page(drafts: int, accepted: list[int], engine: str = "0", created: float = 1.7e9) -> str:
    """A vLLM server that verified `drafts` drafts and accepted so many tokens at each position."""
    labels = f'engine="{engine}",model_name="m"'
    lines = []
    for name, value in (
        ("drafts", drafts),
        ("draft_tokens", drafts * len(accepted)),
        ("accepted_tokens", sum(accepted)),
    ):
        lines += [f"# TYPE vllm:spec_decode_num_{name}_total counter"]
        lines += [f"vllm:spec_decode_num_{name}_total{{{labels}}} {float(value)}"]
        lines += [f"# TYPE vllm:spec_decode_num_{name}_created gauge"]
        lines += [f"vllm:spec_decode_num_{name}_created{{{labels}}} {created}"]
    lines += ["# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter"]
    for position, value in enumerate(accepted):
        series = f'{{{labels},position="{position}"}}'
        lines += [f"vllm:spec_decode_num_accepted_tokens_per_pos_total{series} {float(value)}"]
    return "\n".join(lines) + "\n"


def sglang_page(calls: int, tokens: int, requests: int, last_interval: float = 9.9) -> str:
    labels = '{engine_type="unified",model_name="m"}'
    return (
        f"# TYPE sglang:spec_accept_length gauge\nsglang:spec_accept_length{labels} {last_interval}\n"
        f"# TYPE sglang:spec_verify_calls_total counter\nsglang:spec_verify_calls_total{labels} {float(calls)}\n"
        f"# TYPE sglang:generation_tokens_total counter\nsglang:generation_tokens_total{labels} {float(tokens)}\n"
        f"# TYPE sglang:num_requests_total counter\nsglang:num_requests_total{labels} {float(requests)}\n"
    )


def between(before: list[str], after: list[str], conc: int = 1) -> Acceptance:
    found = read_acceptance(read_pages(before), read_pages(after), conc)
    assert found is not None
    return found


def test_vllm() -> None:
    found = between([vllm_page(100, [100, 50, 0])], [vllm_page(1100, [1100, 540, 0])])
    assert (found.length, found.drafts, found.rates) == (2.49, 1000, [1.0, 0.49, 0.0])
    assert found.standard_error == pytest.approx(math.sqrt(0.49 * 0.51 / 1000))


def test_real_acceptance_spreads_more() -> None:
    """Its error is that of the accepted tokens of each draft, whatever their distribution."""
    generator = random.Random(1)
    counts = [0, 0, 0]
    lengths = []
    for _ in range(20_000):
        length = next((index for index in range(3) if generator.random() > 0.7), 3)
        lengths.append(length)
        for index in range(length):
            counts[index] += 1
    found = between([vllm_page(0, [0, 0, 0])], [vllm_page(20_000, counts)])
    mean = sum(lengths) / len(lengths)
    deviation = math.sqrt(sum((length - mean) ** 2 for length in lengths) / len(lengths))
    assert found.length == pytest.approx(1 + mean)
    assert found.standard_error == pytest.approx(deviation / math.sqrt(20_000))


def test_several_workers_are_summed() -> None:
    """Dynamo: one page a worker, and data-parallel engines on one page."""
    before = [vllm_page(10, [10, 0, 0]), vllm_page(0, [0, 0, 0]) + vllm_page(5, [5, 5, 5], engine="1")]
    after = [vllm_page(110, [110, 50, 0]), vllm_page(100, [100, 48, 0]) + vllm_page(205, [205, 105, 5], engine="1")]
    found = between(before, after)
    assert (found.drafts, found.length) == (400, 1 + (100 + 50 + 100 + 48 + 200 + 100) / 400)


def test_ten_positions_stay_in_order() -> None:
    accepted = [100 - 5 * position for position in range(10)]
    found = between([vllm_page(0, [0] * 10)], [vllm_page(100, accepted)])
    assert found.rates == [count / 100 for count in accepted]


def test_a_restart_of_one_worker_among_several() -> None:
    before = [vllm_page(500, [500, 0, 0]), vllm_page(500, [500, 0, 0])]
    after = [vllm_page(100, [100, 0, 0]), vllm_page(2000, [2000, 0, 0])]
    with pytest.raises(CounterResetError, match="fell from 500 to 100 in process 0"):
        between(before, after)


def test_a_restart_that_caught_up() -> None:
    with pytest.raises(CounterResetError, match="created changed"):
        between([vllm_page(500, [500, 0, 0])], [vllm_page(900, [900, 0, 0], created=1.8e9)])


def test_sglang_counts_calls_and_tokens_and_not_its_gauge() -> None:
    """44 requests of 256 tokens: each has a first token from its prefill and a last step that is cut short."""
    found = between([sglang_page(3, 8, 1)], [sglang_page(3314, 11272, 45)], conc=8)
    assert found.length == pytest.approx(3.40, abs=0.01)
    assert (found.drafts, found.draws, found.rates) == (3311, 3311 / 8, None)
    unforced = between([sglang_page(7, 8, 1)], [sglang_page(11226, 11272, 45)], conc=8)
    assert unforced.length == pytest.approx(1.0, abs=0.005)


def test_sglang_estimate_is_right_for_cut_steps() -> None:
    generator = random.Random(2)
    calls = tokens = 0
    for _ in range(3000):
        made, asked = 1, generator.randint(40, 120)
        while made < asked:
            made += 3 + (generator.random() < 0.39)
            calls += 1
        tokens += asked
    found = between([sglang_page(0, 0, 0)], [sglang_page(calls, tokens, 3000)])
    assert found.length == pytest.approx(3.39, abs=0.01)


def test_no_speculation_counted() -> None:
    assert read_acceptance(read_pages(["a_total 1\n"]), read_pages(["a_total 2\n"]), 1) is None
    nothing = between([vllm_page(5, [5, 0, 0])], [vllm_page(5, [5, 0, 0])])
    assert (nothing.length, nothing.drafts, nothing.rates, nothing.standard_error) == (None, 0, None, None)
    assert between([sglang_page(0, 0, 0)], [sglang_page(0, 100, 4)]).length is None


@pytest.mark.parametrize(
    ("length", "positions", "rates"),
    [
        (2.49, 3, [1, 0.49, 0]),
        (1.0, 2, [0, 0]),
        (4.0, 3, [1, 1, 1]),
        (1.84, 1, [0.84]),
        (3.78, 7, [1, 1, 0.78, 0, 0, 0, 0]),
    ],
)
def test_schedules(length: float, positions: int, rates: list[float]) -> None:
    assert schedule(length, positions) == pytest.approx(rates)
    assert sum(schedule(length, positions)) == pytest.approx(length - 1)


def test_errors_of_a_schedule() -> None:
    assert schedule_error(2.49, 11094) == pytest.approx(0.00475, abs=1e-5)
    assert schedule_error(3.0, 100) == 0
    assert schedule_error(2.5, 0) == math.inf


@pytest.mark.parametrize(
    ("rates", "drafts", "forced"),
    [
        ([1, 0.49, 0], 5000, True),
        ([1, 1, 1], 5000, True),
        ([0.84, 0, 0], 5000, True),
        ([1, 0.49, 0], 150, False),
        ([0.9, 0.7, 0.5], 5000, False),
        ([0.84], 5000, False),
        ([1, 0.6, 0.3], 5000, False),
        ([0.0003, 0, 0], 11000, False),
        ([0, 0, 0], 11000, False),
        (None, 5000, False),
    ],
)
def test_what_looks_forced(rates: list[float] | None, drafts: int, forced: bool) -> None:
    assert looks_forced(rates, drafts) is forced


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not on this machine")
@pytest.mark.parametrize(("name", "length", "drafts"), [("al249", 2.4904, 11094), ("real", 1.0003, None)])
def test_recordings_of_vllm(name: str, length: float, drafts: int | None) -> None:
    def page(when: str) -> str:
        return Path(RECORDED, f"{when}_mtp_k3_{name}.txt").read_text()

    found = between([page("before")], [page("after")])
    assert found.length == pytest.approx(length, abs=1e-4)
    assert drafts in (None, found.drafts)
    assert looks_forced(found.rates, found.drafts) is (name == "al249")


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recordings are not on this machine")
@pytest.mark.parametrize(("name", "length"), [("forced_3.39", 3.39), ("unforced", 1.0)])
def test_recordings_of_sglang(name: str, length: float) -> None:
    page = Path(RECORDED, f"sglang_metrics_{name}.txt").read_text()
    found = read_acceptance({}, read_pages([page]), 8)
    assert found is not None
    assert found.length == pytest.approx(length, abs=0.03)
