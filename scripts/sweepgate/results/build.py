"""A measurement and its row → a validated result row."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from sweepgate.config.fleets import gpu_of
from sweepgate.matrix.row import Row
from sweepgate.measure.acceptance import Acceptance
from sweepgate.measure.client_load import CpuSample, cpu_share
from sweepgate.measure.records import Measurement
from sweepgate.results.acceptance_bounds import acceptance_reasons, acceptance_warnings
from sweepgate.results.row import MULTI_NODE_FIELDS, SINGLE_NODE_FIELDS, ResultRow
from sweepgate.results.statistics import latency_statistics
from sweepgate.results.validity import client_bound_reasons, invalid_reasons


@dataclass(frozen=True)
class Observed:
    """Everything that was seen while one point ran; `golden_al` is the length that the server was told to accept."""

    measurement: Measurement
    server: dict[str, float]
    client_cpu: list[CpuSample]
    longest_block: float
    golden_al: float | None = None
    acceptance: Acceptance | None = None


@dataclass(frozen=True)
class PointId:
    """Which point: the job that ran it, its concurrency, and the hash of what ran."""

    job: str
    conc: int
    fingerprint: str


def build_row(row: Row, point: PointId, observed: Observed) -> tuple[dict[str, Any] | None, list[str]]:
    """Return (result row, why it is invalid). The row is None when its numbers cannot even be written down."""
    reasons = invalid_reasons(row, point.conc, observed.measurement, observed.server)
    reasons += acceptance_reasons(row, observed.golden_al, observed.acceptance)
    try:
        data = {**_identity(row, point), **_measured(row, observed), **_client(observed)}
        data.update(latency_statistics(observed.measurement.requests))
        model: BaseModel = ResultRow.model_validate(data)
    except (ValidationError, ValueError, ZeroDivisionError) as error:
        return None, reasons or [f"the result row does not validate: {_first_line(error)}"]
    dumped = model.model_dump(mode="json", by_alias=True)
    # Fields of the other node count say nothing; every other null (no golden length, no power) says that it is unknown.
    other_shape = SINGLE_NODE_FIELDS if row.is_multinode else MULTI_NODE_FIELDS
    return {name: value for name, value in dumped.items() if name not in other_shape}, reasons


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}, found {first['input']!r}"
    return str(error).splitlines()[0]


def _identity(row: Row, point: PointId) -> dict[str, Any]:
    identity: dict[str, Any] = {
        "hw": gpu_of(row.runner),
        "runner": row.runner,
        "conc": point.conc,
        "image": row.image,
        "model": row.model,
        "infmax_model_prefix": row.model_prefix,
        "framework": row.framework,
        "precision": row.precision,
        "spec_decoding": row.spec_decoding,
        "disagg": row.disagg,
        "isl": row.isl,
        "osl": row.osl,
        "scenario_type": row.scenario_type or "fixed-seq-len",
        "duration": row.duration,
        "trace_set": row.trace_set,
        "is_multinode": row.is_multinode,
        "kv_offloading": row.kv_offloading,
        "exp_name": row.exp_name,
        "job": point.job,
        "fingerprint": point.fingerprint,
    }
    if row.prefill is None or row.decode is None:
        return {**identity, "tp": row.tp, "ep": row.ep, "dp_attention": row.dp_attn}
    for pool, worker in (("prefill", row.prefill), ("decode", row.decode)):
        identity |= {
            f"{pool}_tp": worker.tp,
            f"{pool}_ep": worker.ep,
            f"{pool}_dp_attention": worker.dp_attn,
            f"{pool}_num_workers": worker.num_worker,
        }
    return {**identity, "num_prefill_gpu": row.prefill_gpus, "num_decode_gpu": row.decode_gpus}


def _measured(row: Row, observed: Observed) -> dict[str, Any]:
    measured, acceptance = observed.measurement, observed.acceptance
    # Disaggregated pools are divided by their own GPUs, as dashboards of the field do; the total by all of them.
    pools = row.disagg and row.prefill_gpus and row.decode_gpus
    cached = sum(request.cached_tokens for request in measured.requests)
    return {
        "num_gpu": row.gpus,
        "tput_per_gpu": (measured.input_tokens + measured.output_tokens) / measured.duration / row.gpus,
        "output_tput_per_gpu": measured.output_tokens / measured.duration / (row.decode_gpus if pools else row.gpus),
        "input_tput_per_gpu": measured.input_tokens / measured.duration / (row.prefill_gpus if pools else row.gpus),
        "requests": len(measured.requests),
        "errors": measured.errors,
        "error_kinds": measured.error_kinds,
        "input_tokens": measured.input_tokens,
        "output_tokens": measured.output_tokens,
        "prefix_cache_hit": min(cached / measured.input_tokens, 1.0),
        "started_at": min((request.start for request in measured.requests), default=0.0),
        "benchmark_duration": measured.duration,
        "golden_al": observed.golden_al,
        "measured_al": acceptance.length if acceptance else None,
        "acceptance": {
            "drafts": acceptance.drafts,
            "rates": acceptance.rates,
            "standard_error": acceptance.standard_error,
            "source": acceptance.source,
        }
        if acceptance
        else None,
        "warnings": acceptance_warnings(row, observed.golden_al, acceptance),
        "server": observed.server,
        "power": None,
    }


def _client(observed: Observed) -> dict[str, Any]:
    measured = observed.measurement
    requests = measured.requests
    delays = np.asarray([request.send_delay for request in requests])
    cores = os.cpu_count() or 1
    window = min(request.start for request in requests), max(request.end for request in requests)
    share = cpu_share(observed.client_cpu, *window, cores)
    bound = client_bound_reasons(
        float(delays.mean()),
        float(np.mean([request.latency for request in requests])),
        observed.longest_block,
        float(np.median([request.ttft for request in requests])),
        share,
    )
    return {
        "client": {
            "name": "aiperf",
            "version": measured.aiperf_version,
            "submission_valid": measured.submission_valid,
            "submission_problems": measured.submission_problems,
            "send_delay_mean": float(delays.mean()),
            "send_delay_p99": float(np.percentile(delays, 99)),
            "longest_block": observed.longest_block,
            "cpu_share": share,
            "cores": cores,
            "bound": bound,
        }
    }
