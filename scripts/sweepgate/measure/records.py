"""aiperf's exports → what happened: one entry a request, and the totals."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SUMMARY_FILE = "profile_export_aiperf.json"
RECORDS_FILE = "profile_export.jsonl"


class ExportError(Exception):
    """aiperf's files are missing, cut short, or not what this version writes."""


@dataclass(frozen=True)
class Request:
    """One finished request of the measured phase; times in seconds, `start` since the epoch.

    `reasoning_tokens` are those of `output_tokens` that the server sent as reasoning.
    """

    start: float
    end: float
    ttft: float
    tpot: float | None
    gaps: list[float]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    asked_output_tokens: float | None
    send_delay: float
    session: str
    reasoning_tokens: int = 0

    @property
    def latency(self) -> float:
        """End-to-end latency in seconds."""
        return self.end - self.start


@dataclass(frozen=True)
class Measurement:
    """A client run. `duration` in seconds; `errors` counts failed requests of the measured phase."""

    requests: list[Request]
    errors: int
    error_kinds: dict[str, int]
    duration: float
    aiperf_version: str
    complete: bool
    exported_requests: int
    submission_valid: bool | None
    submission_problems: list[str] = field(default_factory=list)

    @property
    def input_tokens(self) -> int:
        """Prompt tokens of all finished requests."""
        return sum(request.input_tokens for request in self.requests)

    @property
    def output_tokens(self) -> int:
        """Generated tokens of all finished requests."""
        return sum(request.output_tokens for request in self.requests)


def read_export(folder: Path) -> Measurement:
    """Read the files that `aiperf profile` left in `folder`. Raises ExportError when they cannot be believed."""
    summary = _json(folder / SUMMARY_FILE)
    requests: list[Request] = []
    kinds: dict[str, int] = {}
    errors = 0
    for number, line in enumerate(_lines(folder / RECORDS_FILE), 1):
        try:
            record = json.loads(line)
            metadata = record["metadata"]
            if metadata["benchmark_phase"] != "profiling":
                continue
            problem = _problem(record)
            if problem is None:
                requests.append(_request(metadata, record["metrics"]))
            elif problem != "cancelled":
                errors += 1
                kinds[problem] = kinds.get(problem, 0) + 1
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExportError(f"{RECORDS_FILE} line {number} is not a request record ({error!r})") from error
    return _measurement(summary, requests, errors, kinds)


def error_kinds(folder: Path) -> dict[str, int]:
    """Return kind → count of the failed requests that a client without a summary still recorded, in any phase."""
    kinds: dict[str, int] = {}
    try:
        for line in _lines(folder / RECORDS_FILE):
            problem = _problem(json.loads(line))
            if problem is not None and problem != "cancelled":
                kinds[problem] = kinds.get(problem, 0) + 1
    except (ExportError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return kinds


def _measurement(summary: dict[str, Any], requests: list[Request], errors: int, kinds: dict[str, int]) -> Measurement:
    scenario = summary.get("metadata") or {}
    duration = _average(summary, "benchmark_duration")
    if duration is None:
        duration = max((r.end for r in requests), default=0.0) - min((r.start for r in requests), default=0.0)
    return Measurement(
        requests=requests,
        errors=errors,
        error_kinds=kinds,
        duration=duration,
        aiperf_version=str(summary.get("aiperf_version", "unknown")),
        complete=summary.get("is_complete") is True and summary.get("was_cancelled") is False,
        exported_requests=round(_average(summary, "request_count") or 0),
        submission_valid=scenario.get("submission_valid"),
        submission_problems=[str(reason) for reason in scenario.get("submission_invalid_reasons", [])],
    )


def _problem(record: dict[str, Any]) -> str | None:
    """Return the kind of a failed record ("cancelled" for one that the end of the run cut off), None for a good one."""
    if record["metadata"].get("was_cancelled"):
        return "cancelled"
    error = record.get("error")
    if error:
        return " ".join(str(error.get(part)) for part in ("type", "code") if error.get(part) is not None) or "error"
    return "context overflow" if record["metadata"].get("context_overflow_skip") else None


def _request(metadata: dict[str, Any], metrics: dict[str, Any]) -> Request:
    start = metadata["request_start_ns"] / 1e9
    output_tokens = int(_value(metrics, "output_sequence_length") or 0)
    mismatch = _value(metrics, "osl_mismatch_diff_pct")
    tpot = _value(metrics, "inter_token_latency")
    return Request(
        start=start,
        end=start + _required(metrics, "request_latency") / 1000,
        ttft=_required(metrics, "time_to_first_token") / 1000,
        tpot=None if tpot is None else tpot / 1000,
        gaps=[gap / 1000 for gap in metrics.get("inter_chunk_latency", {}).get("value", [])],
        input_tokens=int(_value(metrics, "input_sequence_length") or 0),
        output_tokens=output_tokens,
        cached_tokens=int(_value(metrics, "usage_prompt_cache_read_tokens") or 0),
        asked_output_tokens=None if mismatch is None else output_tokens / (1 + mismatch / 100),
        send_delay=max(metadata["request_start_ns"] - metadata["credit_issued_ns"], 0) / 1e9,
        session=str(metadata.get("root_correlation_id") or metadata.get("conversation_id") or ""),
        reasoning_tokens=int(_value(metrics, "reasoning_token_count") or 0),
    )


def _required(metrics: dict[str, Any], name: str) -> float:
    value = _value(metrics, name)
    if value is None:
        raise KeyError(name)
    return value


def _value(metrics: dict[str, Any], name: str) -> float | None:
    entry = metrics.get(name)
    return None if entry is None else float(entry["value"])


def _average(summary: dict[str, Any], name: str) -> float | None:
    entry = summary.get(name)
    value = None if not isinstance(entry, dict) else entry.get("avg")
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise ExportError(f"{path.name} is missing: the client wrote no results") from error
    except ValueError as error:
        raise ExportError(f"{path.name} is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise ExportError(f"{path.name} is not a JSON object")
    return data


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError as error:
        raise ExportError(f"{path.name} is missing: the client wrote no records") from error
