"""YAML as plain values that know their lines; aliases and several documents too, as others' recipes have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from sweepgate.golden.static.site import UnreadableError

MAX_DEPTH = 64
MAX_ALIASED = 200_000


@dataclass(frozen=True)
class Located:
    """A value with its 1-based line: a dict of Located, a list of Located, or plain."""

    value: Any
    line: int

    def get(self, *keys: str) -> Located | None:
        """Return the value below `keys`, None where there is none."""
        found: Located | None = self
        for key in keys:
            found = found.value.get(key) if found is not None and isinstance(found.value, dict) else None
        return found

    def text(self, *keys: str) -> str | None:
        """Return the text of the plain value below `keys`."""
        found = self.get(*keys)
        return None if found is None or isinstance(found.value, dict | list) else str(found.value)

    def items(self) -> Iterator[tuple[str, Located]]:
        """Yield the entries of a mapping; none of anything else."""
        if isinstance(self.value, dict):
            yield from self.value.items()

    def plain(self) -> Any:
        """Return the value without its lines."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        return [item.plain() for item in self.value] if isinstance(self.value, list) else self.value


def load_located(source: str) -> list[Located]:
    """Return every document of a YAML text. Raises UnreadableError for what is not YAML, or nests beyond reason."""
    try:
        loader = yaml.CSafeLoader(source)
        documents = []
        while loader.check_node() and (node := loader.get_node()) is not None:
            documents.append(_Reader(loader).read(node, 0))
        return documents
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise UnreadableError(f"is not YAML: {getattr(error, 'problem', None) or error}",
                              None if mark is None else mark.line + 1) from error  # fmt: skip


class _Reader:
    def __init__(self, loader: yaml.CSafeLoader) -> None:
        self.loader = loader
        self.read_so_far = 0

    def read(self, node: yaml.Node, depth: int) -> Located:
        line = node.start_mark.line + 1
        self.read_so_far += 1
        if depth > MAX_DEPTH or self.read_so_far > MAX_ALIASED:
            raise UnreadableError("nests or repeats beyond reason", line)
        if isinstance(node, yaml.MappingNode):
            self.loader.flatten_mapping(node)
            pairs = [(str(key.value), self.read(value, depth + 1), key) for key, value in node.value]
            return Located({name: self._at_key(value, key) for name, value, key in pairs}, line)
        if isinstance(node, yaml.SequenceNode):
            return Located([self.read(item, depth + 1) for item in node.value], line)
        if getattr(node, "style", None) in ("|", ">"):
            line += 1
        return Located(self.loader.construct_object(node), line)

    @staticmethod
    def _at_key(value: Located, key: yaml.Node) -> Located:
        """A mapping or list is found at its key."""
        return Located(value.value, key.start_mark.line + 1) if isinstance(value.value, dict | list) else value


def merged(base: Located, over: Located) -> Located:
    """Return `base` with the values of `over` put over it, mappings key by key."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    found = dict(base.value)
    for key, item in over.value.items():
        found[key] = merged(found[key], item) if key in found else item
    return Located(found, over.line)
