"""What a running job tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A job enters a phase; `conc` is set where one concurrency is measured."""

    job: str
    phase: str
    conc: int | None = None


Observer = Callable[[Step], None]
