"""Choosing entries of the catalogue by key."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from sweepgate.config.model import suggestion
from sweepgate.errors import InputError, Problem


def select_keys(known: Collection[str], patterns: Sequence[str], file: str, key: str | None = None) -> list[str]:
    """Return the keys that match a pattern (`*`, `?`), pattern by pattern and each key once.

    Raises InputError, which names `file` and `key` as the place of the patterns, for each that matches none.
    """
    chosen: dict[str, None] = {}
    problems: list[Problem] = []
    for pattern in patterns:
        matched = [name for name in known if fnmatchcase(name, pattern)]
        if not matched:
            hint = suggestion(pattern, list(known))
            problems.append(Problem("no entry has this key", file, None, key, pattern, _some_of(known), hint))
        chosen.update(dict.fromkeys(matched))
    if problems:
        raise InputError(problems)
    return list(chosen)


def _some_of(known: Collection[str], shown: int = 20) -> str:
    names = list(known)
    more = f", ... ({len(names) - shown} more)" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
