"""YAML files parsed in a second process while this one imports its schemas: both take a tenth of a second.

Import this before anything heavy, and only in a process without threads.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from sweepgate.config.yaml_file import YamlFile, load


def read_ahead(paths: Sequence[Path]) -> Callable[[Path], YamlFile]:
    """Start parsing `paths` and return a reader: `load`, which waits for its file.

    A file that does not parse is parsed again by the reader, which then raises what `load` raises.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _send(paths, sender)
    os.close(sender)
    parsed: dict[Path, YamlFile] | None = None

    def read(path: Path) -> YamlFile:
        nonlocal parsed
        if parsed is None:
            with os.fdopen(receiver, "rb") as pipe:
                content = pipe.read()
            os.waitpid(child, 0)
            parsed = dict(zip(paths, map(YamlFile, paths, json.loads(content)), strict=True)) if content else {}
        return parsed.get(path) or load(path)

    return read


def _send(paths: Sequence[Path], sender: int) -> None:
    """Write the files' plain data, or nothing when one cannot be parsed, and leave the process."""
    try:
        content = json.dumps([load(path).data for path in paths]).encode()
        with os.fdopen(sender, "wb") as pipe:
            pipe.write(content)
    finally:
        os._exit(0)
