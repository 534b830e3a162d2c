"""A golden acceptance length in each engine's own words, put into a server command.

Units: AL counts the target's own token. vLLM, SGLang and ATOM take AL as it is; TensorRT-LLM counts draft tokens only,
so it takes AL - 1 (public AgentX rules: golden_al_distribution/README.md of SemiAnalysisAI/InferenceX).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.statements import ResolvedCommand

SPECULATIVE_CONFIG = "--speculative-config"
SGLANG_LENGTH = "SGLANG_SIMULATE_ACC_LEN"
SGLANG_METHOD = "SGLANG_SIMULATE_ACC_METHOD"
SGLANG_TOKENS = "SGLANG_SIMULATE_ACC_TOKEN_MODE"
TRTLLM_ACCEPTED = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"
ATOM_LENGTH = "--spec-decode-acceptance-length"

# Catalogue framework → the engine that verifies drafts; what is not here cannot be forced.
ENGINE_OF = {
    "atom": "atom",
    "dynamo-sglang": "sglang",
    "dynamo-trt": "trtllm",
    "dynamo-vllm": "vllm",
    "sglang": "sglang",
    "trt": "trtllm",
    "vllm": "vllm",
}


@dataclass(frozen=True)
class Rendered:
    """What is added to a server: exported variables, arguments, and keys of vLLM's `--speculative-config`."""

    environment: dict[str, str]
    arguments: list[str]
    speculative_config: dict[str, object]


def render(engine: str, length: float, draft_tokens: int) -> Rendered:
    """Return how `engine` (vllm, sglang, trtllm, atom) is told to accept `length` tokens a step.

    Raises InputError for a length that the engine would refuse: below 1 or above draft tokens + 1.
    """
    if not 1 <= length <= draft_tokens + 1:
        allowed = f"1 to {draft_tokens + 1} (draft tokens + 1)"
        raise InputError(Problem("acceptance length is out of range", None, None, None, f"{length:g}", allowed))
    try:
        return RENDERERS[engine](length)
    except KeyError:
        allowed = ", ".join(RENDERERS)
        raise InputError(
            Problem("acceptance cannot be forced for this engine", found=engine, allowed=allowed)
        ) from None


def _vllm(length: float) -> Rendered:
    return Rendered({}, [], {"rejection_sample_method": "synthetic", "synthetic_acceptance_length": length})


def _sglang(length: float) -> Rendered:
    variables = {SGLANG_LENGTH: f"{length:.2f}", SGLANG_METHOD: "match-expected", SGLANG_TOKENS: "real-draft-token"}
    return Rendered(variables, [], {})


def _trtllm(length: float) -> Rendered:
    return Rendered({TRTLLM_ACCEPTED: str(Decimal(f"{length:.2f}") - 1)}, [], {})


def _atom(length: float) -> Rendered:
    return Rendered({}, [ATOM_LENGTH, f"{length:.2f}"], {})


RENDERERS: dict[str, Callable[[float], Rendered]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "trtllm": _trtllm,
    "atom": _atom,
}


def apply(command: ResolvedCommand, rendered: Rendered) -> ResolvedCommand:
    """Return the command with the forced length in it. Its `--speculative-config`, where needed, must be JSON."""
    argv = [*command.argv, *rendered.arguments]
    if rendered.speculative_config:
        index, text = speculative_config(argv)
        merged = json.dumps({**json.loads(text), **rendered.speculative_config}, separators=(",", ":"))
        argv[index] = merged if argv[index] == text else f"{SPECULATIVE_CONFIG}={merged}"
    return replace(command, argv=argv, environment={**command.environment, **rendered.environment})


def speculative_config(argv: Sequence[str]) -> tuple[int, str]:
    """Return where vLLM's `--speculative-config` value stands in `argv`, and the value. Raises LookupError."""
    for index, word in enumerate(argv):
        if word == SPECULATIVE_CONFIG and index + 1 < len(argv):
            return index + 1, argv[index + 1]
        if word.startswith(f"{SPECULATIVE_CONFIG}="):
            return index, word.removeprefix(f"{SPECULATIVE_CONFIG}=")
    raise LookupError(SPECULATIVE_CONFIG)
