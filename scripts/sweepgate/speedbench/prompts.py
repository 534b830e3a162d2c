"""SPEED-Bench's prompts: a JSON-lines file with the category and the messages of each question.

The public file holds a placeholder where a prompt's licence asks to fetch it from its source; aiperf refuses those.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from sweepgate.errors import InputError, Problem

_HINT = "prepare qualitative.jsonl of nvidia/SPEED-Bench with its own tool, and name it with --prompts"
PLACEHOLDER = "FULL BENCHMARK DATA SHOULD BE FETCHED FROM THE SOURCE USING SPECDEC_BENCH"


@dataclass(frozen=True)
class Prompts:
    """The questions of one category: how many, the requests that they make (one a message), and the file's SHA-256."""

    path: Path
    category: str
    questions: int
    requests: int
    sha256: str


def read_prompts(path: Path, category: str) -> Prompts:
    """Return what the file holds of a category. Raises InputError for a file that is not whole or has none of it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(f"the prompts cannot be read: {error.strerror}", str(path), hint=_HINT)) from error
    questions = requests = 0
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found, messages = row["category"], [message["content"] for message in row["messages"]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(Problem("is not a question of SPEED-Bench", str(path), number, hint=_HINT)) from error
        if found == category:
            if PLACEHOLDER in messages:
                raise InputError(Problem("holds a placeholder instead of its prompt", str(path), number, hint=_HINT))
            questions += 1
            requests += len(messages)
    if not questions:
        raise InputError(Problem("holds no question of this category", str(path), None, None, category, hint=_HINT))
    return Prompts(path, category, questions, requests, hashlib.sha256(content).hexdigest())
