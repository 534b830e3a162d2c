"""Engines that are one server process: SGLang, vLLM, TensorRT-LLM and ATOM on a single node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sweepgate.engines.process import ServerProcess
from sweepgate.errors import InputError, Problem
from sweepgate.matrix.row import Row

_COUNTERS = {
    "requests": ("vllm:request_success_total", "sglang:num_requests_total"),
    "output_tokens": ("vllm:generation_tokens_total", "sglang:generation_tokens_total"),
}


class Standalone:
    """One process that takes requests and holds every GPU of the row."""

    @property
    def counters(self) -> Mapping[str, Sequence[str]]:
        """What the server counts itself."""
        return _COUNTERS

    def processes(self, row: Row) -> list[ServerProcess]:
        """Return the one server. Raises InputError for a multi-node row, which needs a distributed server."""
        if row.is_multinode:
            hint = "use the dynamo- variant of the framework for worker pools"
            raise InputError(Problem(f"{row.framework} alone cannot serve worker pools", hint=hint))
        return [ServerProcess("server", takes_requests=True)]

    def missing(self, row: Row, health: Any) -> str | None:
        """Nothing: the one process answers for itself."""
        return None
