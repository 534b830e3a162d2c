"""Which checkpoints share a curve: a model's precision changes no acceptance length worth telling apart."""

from __future__ import annotations

import re

# Serving precision is not part of the lookup, so a checkpoint's precision suffix is dropped: `-FP8`, `-NVFP4-V2`.
_PRECISION = re.compile(r"-(?:fp8|fp4|nvfp4|mxfp8|mxfp4|bf16|int4|awq|w4a8|w4a16)(?:-v\d+)?(?:-dynamic)?$")


def family_of(model: str) -> str:
    """Return the family of a model id, a path or a curve's key: `Qwen/Qwen3.5-397B-A17B-FP8` → `qwen3.5-397b-a17b`.

    Anything else in a name keeps models apart: sizes, dates and fine-tunes draft differently.
    """
    return _PRECISION.sub("", base_name(model))


def base_name(model: str) -> str:
    """Return the last part of a model id or path in lower case."""
    return model.rstrip("/").rsplit("/", 1)[-1].lower()
