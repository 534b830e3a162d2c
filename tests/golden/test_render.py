"""Each engine's words for a length, put into its command and read back out of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepgate.errors import InputError
from sweepgate.fingerprint.statements import ResolvedCommand
from sweepgate.golden.command import read_command
from sweepgate.golden.render import RENDERERS, apply, render

CONFIG = '{"method":"mtp","num_speculative_tokens":3}'
SERVERS = {
    "vllm": ["vllm", "serve", "m", "--speculative-config", CONFIG, "--port", "1"],
    "sglang": ["python3", "-m", "sglang.launch_server", "--speculative-algorithm=EAGLE", "--speculative-num-steps=3"],
    "trtllm": ["trtllm-serve", "m"],
    "atom": ["python", "-m", "atom.entrypoints.openai_server", "--method", "mtp", "--num-speculative-tokens", "3"],
}


def forced(engine: str, length: float) -> ResolvedCommand:
    return apply(ResolvedCommand(SERVERS[engine], {"A": "1"}), render(engine, length, 3))


def test_vllm() -> None:
    command = forced("vllm", 2.49)
    assert command.argv[:4] == SERVERS["vllm"][:4]
    assert command.argv[5:] == ["--port", "1"]
    expected = {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": 2.49}
    assert json.loads(command.argv[4]) == json.loads(CONFIG) | expected
    assert command.environment == {"A": "1"}


def test_vllm_with_an_equals_sign_and_a_method_to_replace() -> None:
    config = '--speculative-config={"method":"dspark","num_speculative_tokens":3,"rejection_sample_method":"block"}'
    command = apply(ResolvedCommand(["vllm", "serve", config], {}), render("vllm", 3.0, 3))
    option, text = command.argv[2].split("=", 1)
    assert option == "--speculative-config"
    assert json.loads(text)["rejection_sample_method"] == "synthetic"


def test_sglang() -> None:
    assert forced("sglang", 3.39).environment == {
        "A": "1",
        "SGLANG_SIMULATE_ACC_LEN": "3.39",
        "SGLANG_SIMULATE_ACC_METHOD": "match-expected",
        "SGLANG_SIMULATE_ACC_TOKEN_MODE": "real-draft-token",
    }


def test_trtllm_counts_draft_tokens_only() -> None:
    assert forced("trtllm", 2.49).environment["TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"] == "1.49"


def test_atom() -> None:
    assert forced("atom", 3.0).argv[-2:] == ["--spec-decode-acceptance-length", "3.00"]


@given(st.sampled_from(list(RENDERERS)), st.integers(100, 400))
def test_what_is_rendered_is_read_back(engine: str, hundredths: int) -> None:
    command = forced(engine, hundredths / 100)
    seen = read_command(engine, command.argv, command.environment)
    assert seen is not None
    assert seen.forced is not None
    assert (seen.forced.length, seen.forced.flaw) == (hundredths / 100, None)


@pytest.mark.parametrize("length", [0.99, 4.01, -1, float("nan")])
def test_out_of_range(length: float) -> None:
    with pytest.raises(InputError, match="out of range"):
        render("vllm", length, 3)


def test_an_engine_without_a_way() -> None:
    with pytest.raises(InputError, match="cannot be forced for this engine"):
        render("tilert", 2.0, 3)
