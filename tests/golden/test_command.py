"""What a server command says about speculation, in every engine's own words."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from sweepgate.golden.command import engine_of, json_object, model_of, read_command, unknown

ACC = {"SGLANG_SIMULATE_ACC_LEN": "3.39", "SGLANG_SIMULATE_ACC_METHOD": "match-expected"}
REAL = {**ACC, "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token"}
SGLANG = "python3 -m sglang.launch_server --speculative-algorithm"
ATOM = "python -m atom.entrypoints.openai_server --method mtp --num-speculative-tokens 3"
FORCED = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
MTP3 = """vllm serve m -sc '{"method":"mtp","num_speculative_tokens":3}'"""
RATES = """'{"method":"mtp","rejection_sample_method":"synthetic","synthetic_acceptance_rates":[0.9,0.5]}'"""
EAGLE3 = f"{SGLANG} EAGLE3 --speculative-num-draft-tokens=4"


@pytest.mark.parametrize(
    ("command", "engine"),
    [
        ("vllm serve m", "vllm"),
        ("/opt/venv/bin/vllm serve m", "vllm"),
        ("python3 -m vllm.entrypoints.openai.api_server --model m", "vllm"),
        ("python3 -m dynamo.vllm --model m", "vllm"),
        ("numactl -N 0 vllm serve m", "vllm"),
        ("vllm bench serve --model m", None),
        ("python3 -m sglang.launch_server", "sglang"),
        ("sglang serve --model-path m", "sglang"),
        ("trtllm-serve m", "trtllm"),
        ("mpirun -n 1 trtllm-llmapi-launch trtllm-serve m", "trtllm"),
        ("python -m atom.entrypoints.openai_server --model m", "atom"),
        ("python3 -m dynamo.frontend", None),
        ("aiperf profile --model vllm", None),
        ("pip install vllm", None),
        ("hf download nvidia/vllm", None),
    ],
)
def test_engines(command: str, engine: str | None) -> None:
    assert engine_of(shlex.split(command)) == engine


# (engine, command, environment) → method, draft tokens, sampler, forced length, flaw of either
READ: dict[str, tuple[str, str, dict[str, str], tuple[Any, ...] | None]] = {
    "vllm": ("vllm", MTP3, {}, ("mtp", 3, None, None, None)),
    "vllm, model's own method": (
        "vllm",
        """vllm serve m --speculative_config='{"method":"deepseek_mtp","num_speculative_tokens":"2"}'""",
        {},
        ("mtp", 2, None, None, None),
    ),
    "vllm, dotted": (
        "vllm",
        "vllm serve m --speculative-config.method eagle3 --speculative-config.num_speculative_tokens=4",
        {},
        ("eagle3", 4, None, None, None),
    ),
    "vllm, forced": (
        "vllm",
        """vllm serve m --speculative-config '{"method":"dspark","num_speculative_tokens":7,"draft_sample_method":
        "probabilistic","rejection_sample_method":"synthetic","synthetic_acceptance_length":3.84}'""",
        {},
        ("dspark", 7, "probabilistic", 3.84, None),
    ),
    "vllm, ignored length": (
        "vllm",
        """vllm serve m --speculative-config '{"method":"mtp","synthetic_acceptance_length":2}'""",
        {},
        ("mtp", None, None, 2.0, "is ignored without rejection_sample_method synthetic"),
    ),
    "vllm, half forced": (
        "vllm",
        """vllm serve m --speculative-config '{"method":"mtp","rejection_sample_method":"synthetic"}'""",
        {},
        ("mtp", None, None, None, "lacks synthetic_acceptance_length"),
    ),
    "vllm, rates": (
        "vllm",
        f"vllm serve m -sc {RATES}",
        {},
        ("mtp", None, None, 2.4, "give synthetic_acceptance_length, not rates"),
    ),
    "vllm, not JSON": ("vllm", "vllm serve m --speculative-config mtp", {}, (None, None, None, None, "is not JSON")),
    "vllm, none": ("vllm", "vllm serve m", {}, None),
    "sglang": (
        "sglang",
        f"{SGLANG} NEXTN --speculative-num-steps 3 --speculative-num-draft-tokens 4",
        REAL,
        ("mtp", 3, None, 3.39, None),
    ),
    "sglang, verified tokens only": ("sglang", EAGLE3, {}, ("eagle3", 3, None, None, None)),
    "sglang, dspark": (
        "sglang",
        f"{SGLANG} DSPARK --speculative-dspark-block-size 6 --speculative-num-draft-tokens 7",
        {},
        ("dspark", 6, None, None, None),
    ),
    "sglang, counts that disagree": (
        "sglang",
        f"{SGLANG} EAGLE --speculative-num-steps 3 --speculative-num-draft-tokens 3",
        {},
        ("mtp", 3, None, None, "verifies 3; 4 are due"),
    ),
    "sglang, a tree": (
        "sglang",
        f"{SGLANG} EAGLE --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 16",
        REAL,
        ("mtp", 3, None, 3.39, "eagle-topk 4"),
    ),
    "sglang, fixed tokens": ("sglang", f"{SGLANG} EAGLE", ACC, ("mtp", None, None, 3.39, "not set, which means fixed")),
    "sglang, another method": (
        "sglang",
        f"{SGLANG} EAGLE",
        {**REAL, "SGLANG_SIMULATE_ACC_METHOD": "multinomial"},
        ("mtp", None, None, 3.39, "is multinomial"),
    ),
    "sglang, switched off": ("sglang", "python3 -m sglang.launch_server", {"SGLANG_SIMULATE_ACC_LEN": "-1"}, None),
    "trtllm": ("trtllm", "trtllm-serve m", {FORCED: "1.49"}, (None, None, None, 2.49, None)),
    "atom": (
        "atom",
        f"{ATOM} --spec-decode-acceptance-length 2.49",
        {},
        ("mtp", 3, None, 2.49, None),
    ),
    "atom, rate": (
        "atom",
        f"{ATOM} --spec-decode-acceptance-rate 0.497",
        {},
        ("mtp", 3, None, 2.491, None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_commands(name: str) -> None:
    engine, command, environment, expected = READ[name]
    seen = read_command(engine, shlex.split(command), environment)
    if expected is None:
        assert seen is None
        return
    assert seen is not None
    length = seen.forced.length if seen.forced else None
    assert (seen.method, seen.draft_tokens, seen.draft_sample_method, length) == expected[:4]
    flaw = seen.flaw or (seen.forced.flaw if seen.forced else None)
    assert (flaw is None) == (expected[4] is None)
    assert (expected[4] or "") in (flaw or "")


def test_parts_that_are_not_known() -> None:
    text = f'{{"method": "mtp", "num_speculative_tokens": {unknown("K")}, "model": "{unknown("D")}/x"}}'
    parsed = json_object(text)
    assert parsed == {"method": "mtp", "num_speculative_tokens": unknown("K"), "model": f"{unknown('D')}/x"}
    seen = read_command("vllm", ["vllm", "serve", "--speculative-config", text], {})
    assert seen is not None
    assert (seen.method, seen.draft_tokens, seen.draft_model, seen.open_names) == ("mtp", None, None, ("K",))


def test_models() -> None:
    assert model_of(shlex.split("vllm serve a/b --port 1")) == "a/b"
    assert model_of(shlex.split("python -m sglang.launch_server --model-path /x/c --served-model-name d")) == "d"
    assert model_of(["vllm", "serve", unknown("MODEL")]) is None
