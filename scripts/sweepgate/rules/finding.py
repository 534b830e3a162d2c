"""What a rule of validate.py looks at, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from sweepgate.errors import InputError, Problem
from sweepgate.matrix.row import Row
from sweepgate.plan.build import RepositoryTree, read_repository
from sweepgate.plan.plan import Job
from sweepgate.plan.tree import git

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One problem; warnings are shown and fail nothing."""

    problem: Problem
    severity: Severity = "error"


@dataclass(frozen=True)
class Checkout:
    """The repository under test. What cannot be read is None here; the `schemas` and `rows` rules say why."""

    root: Path

    @cached_property
    def tree(self) -> RepositoryTree | None:
        """The catalogue, fleets and recipes."""
        try:
            return read_repository(self.root)
        except InputError:
            return None

    @cached_property
    def jobs(self) -> list[Job]:
        """Every job of every entry that can be planned."""
        jobs: list[Job] = []
        for key in self.tree.catalogue if self.tree is not None else ():
            try:
                jobs += self.tree.jobs([key]) if self.tree is not None else []
            except InputError:
                continue
        return jobs

    @cached_property
    def rows(self) -> list[Row]:
        """Every row of every entry, whether or not it can be served."""
        rows: list[Row] = []
        for key in self.tree.catalogue if self.tree is not None else ():
            try:
                rows += self.tree.rows(key) if self.tree is not None else []
            except InputError:
                continue
        return rows

    @cached_property
    def files(self) -> list[str]:
        """The tracked files, relative to the root."""
        return [name for name in git(self.root, "ls-files", "-z").decode(errors="replace").split("\0") if name]

    def relative(self, problem: Problem) -> Problem:
        """Return the problem with its file as it is named in the repository."""
        return replace(problem, file=problem.file and problem.file.removeprefix(f"{self.root}/"))


@dataclass(frozen=True)
class Rule:
    """A cross-file rule: its name, what it demands in one line, and the check."""

    name: str
    demands: str
    check: Callable[[Checkout], list[Finding]]


def errors_of(read: Callable[[], object]) -> list[Finding]:
    """Return what `read` refuses, as findings."""
    try:
        read()
    except InputError as error:
        return [Finding(problem) for problem in error.problems]
    return []
