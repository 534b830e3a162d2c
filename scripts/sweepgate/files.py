"""Files that are read with words for what is wrong, and written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from sweepgate.errors import InputError, Problem


def read_json(path: Path, what: str, hint: str | None = None) -> Any:
    """Return the content of a JSON file. Raises InputError that says what the file should be."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(Problem(f"{what} cannot be read: {error.strerror}", str(path), hint=hint)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(Problem(f"{what} is not JSON: {error}", str(path), hint=hint)) from error


def write_json(path: Path, data: Any) -> None:
    """Write `data` atomically: a reader sees the old file or the new one, never half. NaN raises ValueError."""
    write_text(path, json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically. Raises OSError (a full disk, say) and leaves no partial file behind."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
