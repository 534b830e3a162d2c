"""Which rows are forced, and every disagreement between a row and its recipe that would take another curve."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import PROJECT

from sweepgate.errors import InputError
from sweepgate.fingerprint.statements import ResolvedCommand
from sweepgate.golden.curves import load_curves
from sweepgate.golden.forcing import check_speculation, force, golden_of
from sweepgate.matrix.row import Row

CURVES = load_curves(PROJECT)
ROW = Row.model_validate(
    {
        "image": "vllm/vllm-openai:v0.27.1",
        "model": "deepseek-ai/DeepSeek-V4-Pro",
        "model-prefix": "dsv4",
        "precision": "fp4",
        "framework": "vllm",
        "runner": "cluster:b300-nv",
        "exp-name": "e",
        "conc": 4,
        "tp": 8,
        "scenario-type": "agentic-coding",
        "duration": 3600,
        "spec-decoding": "mtp",
        "draft-tokens": 3,
        "thinking": "on",
    }
)
FIXED = ROW.model_copy(update={"scenario_type": None, "duration": None, "isl": 1024, "osl": 64})
EVAL = ROW.model_copy(update={"eval_only": True})
PLAIN = ROW.model_copy(update={"spec_decoding": "none", "draft_tokens": None})
DSPARK = ROW.model_copy(
    update={
        "spec_decoding": "dspark",
        "model": "deepseek-ai/DeepSeek-V4-Pro-0813",
        "draft_sample_method": "probabilistic",
        "draft_tokens": 6,
    }
)
CONFIG: dict[str, Any] = {"method": "mtp", "num_speculative_tokens": 3}


def command(**changes: Any) -> ResolvedCommand:
    config = {name: value for name, value in {**CONFIG, **changes}.items() if value is not None}
    return ResolvedCommand(["vllm", "serve", "m", "--speculative-config", json.dumps(config)], {})


def run(row: Row, given: ResolvedCommand) -> float | None:
    found, _ = force(row, given, golden_of(row, CURVES))
    length: float | None = json.loads(found.argv[-1]).get("synthetic_acceptance_length")
    return length


@pytest.mark.parametrize(
    ("row", "given", "due"),
    [
        (ROW, command(), 2.49),
        (ROW.model_copy(update={"thinking": "off"}), command(), 2.97),
        (ROW, command(draft_sample_method="greedy", method="deepseek_mtp"), 2.49),
        (ROW, command(model="/models/DeepSeek-V4-Pro"), 2.49),
        (DSPARK, command(method="dspark", num_speculative_tokens=6, draft_sample_method="probabilistic"), 3.77),
        # A typed number that is the golden one changes nothing.
        (ROW, command(rejection_sample_method="synthetic", synthetic_acceptance_length=2.49), 2.49),
        (FIXED, command(), None),
        (EVAL, command(), None),
    ],
)
def test_forced_rows(row: Row, given: ResolvedCommand, due: float | None) -> None:
    assert run(row, given) == due


SYNTHETIC = {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": 2.49}
REFUSED: dict[str, tuple[Row, ResolvedCommand, str]] = {
    "another draft length": (ROW, command(num_speculative_tokens=2), "draft tokens differs"),
    "another method": (ROW, command(method="eagle3"), "method differs"),
    "another sampler": (ROW, command(draft_sample_method="probabilistic"), "draft sampling differs"),
    "a sampler flag that was dropped": (DSPARK, command(method="dspark", num_speculative_tokens=6), "draft sampling"),
    "another draft model": (ROW, command(model="me/head"), "draft model differs"),
    "another verification": (ROW, command(rejection_sample_method="block"), "rejection sampling differs"),
    "another length typed": (ROW, command(**{**SYNTHETIC, "synthetic_acceptance_length": 2.5}), "not the golden one"),
    "a neighbour's length typed": (ROW, command(**{**SYNTHETIC, "synthetic_acceptance_length": 2.54}), "golden one"),
    "a length typed in an eval": (EVAL, command(**SYNTHETIC), "in an eval"),
    "a length typed for fixed sequences": (FIXED, command(**SYNTHETIC), "in a fixed-sequence row"),
    "no curve": (ROW.model_copy(update={"draft_tokens": 9}), command(num_speculative_tokens=9), "9 draft tokens are"),
    "an old image": (ROW.model_copy(update={"image": "vllm/vllm-openai:v0.19.0"}), command(), "too old to read"),
    "a framework without a way": (ROW.model_copy(update={"framework": "tilert"}), command(), "cannot be told"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    row, given, words = REFUSED[name]
    with pytest.raises(InputError, match=words):
        run(row, given)


def test_a_forced_row_needs_a_process_that_speculates() -> None:
    golden = golden_of(ROW, CURVES)
    frontend = ResolvedCommand(["python3", "-m", "dynamo.frontend"], {})
    assert force(ROW, frontend, golden) == (frontend, False)
    check_speculation(ROW, golden, [False, True])
    with pytest.raises(InputError, match="no server process speculates"):
        check_speculation(ROW, golden, [False, False])
    check_speculation(PLAIN, golden_of(PLAIN, CURVES), [False])
