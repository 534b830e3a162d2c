"""Which image reads which knob, from its name alone."""

from __future__ import annotations

import pytest

from sweepgate.errors import InputError
from sweepgate.golden.knobs import check_image, version_of


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("lmsysorg/sglang:v0.5.16-cu130", "0.5.16"),
        ("lmsysorg/sglang:v0.5.15.post1", "0.5.15.post1"),
        ("vllm/vllm-openai:v0.27.1", "0.27.1"),
        ("vllm/vllm-openai:v0.24.0@sha256:aa", "0.24.0"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc2", "1.3.0rc2"),
        ("localhost:5000/sglang", None),
        ("lmsysorg/sglang:latest", None),
        ("lmsysorg/sglang:nightly-dev-cu13-20260724-433429b1", None),
        ("vllm/vllm-openai:nightly-ac7509e2b1db40fec2f03dde1ed4e9dfdc2338c9", None),
        ("x/y@sha256:0.5.16", None),
    ],
)
def test_versions(image: str, version: str | None) -> None:
    found = version_of(image)
    assert (None if found is None else str(found)) == version


@pytest.mark.parametrize(
    ("engine", "image", "named"),
    [
        ("sglang", "lmsysorg/sglang:v0.5.15-cu130", ["SGLANG_SIMULATE_ACC_TOKEN_MODE (from 0.5.16)"]),
        ("sglang", "lmsysorg/sglang:v0.5.15.post1", ["SGLANG_SIMULATE_ACC_TOKEN_MODE"]),
        ("sglang", "lmsysorg/sglang:v0.5.2", ["SGLANG_SIMULATE_ACC_LEN", "SGLANG_SIMULATE_ACC_TOKEN_MODE"]),
        ("vllm", "vllm/vllm-openai:v0.19.1", ["synthetic_acceptance_length (from 0.20.0)"]),
    ],
)
def test_too_old(engine: str, image: str, named: list[str]) -> None:
    with pytest.raises(InputError) as error:
        check_image(engine, image)
    (problem,) = error.value.problems
    assert problem.found == image
    assert all(name in problem.message for name in named)


@pytest.mark.parametrize(("engine", "image"), [("sglang", "a/b:v0.5.16-cu130"), ("vllm", "a/b:v0.20.0")])
def test_new_enough(engine: str, image: str) -> None:
    assert check_image(engine, image) is None


@pytest.mark.parametrize(("engine", "image"), [("sglang", "a/b:nightly"), ("trtllm", "a/b:1.3.0"), ("atom", "a/b:1")])
def test_unknown(engine: str, image: str) -> None:
    assert f"the name of {image} does not say" in (check_image(engine, image) or "")
