"""The versions that requirements.txt pins."""

from __future__ import annotations

import re
from pathlib import Path

from sweepgate.errors import InputError, Problem

REQUIREMENTS_FILE = "requirements.txt"


def pinned_version(repository: Path, package: str) -> str:
    """Return the pinned version of a package. Raises InputError when requirements.txt does not pin it."""
    path = repository / REQUIREMENTS_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(Problem("cannot be read", REQUIREMENTS_FILE)) from error
    match = re.search(rf"^{re.escape(package)}(?:\[[^\]]*\])?==(\S+)", text, re.MULTILINE)
    if match is None:
        raise InputError(
            Problem("package is not pinned", REQUIREMENTS_FILE, key=package, hint=f"add {package}==VERSION")
        )
    return match.group(1)
