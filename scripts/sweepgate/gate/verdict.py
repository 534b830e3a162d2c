"""The gate: a plan and its results → may this be believed as a whole, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sweepgate.plan.plan import Plan
from sweepgate.results.store import PointResult


@dataclass(frozen=True)
class Shortfall:
    """A planned point without a valid result."""

    job: str
    conc: int
    status: str
    reasons: list[str]


@dataclass(frozen=True)
class Verdict:
    """How many planned points are valid, and every one that is not."""

    planned: int
    valid: int
    shortfalls: list[Shortfall]

    @property
    def passed(self) -> bool:
        """Whether every planned point is valid; an empty plan proves nothing and does not pass."""
        return self.planned > 0 and self.valid == self.planned

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        if not self.planned:
            return "FAIL: nothing was planned"
        if self.passed:
            return f"PASS: {self.valid} of {self.planned} points are valid"
        counts: dict[str, int] = {}
        for shortfall in self.shortfalls:
            counts[shortfall.status] = counts.get(shortfall.status, 0) + 1
        parts = ", ".join(f"{count} {status}" for status, count in counts.items())
        return f"FAIL: {self.valid} of {self.planned} points are valid ({parts})"

    def groups(self) -> list[tuple[str, list[Shortfall]]]:
        """Return shortfalls of the same kind together, largest group first: one cause is read once."""
        grouped: dict[str, list[Shortfall]] = {}
        for shortfall in self.shortfalls:
            key = f"{shortfall.status}: {'; '.join(shortfall.reasons)}" if shortfall.reasons else shortfall.status
            grouped.setdefault(key, []).append(shortfall)
        return sorted(grouped.items(), key=lambda item: -len(item[1]))


def judge(plan: Plan, results: Iterable[PointResult]) -> Verdict:
    """Compare point by point: a result counts only for its own job, concurrency and fingerprint."""
    by_point = {(result.job, result.conc): result for result in results}
    valid, shortfalls = 0, []
    for job in plan.jobs:
        for conc in job.concurrencies:
            result = by_point.get((job.id, conc))
            if result is None:
                shortfalls.append(Shortfall(job.id, conc, "missing", ["it did not run"]))
            elif result.fingerprint != job.fingerprint(conc):
                shortfalls.append(Shortfall(job.id, conc, "missing", ["its result is of another configuration"]))
            elif result.status != "valid":
                shortfalls.append(Shortfall(job.id, conc, result.status, result.reasons))
            elif result.row is None:
                shortfalls.append(Shortfall(job.id, conc, "invalid", ["its result holds no row"]))
            else:
                valid += 1
    return Verdict(plan.points, valid, shortfalls)
