"""The aiperf command of a row; that aiperf itself takes it is shown by the real sweep."""

from __future__ import annotations

from typing import Any

import pytest

from sweepgate.matrix.row import Row
from sweepgate.measure.client import NOMINAL_CLIENT, client_arguments, is_submission, requested

FIXED: dict[str, Any] = {
    "image": "i", "model": "org/m", "model-prefix": "m", "precision": "fp8", "framework": "vllm", "runner": "r",
    "exp-name": "e", "conc": 4, "tp": 1, "isl": 1000, "osl": 100,
}  # fmt: skip
AGENTIC = {name: value for name, value in FIXED.items() if name not in ("isl", "osl")} | {
    "scenario-type": "agentic-coding",
    "duration": 3600,
    "trace-set": "public_corpus",
}


def option(arguments: list[str], name: str) -> str:
    return arguments[arguments.index(name) + 1]


def test_fixed_lengths() -> None:
    row = Row.model_validate(FIXED)
    arguments = client_arguments(row, 4, NOMINAL_CLIENT)
    assert arguments[0] == "profile"
    assert option(arguments, "--concurrency") == "4"
    assert option(arguments, "--request-count") == "40" == str(requested(row, 4))
    assert option(arguments, "--warmup-request-count") == "8"
    assert option(arguments, "--random-range-ratio") == "0.8"
    assert (option(arguments, "--isl"), option(arguments, "--osl")) == ("1000", "100")
    # Warm-up and measured requests together must not need a prompt twice.
    assert option(arguments, "--num-dataset-entries") == "48"
    assert "--unsafe-override" not in arguments


@pytest.mark.parametrize(
    ("changes", "valid", "source"),
    [
        ({}, True, ["--public-dataset", "public_corpus"]),
        ({"duration": 900}, True, ["--public-dataset", "public_corpus"]),
        ({"duration": 899}, False, ["--public-dataset", "public_corpus"]),
        ({"trace-set": "traces/sample"}, False, ["--input-file", "/benchmarks/traces/sample"]),
    ],
)
def test_agentic_replay(changes: dict[str, Any], valid: bool, source: list[str]) -> None:
    row = Row.model_validate({**AGENTIC, **changes})
    arguments = client_arguments(row, 4, NOMINAL_CLIENT)
    assert option(arguments, "--scenario") == "inferencex-agentx-mvp"
    assert is_submission(row) is valid
    assert ("--unsafe-override" in arguments) is not valid
    assert option(arguments, source[0]) == source[1]
    assert requested(row, 4) is None
