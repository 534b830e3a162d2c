"""A place where a file starts a server that speculates, or is forced."""

from __future__ import annotations

from dataclasses import dataclass

from sweepgate.golden.command import CommandSpeculation


@dataclass(frozen=True)
class Site:
    """What one server of a file would do. `line` is where its speculation is asked for, `forced_line` where its
    acceptance is forced; `is_eval` None: the file does not say whether evals run on it."""

    line: int
    speculation: CommandSpeculation
    model: str | None = None
    forced_line: int | None = None
    is_eval: bool | None = None


class UnreadableError(Exception):
    """A file that speaks of speculation in a way that cannot be followed; `line` is 1-based."""

    def __init__(self, what: str, line: int | None) -> None:
        self.what = what
        self.line = line
        super().__init__(what)
