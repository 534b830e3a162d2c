"""NVIDIA Dynamo: one frontend that takes requests, and workers that register with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sweepgate.engines.process import ServerProcess, pools
from sweepgate.matrix.row import Row

_COUNTERS = {
    "requests": ("dynamo_frontend_requests_total",),
    "output_tokens": ("dynamo_frontend_output_tokens_total",),
}


class Dynamo:
    """Frontend and workers, aggregated or disaggregated; the recipe decides which engine the workers run."""

    @property
    def counters(self) -> Mapping[str, Sequence[str]]:
        """What the server counts itself."""
        return _COUNTERS

    def processes(self, row: Row) -> list[ServerProcess]:
        """Return the frontend and the workers of `row`."""
        frontend = ServerProcess("frontend", takes_requests=True)
        workers = pools(row) if row.is_multinode else [ServerProcess("worker")]
        return [frontend, *workers]

    def missing(self, row: Row, health: Any) -> str | None:
        """Compare the workers that registered (GET /health lists instances by component) with those of the row."""
        instances = health.get("instances", []) if isinstance(health, dict) else []
        seen = Counter(str(item.get("component")) for item in instances if item.get("endpoint") == "generate")
        expected = Counter[str]()
        for process in self.processes(row)[1:]:
            # A prefill worker serves the component `prefill` only when decode workers do the rest.
            disaggregated = process.role == "prefill" and row.disagg
            expected["prefill" if disaggregated else "backend"] += 1
        short = [f"{seen[name]} of {count} {name} workers" for name, count in expected.items() if seen[name] < count]
        return f"only {' and '.join(short)} registered" if short else None
