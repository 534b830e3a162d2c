"""Errors for the person who must act: where, what was found, what is allowed, the next step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EXIT_FAILED_GATE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    `line` is 1-based; `key` is a dotted path inside the file; `found` and `allowed` are shown as given.
    """

    message: str
    file: str | None = None
    line: int | None = None
    key: str | None = None
    found: str | None = None
    allowed: str | None = None
    hint: str | None = None

    def render(self) -> str:
        """Return the problem as text: a `file:line: key: message` line, then one indented line a detail."""
        place = self.file or ""
        if self.file and self.line is not None:
            place += f":{self.line}"
        head = ": ".join(part for part in (place, self.key, self.message) if part)
        details = (("found", self.found), ("allowed", self.allowed), ("next", self.hint))
        lines = [f"  {name + ':':<9}{value}" for name, value in details if value is not None]
        return "\n".join([head, *lines])


class InputError(Exception):
    """Bad input: the command ends with exit code 2 and prints every problem found."""

    def __init__(self, problems: Problem | Sequence[Problem]) -> None:
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        super().__init__("\n".join(problem.render() for problem in self.problems))
