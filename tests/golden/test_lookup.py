"""Lookups: the value that is due, or a refusal that says where the search ended. Never a neighbour."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import PROJECT
from hypothesis import given
from hypothesis import strategies as st

from sweepgate.errors import InputError
from sweepgate.golden.curves import load_curves
from sweepgate.golden.families import family_of
from sweepgate.golden.lookup import Speculation, lookup

CURVES = load_curves(PROJECT)
K3 = {"prefix": "kimik3", "method": "dspark"}
M3 = {"prefix": "minimaxm3", "method": "eagle3"}
HIT: list[tuple[dict[str, Any], float]] = [
    ({"prefix": "qwen3.5", "method": "mtp"}, 3.39),
    ({"prefix": "dsv4", "method": "mtp"}, 2.49),
    ({"prefix": "dsv4", "method": "mtp", "thinking": "off"}, 2.97),
    ({"prefix": "dsv4", "method": "mtp", "draft_tokens": 1}, 1.79),
    ({"prefix": "dsv4", "method": "dspark", "draft_sample_method": "probabilistic", "draft_tokens": 6}, 3.77),
    ({"prefix": "glm5.2", "method": "mtp"}, 2.99),
    ({"prefix": "kimik2.5", "method": "eagle3"}, 2.88),
    # What happened in public: 3.84 was pinned where the greedy curve's 3.78 was due.
    ({**K3, "draft_tokens": 7}, 3.78),
    ({**K3, "draft_tokens": 7, "draft_sample_method": "probabilistic"}, 3.84),
    ({**K3, "draft_sample_method": "probabilistic", "rejection_sample_method": "block"}, 3.00),
    ({**M3, "draft_model": "Inferact/MiniMax-M3-EAGLE3"}, 2.83),
    ({**M3, "draft_model": "/data/models/MiniMax-M3-EAGLE3-GQA"}, 2.78),
    ({"model": "Qwen/Qwen3.5-397B-A17B-FP8", "method": "mtp"}, 3.39),
    ({"model": "nvidia/Qwen3.5-397B-A17B-NVFP4-V2", "method": "mtp"}, 3.39),
    ({"prefix": "qwen3.5", "model": "Qwen/Qwen3.5-397B-A17B", "method": "mtp"}, 3.39),
]
MISS: list[tuple[dict[str, Any], str, str]] = [
    ({"prefix": "llama", "method": "mtp"}, "model prefix llama", "qwen3.5"),
    ({"prefix": "qwen3.5", "method": "eagle3"}, "method eagle3", "mtp"),
    ({"prefix": "qwen3.5", "method": "mtp", "model": "Qwen/Qwen3.5-35B-A3B"}, "model qwen3.5-35b-a3b", "397b"),
    ({"model": "Qwen/Qwen3.5-397B-A17B-Coder", "method": "mtp"}, "model qwen3.5-397b-a17b-coder", "397b"),
    ({"prefix": "qwen3.5", "method": "mtp", "draft_tokens": 9}, "9 draft tokens are not measured", "1, 2, 3"),
    ({"prefix": "qwen3.5", "method": "mtp", "draft_tokens": 0}, "0 draft tokens are not measured", "1, 2, 3"),
    ({"prefix": "qwen3.5", "method": "mtp", "draft_tokens": None}, "draft tokens must be given", "qwen3.5_mtp.yaml"),
    ({"prefix": "qwen3.5", "method": "mtp", "thinking": None}, "thinking must be given", "qwen3.5_mtp.yaml"),
    ({"prefix": "glm5.2", "method": "mtp", "thinking": "off"}, "thinking off is not measured", "thinking on in"),
    ({"prefix": "dsv4", "method": "dspark"}, "draft sampling greedy", "probabilistic"),
    ({"prefix": "qwen3.5", "method": "mtp", "draft_sample_method": "probabilistic"}, "sampling probabil", "greedy"),
    ({**K3, "rejection_sample_method": "block"}, "rejection sampling block", "standard"),
    ({**M3, "draft_model": "me/head"}, "draft model head", "minimax-m3-eagle3-gqa"),
    (M3, "several curves fit", "minimaxm3_eagle3_gqa.yaml"),
]


def wanted(fields: dict[str, Any]) -> Speculation:
    return Speculation(**{"thinking": "on", "draft_tokens": 3, **fields})


@pytest.mark.parametrize(("fields", "due"), HIT)
def test_values(fields: dict[str, Any], due: float) -> None:
    assert lookup(CURVES, wanted(fields)).length == due


@pytest.mark.parametrize(("fields", "message", "allowed"), MISS)
def test_refusals(fields: dict[str, Any], message: str, allowed: str) -> None:
    with pytest.raises(InputError) as error:
        lookup(CURVES, wanted(fields))
    (problem,) = error.value.problems
    assert message in problem.message
    assert allowed in (problem.allowed or "")
    assert problem.found


@given(
    st.sampled_from([*sorted({item.curve.model_prefix for item in CURVES}), "x"]),
    st.sampled_from(["mtp", "eagle3", "dspark", "draft_model"]),
    st.sampled_from(["on", "off"]),
    st.integers(-1, 20),
    st.sampled_from(["greedy", "probabilistic"]),
)
def test_a_value_is_a_committed_one_or_refused(prefix: str, method: str, thinking: str, k: int, sampler: str) -> None:
    committed = {
        item.curve.lengths(thinking).get(k)
        for item in CURVES
        if (item.curve.model_prefix, item.curve.method, item.curve.draft_sample_method) == (prefix, method, sampler)
    }
    try:
        found = lookup(CURVES, Speculation(method, thinking, k, prefix, draft_sample_method=sampler)).length
    except InputError:
        assert committed in ({None}, set()) or len(committed) > 1
    else:
        assert committed == {found}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Qwen/Qwen3.5-397B-A17B-FP8", "qwen3.5-397b-a17b"),
        ("nvidia/Qwen3.5-397B-A17B-NVFP4-V2", "qwen3.5-397b-a17b"),
        ("/scratch/models/DeepSeek-V4-Pro/", "deepseek-v4-pro"),
        ("deepseek-ai/DeepSeek-V4-Pro-0813", "deepseek-v4-pro-0813"),
        ("MiniMaxAI/MiniMax-M3-MXFP8", "minimax-m3"),
        ("zai-org/GLM-5.2-FP8", "glm-5.2"),
        ("me/fp8", "fp8"),
    ],
)
def test_families(model: str, family: str) -> None:
    assert family_of(model) == family
