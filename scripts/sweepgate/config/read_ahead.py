"""YAML files parsed in a second process while this one imports its schemas: both take a tenth of a second.

Import this before anything heavy, and only in a process without threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sweepgate.aside import aside
from sweepgate.config.yaml_file import Reader, YamlFile, load


def read_ahead(paths: Sequence[Path]) -> Reader:
    """Start parsing `paths` and return a reader: `load`, which waits for its file."""
    parsed = aside(lambda: [load(path).data for path in paths])
    return lambda path: YamlFile(path, parsed()[paths.index(path)]) if path in paths else load(path)
