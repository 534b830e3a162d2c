"""Scratch folders: short paths in the system's temporary folder that never outlive the process that owns them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import psutil

_PREFIX = "sweepgate-"
_OWNER = "owner.json"


def create() -> Path:
    """Return a new scratch folder of this process. Its path is short, since sockets inside it allow 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    owner = {"pid": os.getpid(), "started": psutil.Process().create_time()}
    (folder / _OWNER).write_text(json.dumps(owner))
    return folder


def remove(folder: Path) -> None:
    """Delete a scratch folder; one that is gone already is fine."""
    shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> list[Path]:
    """Delete this user's scratch folders whose owner is dead (a killed run), and return them."""
    abandoned = []
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        if folder.is_symlink() or not (folder / _OWNER).is_file() or folder.stat().st_uid != os.getuid():
            continue
        if not _owner_lives(folder):
            remove(folder)
            abandoned.append(folder)
    return abandoned


def _owner_lives(folder: Path) -> bool:
    try:
        owner = json.loads((folder / _OWNER).read_text())
        return bool(psutil.Process(owner["pid"]).create_time() == owner["started"])
    except (psutil.NoSuchProcess, OSError, ValueError, KeyError, TypeError):
        return False
