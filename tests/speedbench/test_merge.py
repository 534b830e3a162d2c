"""Merging: a model's key is made anew, everything else in the file stays, and what must not mix is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from acceptance_bench import Bench

from sweepgate.cli import REPOSITORY
from sweepgate.errors import InputError
from sweepgate.golden.curves import SamplingModes, load_curves
from sweepgate.report.acceptance_summary import acceptance_summary, pull_request_body
from sweepgate.speedbench.cells import AcceptancePlan
from sweepgate.speedbench.merge import Merged, merge, merged_text
from sweepgate.speedbench.result import CellResult, Counted

RUN, NEXT = "https://github.com/o/r/actions/runs/5", "https://github.com/o/r/actions/runs/6"
OTHER = """\
# Source run: https://x/1
# Two models.
another:
  model-prefix: fake
  method: mtp
  source-run: https://x/1   # by hand
  measured-with: { engine: vllm, gpu: b300, dataset: speed-bench, category: coding, output-tokens: 4096 }
  sampling: { thinking_on: { temperature: 1.0 } }
  thinking_on: { 3: 2.5 }
# a comment between

"""
AFTER = OTHER.split("# Two models.\n")[1].replace("another:", "zebra:")


def result(
    number: int, length: float, mode: str = "on", status: str = "valid", error: float | None = 0.0123
) -> CellResult:
    counted = {
        "length": length, "standard-error": error, "block-error": True, "drafts": 9000, "source": "vllm", "answers": 80,
        "empty": 0, "reasoned": 80, "truncated": 3, "seconds": 60.0, "client": "aiperf 0.13.0",
    }  # fmt: skip
    data = {"name": "fake_mtp", "thinking": mode, "draft-tokens": number, "fingerprint": "f", "status": status}
    reasons = [] if status == "valid" else ["ready: `server` <died> @you"]
    return CellResult.model_validate({**data, "reasons": reasons, "counted": Counted.model_validate(counted)})


def commit(bench: Bench, merged: Merged | None) -> str:
    assert merged is not None
    text = merged_text(bench.path, merged)
    (bench.path / merged.file).write_text(text)
    load_curves(bench.path)
    return text


@pytest.fixture
def plan(bench: Bench) -> AcceptancePlan:
    return bench.acceptance_plan("1-3", "on,off")


def test_a_new_curve(bench: Bench, plan: AcceptancePlan) -> None:
    text = commit(bench, merge(bench.path, plan, [result(1, 1.8), result(2, 2.499, error=None), result(3, 3.0)], RUN))
    assert text.splitlines()[0] == f"# Source run: {RUN}"
    assert "  thinking_on: {1: 1.80, 2: 2.50, 3: 3.00}" in text
    assert "    thinking_on: {1: 0.012, 3: 0.012}" in text
    assert "thinking_off" not in text
    (curve,) = load_curves(bench.path)
    assert (curve.model, curve.curve.lengths("on")) == ("model", {1: 1.8, 2: 2.5, 3: 3.0})
    assert curve.curve.measured_with.image == "example/vllm:v1"
    assert curve.curve.sampling == SamplingModes.model_validate(
        {"thinking_on": {"temperature": 0.6, "top-p": 0.95, "chat-template-kwargs": {"enable_thinking": True}}}
    )


@pytest.mark.parametrize("has_model", [False, True])
def test_other_models_stay_byte_for_byte(bench: Bench, plan: AcceptancePlan, has_model: bool) -> None:
    path = bench.path / "golden_al_distribution" / "fake_mtp.yaml"
    path.write_text(OTHER + AFTER)
    if has_model:
        commit(bench, merge(bench.path, plan, [result(3, 2.0)], RUN))
    text = commit(bench, merge(bench.path, plan, [result(3, 2.6)], NEXT))
    assert text.startswith(f"# Source run: {NEXT}\n" + OTHER.split("\n", 1)[1])
    assert AFTER in text
    assert {item.model: item.curve.lengths("on") for item in load_curves(bench.path)} == {
        "another": {3: 2.5}, "zebra": {3: 2.5}, "model": {3: 2.6},
    }  # fmt: skip


def test_what_a_run_did_not_measure_is_kept_and_says_where_it_is_from(bench: Bench, plan: AcceptancePlan) -> None:
    commit(bench, merge(bench.path, plan, [result(1, 1.8), result(2, 2.4), result(2, 2.3, "off")], RUN))
    merged = merge(bench.path, plan, [result(2, 2.5), result(3, 9.0, status="invalid")], NEXT)
    assert merged is not None
    assert merged.kept == ["on-1", "off-2"]
    commit(bench, merged)
    (item,) = load_curves(bench.path)
    assert (item.curve.lengths("on"), item.curve.lengths("off")) == ({1: 1.8, 2: 2.5}, {2: 2.3})
    assert (item.curve.source_run, item.curve.earlier_runs) == (NEXT, [RUN])
    # The whole curve again: nothing of earlier runs is left.
    whole = merge(bench.path, plan, [result(1, 1.9), result(2, 2.5), result(2, 2.3, "off")], "https://x/7")
    commit(bench, whole)
    assert load_curves(bench.path)[0].curve.earlier_runs is None


def test_nothing_valid_merges_nothing(bench: Bench, plan: AcceptancePlan) -> None:
    assert merge(bench.path, plan, [result(3, 2.0, status="failed")], RUN) is None
    assert merge(bench.path, plan, [], RUN) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"draft_model": "x/y"}, "the committed curve is another one"),
        ({"draft_sample_method": "probabilistic"}, "the committed curve is another one"),
        ({"method": "eagle3"}, "the committed curve is another one"),
        ({"model_prefix": "other"}, "the committed curve is another one"),
        ({"model": "example/Model-FP8"}, "another checkpoint of this family is committed"),
        ({"sampling": SamplingModes.model_validate({"thinking_on": {"temperature": 0.1}})}, "were sampled differently"),
    ],
)
def test_what_must_not_mix(bench: Bench, plan: AcceptancePlan, change: dict[str, object], words: str) -> None:
    before = commit(bench, merge(bench.path, plan, [result(1, 1.8), result(2, 2.4)], RUN))
    other = plan.model_copy(update={"collection": plan.collection.model_copy(update=change)})
    with pytest.raises(InputError, match=words):
        commit(bench, merge(bench.path, other, [result(2, 2.5)], NEXT))
    assert (bench.path / "golden_al_distribution" / "fake_mtp.yaml").read_text() == before


def test_an_impossible_length_cannot_be_merged(bench: Bench, plan: AcceptancePlan) -> None:
    with pytest.raises(InputError, match="impossible with 2 draft tokens"):
        merge(bench.path, plan, [result(2, 3.2)], RUN)


def test_every_published_curve_can_be_merged_into(tmp_path: Path, bench: Bench, plan: AcceptancePlan) -> None:
    shutil.copytree(REPOSITORY / "golden_al_distribution", tmp_path / "r" / "golden_al_distribution")
    before = {(item.file, item.model): item.curve for item in load_curves(tmp_path / "r")}
    for (file, _), curve in before.items():
        name = Path(file).stem
        change = {field: getattr(curve, field) for field in ("model_prefix", "method", "draft_model")}
        change |= {"draft_sample_method": curve.draft_sample_method, "sampling": curve.sampling}
        change |= {"rejection_sample_method": curve.rejection_sample_method, "model": "x/A-New-One"}
        new = plan.model_copy(update={"name": name, "collection": plan.collection.model_copy(update=change)})
        merged = merge(tmp_path / "r", new, [result(3, 2.2)], RUN)
        assert merged is not None
        text = merged_text(tmp_path / "r", merged)
        (tmp_path / "r" / file).write_text(text)
    after = {(item.file, item.model): item.curve for item in load_curves(tmp_path / "r")}
    assert {key: curve for key, curve in after.items() if key[1] != "a-new-one"} == before


def test_the_summary_says_it_all(bench: Bench, plan: AcceptancePlan) -> None:
    commit(bench, merge(bench.path, plan, [result(1, 1.8), result(2, 2.4), result(3, 2.9)], RUN))
    found = [result(1, 1.81), result(2, 2.6), result(3, 2.0, status="failed"), result(1, 1.7, "off", error=None)]
    results = {item.id: item for item in found}
    merged = merge(bench.path, plan, found, NEXT)
    text = acceptance_summary(plan, results, merged, NEXT)
    assert text.splitlines()[0] == "## ❌ INCOMPLETE: 3 of 6 acceptance lengths of fake\\_mtp are valid"
    assert "- `on-3` is failed: ready: \\`server\\` &lt;died&gt; &#64;you" in text
    assert "- `off-2` has no result: run its job again" in text
    assert "| on | 1 | 1.80 | **1.81** | 0.012 | +0.01 | 9,000 | 3 of 80 |  |" in text
    assert "| on | 2 | 2.40 | **2.60** | 0.012 | +0.20 | 9,000 | 3 of 80 | ⚠ changed |" in text
    assert "| on | 3 | 2.90 | 2.90 |  |  |  |  | kept |" in text
    assert "| off | 1 |  | **1.70** |  |  | 9,000 | 3 of 80 | new |" in text
    assert '    x-axis "draft tokens" [1, 2, 3]\n' in text
    assert "    bar [1.80, 2.40, 2.90]\n    line [1.81, 2.60, 2.90]\n" in text
    assert "1 committed values are kept from earlier runs: on-3." in text
    assert merged is not None
    assert pull_request_body(text, merged).splitlines()[0] == f"Source run: {NEXT}"
