"""speedbench-config.yaml: how the acceptance lengths of each model and draft method are collected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from sweepgate.config.catalogue import FRAMEWORKS, Name, Positive, Text
from sweepgate.config.model import Strict, parse
from sweepgate.config.yaml_file import load
from sweepgate.errors import InputError, Problem
from sweepgate.golden.curves import FOLDER, DraftSampling, Method, RejectionSampling, SamplingModes

CONFIG_FILE = "speedbench-config.yaml"
RECIPES = "single_node/speedbench"


class Collection(Strict):
    """What is served and asked to measure one curve; `max-model-len` in tokens, `conc` requests at a time.

    The recommended sampling and the chat template's switches stand in `sampling`, by thinking mode.
    """

    model: Text
    model_prefix: Name
    image: Text
    runner: Text
    precision: Name
    framework: Name
    recipe: Annotated[str, Field(pattern=rf"^{RECIPES}/[A-Za-z0-9_][A-Za-z0-9_.+-]*\.sh$")]
    tp: Positive
    ep: Positive = 1
    conc: Positive = 1
    max_model_len: Positive = 16384
    method: Method
    draft_sample_method: DraftSampling = "greedy"
    rejection_sample_method: RejectionSampling = "standard"
    draft_model: Text | None = None
    sampling: SamplingModes

    @property
    def thinking_modes(self) -> list[str]:
        """The thinking modes whose sampling is known."""
        modes = {"on": self.sampling.thinking_on, "off": self.sampling.thinking_off}
        return [mode for mode, sampling in modes.items() if sampling is not None]


def curve_file(name: str) -> str:
    """Return the file, relative to the repository, into which a collection is merged."""
    return f"{FOLDER}/{name}.yaml"


def load_collections(root: Path) -> dict[str, Collection]:
    """Return every collection by name. Raises InputError with file, line and key of every mistake."""
    source = load(root / CONFIG_FILE)
    if not isinstance(source.data, dict):
        raise InputError(Problem("must be a mapping of collections", CONFIG_FILE, found=type(source.data).__name__))
    collections: dict[str, Collection] = {}
    problems: list[Problem] = []
    for name, data in source.data.items():
        try:
            collections[name] = parse(Collection, data, source, (name,))
            problems += _mistakes(root, name, collections[name], source.line((name,)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return collections


def _mistakes(root: Path, name: str, collection: Collection, line: int | None) -> list[Problem]:
    found = []
    if collection.framework not in FRAMEWORKS:
        allowed = ", ".join(FRAMEWORKS)
        found.append(Problem("unknown framework", CONFIG_FILE, line, name, collection.framework, allowed))
    if not (root / "benchmarks" / collection.recipe).is_file():
        found.append(Problem("recipe is missing", CONFIG_FILE, line, name, f"benchmarks/{collection.recipe}"))
    if not collection.thinking_modes:
        found.append(Problem("sampling has neither thinking_on nor thinking_off", CONFIG_FILE, line, name))
    return found


def find_collection(collections: Mapping[str, Collection], prefix: str, name: str | None) -> str:
    """Return the name of the collection that is meant. Raises InputError where none or more than one fits."""
    of_prefix = [key for key, collection in collections.items() if collection.model_prefix == prefix]
    fitting = [key for key in of_prefix if name in (None, "", key)]
    if len(fitting) == 1:
        return fitting[0]
    if not of_prefix:
        prefixes = ", ".join(sorted({collection.model_prefix for collection in collections.values()}))
        hint = f"add a collection to {CONFIG_FILE}"
        raise InputError(
            Problem("no collection has this model prefix", CONFIG_FILE, None, None, prefix, prefixes, hint)
        )
    message = "several collections have this model prefix" if fitting else "the prefix has no such collection"
    hint = "name one with --collection"
    raise InputError(Problem(message, CONFIG_FILE, None, prefix, name or None, ", ".join(of_prefix), hint))


def with_overrides(collection: Collection, model: str | None, image: str | None) -> Collection:
    """Return the collection with another model or image. Raises InputError for text that cannot be one."""
    changed: dict[str, Any] = {name: text for name, text in (("model", model), ("image", image)) if text}
    return parse(Collection, {**collection.model_dump(by_alias=True), **changed}, Path("command line"))
