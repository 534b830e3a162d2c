"""What an engine must say about itself: which processes serve a row, and when they are ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sweepgate.config.catalogue import Worker
from sweepgate.matrix.row import Row


@dataclass(frozen=True)
class ServerProcess:
    """One process of a deployment: it runs the row's recipe with ROLE and WORKER_INDEX set.

    Exactly one process `takes_requests` (the others are reached through it); `worker` is its pool in multi-node rows.
    """

    role: str
    index: int = 0
    takes_requests: bool = False
    worker: Worker | None = None

    @property
    def name(self) -> str:
        """A name for logs, unique within the deployment: `decode-0`."""
        return f"{self.role}-{self.index}"


class Engine(Protocol):
    """An engine or a distributed server."""

    @property
    def counters(self) -> Mapping[str, Sequence[str]]:
        """What the server counts itself (`requests`, `output_tokens`) → the Prometheus counters that may hold it."""

    def processes(self, row: Row) -> list[ServerProcess]:
        """Return every process that serves `row`."""

    def missing(self, row: Row, health: Any) -> str | None:
        """Return what a healthy-looking server still lacks, from the JSON of GET /health; None when complete."""


def pools(row: Row) -> list[ServerProcess]:
    """Return the worker processes of a multi-node row: the prefill pool, then the decode pool."""
    assert row.prefill is not None
    assert row.decode is not None
    prefill = [ServerProcess("prefill", index, worker=row.prefill) for index in range(row.prefill.num_worker)]
    decode = [ServerProcess("decode", index, worker=row.decode) for index in range(row.decode.num_worker)]
    return prefill + decode
