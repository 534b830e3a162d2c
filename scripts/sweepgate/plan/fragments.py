"""perf-changelog/: one small YAML file a change, so that two changes never conflict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from sweepgate.config.catalogue import Catalogue
from sweepgate.config.model import Strict, parse
from sweepgate.config.yaml_file import load
from sweepgate.errors import InputError, Problem
from sweepgate.matrix.selection import select_keys

FOLDER = "perf-changelog"
Line = Annotated[str, Field(min_length=1, max_length=2000)]


class Fragment(Strict):
    """What a change touched. `scenario-type` narrows it; `append-only` says that it only adds points."""

    config_keys: Annotated[list[Line], Field(min_length=1)]
    description: Annotated[list[Line], Field(min_length=1)]
    pr_link: Annotated[str, Field(pattern=r"^https://[^\s]+/pull/[0-9]+$")]
    scenario_type: Literal["fixed-seq-len", "agentic-coding"] | None = None
    append_only: bool = False


@dataclass(frozen=True)
class NamedKey:
    """An entry that a fragment names, and which of its scenarios (None: all)."""

    fragment: str
    scenario_type: str | None


def read_fragments(root: Path) -> dict[str, Fragment]:
    """Return file name → fragment of the tree at `root`. Raises InputError naming every mistake in every file."""
    fragments: dict[str, Fragment] = {}
    problems: list[Problem] = []
    folder = root / FOLDER
    for path in sorted(folder.glob("*")) if folder.is_dir() else []:
        if path.suffix == ".md":
            continue
        try:
            if path.suffix not in (".yaml", ".yml") or path.is_symlink() or not path.is_file():
                raise InputError(Problem("is not a fragment", str(path), allowed=".yaml files", hint="rename it"))
            source = load(path)
            fragments[path.name] = parse(Fragment, source.data, source)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return fragments


def named_keys(fragments: dict[str, Fragment], names: Iterable[str], catalogue: Catalogue) -> dict[str, list[NamedKey]]:
    """Return entry key → the fragments among `names` that name it.

    Append-only fragments force nothing: what they add differs from the base by itself. Raises InputError for a pattern
    that matches no entry.
    """
    found: dict[str, list[NamedKey]] = {}
    problems: list[Problem] = []
    for name in names:
        fragment = fragments[name]
        try:
            keys = select_keys(catalogue, fragment.config_keys, f"{FOLDER}/{name}", "config-keys")
        except InputError as error:
            problems += error.problems
            continue
        for key in keys if not fragment.append_only else []:
            found.setdefault(key, []).append(NamedKey(name, fragment.scenario_type))
    if problems:
        raise InputError(problems)
    return found
