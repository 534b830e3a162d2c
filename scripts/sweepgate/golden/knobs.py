"""Which image reads which knob: the first version of each engine, and what an image's name says of its version.

An older image ignores a variable silently, so that a point would be forced differently from what its row says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.version import Version

from sweepgate.errors import InputError, Problem
from sweepgate.golden.render import ATOM_LENGTH, SGLANG_LENGTH, SGLANG_METHOD, SGLANG_TOKENS, TRTLLM_ACCEPTED


@dataclass(frozen=True)
class Knob:
    """A setting that forces acceptance, and the first release that reads it. `source` says how that is known."""

    engine: str
    name: str
    first: str
    source: str


KNOBS = (
    # Where a release's files on PyPI decide, the name was looked for in them, release by release.
    Knob("vllm", "synthetic_acceptance_length", "0.20.0", "vllm/config/speculative.py of the releases on PyPI"),
    Knob("sglang", SGLANG_LENGTH, "0.5.3", "sglang/srt/environ.py of the releases on PyPI"),
    Knob("sglang", SGLANG_METHOD, "0.5.3", "sglang/srt/environ.py of the releases on PyPI"),
    Knob("sglang", SGLANG_TOKENS, "0.5.16", "public AgentX submissions; an older image ignores it silently"),
)
# Counted on main or in pull requests only; no release is known to be the first.
UNDATED = {"trtllm": TRTLLM_ACCEPTED, "atom": ATOM_LENGTH}

_TAG = re.compile(r"v?(\d+\.\d+(?:\.\d+)?(?:\.?(?:post|rc)\d+)?)(?:$|[-_+])")


def version_of(image: str) -> Version | None:
    """Return the release in an image's tag, such as `lmsysorg/sglang:v0.5.16-cu130` → 0.5.16; None for nightly tags,
    digests and anything else that does not start with a release."""
    name = image.split("@", 1)[0]
    tag = name.rsplit(":", 1)[1] if ":" in name.rsplit("/", 1)[-1] else ""
    found = _TAG.match(tag)
    return Version(found[1]) if found else None


def check_image(engine: str, image: str) -> str | None:
    """Return a note when the image's name does not say whether it reads the engine's knobs; None when it does.

    Raises InputError that names the knobs which the image is too old to read.
    """
    version = version_of(image)
    if version is None or engine in UNDATED:
        return f"the name of {image} does not say whether it reads {', '.join(knob_names(engine))}"
    late = [knob for knob in KNOBS if knob.engine == engine and version < Version(knob.first)]
    if late:
        names = ", ".join(f"{knob.name} (from {knob.first})" for knob in late)
        first = max(late, key=lambda knob: Version(knob.first)).first
        hint = f"use an image of {engine} {first} or newer"
        message = f"the image is too old to read {names}"
        raise InputError(Problem(message, None, None, "image", image, f"{engine} {first} or newer", hint))
    return None


def knob_names(engine: str) -> list[str]:
    """Return the names of everything that forces acceptance on an engine."""
    return [knob.name for knob in KNOBS if knob.engine == engine] or [UNDATED[engine]]
