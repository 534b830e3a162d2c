"""A YAML file as its readers see it: plain data, and the line of any value for errors.

The parser is imported where it is used, so that a process which had its files read ahead never loads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class YamlFile:
    """A parsed file."""

    path: Path
    data: Any

    def line(self, keys: KeyPath) -> int | None:
        """Return the 1-based line of the value (or mapping key) at `keys`, or of its nearest ancestor."""
        from sweepgate.config.yaml_parser import line_of

        return line_of(self._nodes, keys)

    @cached_property
    def _nodes(self) -> Any:
        from sweepgate.config.yaml_parser import compose

        return compose(self.path)


Reader = Callable[[Path], YamlFile]


def load(path: Path) -> YamlFile:
    """Parse one YAML file. Raises InputError as `parse_yaml` does."""
    from sweepgate.config.yaml_parser import parse_yaml

    return YamlFile(path, parse_yaml(path))
