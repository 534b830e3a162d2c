"""aiperf's exports, in the shape that aiperf 0.13.0 wrote against the embedded engine and a failing server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sweepgate.measure.records import ExportError, error_kinds, read_export

METADATA: dict[str, Any] = {
    "session_num": 1, "x_request_id": "48d7", "x_correlation_id": "8b6d", "conversation_id": "215f", "turn_index": 0,
    "credit_issued_ns": 1_796_135_079_400_000_000, "request_start_ns": 1_796_135_079_410_000_000,
    "request_ack_ns": 1_796_135_079_432_787_336, "request_end_ns": 1_796_135_079_645_174_555, "worker_id": "worker_8",
    "record_processor_id": "record_processor_a", "benchmark_phase": "profiling", "was_cancelled": False,
    "context_overflow_skip": False, "agent_depth": 0, "root_correlation_id": "8b6d",
}  # fmt: skip
METRICS: dict[str, Any] = {
    "input_sequence_length": {"value": 64, "unit": "tokens"},
    "usage_prompt_cache_read_tokens": {"value": 16, "unit": "tokens"},
    "output_sequence_length": {"value": 4, "unit": "tokens"},
    "time_to_first_token": {"value": 36.5, "unit": "ms"},
    "inter_token_latency": {"value": 6.0, "unit": "ms"},
    "inter_chunk_latency": {"value": [5.0, 6.0, 7.0], "unit": "ms"},
    "request_latency": {"value": 54.5, "unit": "ms"},
    "osl_mismatch_diff_pct": {"value": -20.0, "unit": "%"},
}
GOOD = {"metadata": METADATA, "metrics": METRICS}
FAILED = {
    "metadata": METADATA,
    "metrics": {"error_isl": {"value": 32, "unit": "tokens"}},
    "error": {"code": 500, "type": "Internal Server Error", "message": "the engine failed"},
}
SUMMARY: dict[str, Any] = {
    "schema_version": "1.4", "aiperf_version": "0.13.0", "request_count": {"unit": "requests", "avg": 1.0},
    "benchmark_duration": {"unit": "sec", "avg": 2.5}, "was_cancelled": False, "is_complete": True, "error_summary": [],
}  # fmt: skip


def export(folder: Path, records: list[Any], summary: Any = SUMMARY) -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    (folder / "profile_export.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "profile_export_aiperf.json").write_text(summary if isinstance(summary, str) else json.dumps(summary))
    return folder


def test_a_request(tmp_path: Path) -> None:
    measured = read_export(export(tmp_path, [GOOD]))
    (request,) = measured.requests
    assert request.ttft == pytest.approx(0.0365)
    assert request.tpot == pytest.approx(0.006)
    assert request.gaps == pytest.approx([0.005, 0.006, 0.007])
    assert request.latency == pytest.approx(0.0545, abs=1e-6)
    assert request.send_delay == pytest.approx(0.01)
    assert request.asked_output_tokens == pytest.approx(5.0)
    assert (request.input_tokens, request.output_tokens, request.cached_tokens) == (64, 4, 16)
    assert (measured.duration, measured.aiperf_version, measured.complete) == (2.5, "0.13.0", True)


def test_phases_and_kinds_of_failure(tmp_path: Path) -> None:
    warmup = {"metadata": {**METADATA, "benchmark_phase": "warmup"}, "metrics": METRICS}
    cancelled = {"metadata": {**METADATA, "was_cancelled": True}, "metrics": {}}
    overflow = {"metadata": {**METADATA, "context_overflow_skip": True}, "metrics": {}}
    measured = read_export(export(tmp_path, [warmup, GOOD, FAILED, FAILED, cancelled, overflow]))
    assert len(measured.requests) == 1
    assert measured.errors == 3
    assert measured.error_kinds == {"Internal Server Error 500": 2, "context overflow": 1}


def test_a_single_token_has_no_tpot(tmp_path: Path) -> None:
    metrics = {
        name: value for name, value in METRICS.items() if name not in ("inter_token_latency", "inter_chunk_latency")
    }
    (request,) = read_export(export(tmp_path, [{"metadata": METADATA, "metrics": metrics}])).requests
    assert request.tpot is None
    assert request.gaps == []


def test_scenario_stamps(tmp_path: Path) -> None:
    stamp = {"scenario": "x", "submission_valid": False, "submission_invalid_reasons": ["unsafe_override"]}
    measured = read_export(export(tmp_path, [GOOD], {**SUMMARY, "metadata": stamp}))
    assert (measured.submission_valid, measured.submission_problems) == (False, ["unsafe_override"])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ('{"metadata": {"benchmark_ph', "line 2 is not a request record"),
        ("[]", "line 2 is not a request record"),
        ({"metadata": {**METADATA, "benchmark_phase": "profiling"}, "metrics": {}}, "line 2 is not a request record"),
        ({"metadata": METADATA, "metrics": {**METRICS, "request_latency": {"value": "soon"}}}, "line 2 is not"),
    ],
)
def test_a_broken_record_is_not_skipped(tmp_path: Path, record: Any, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        read_export(export(tmp_path, [GOOD, record]))


@pytest.mark.parametrize("summary", ["", "{", "[]", "null"])
def test_a_broken_summary(tmp_path: Path, summary: str) -> None:
    with pytest.raises(ExportError, match=r"profile_export_aiperf\.json"):
        read_export(export(tmp_path, [GOOD], summary))


@pytest.mark.parametrize("name", ["profile_export.jsonl", "profile_export_aiperf.json"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    (export(tmp_path, [GOOD]) / name).unlink()
    with pytest.raises(ExportError, match=f"{name} is missing"):
        read_export(tmp_path)


@pytest.mark.parametrize(
    ("change", "complete"),
    [({}, True), ({"was_cancelled": True}, False), ({"is_complete": False}, False), ({"is_complete": None}, False)],
)
def test_only_a_complete_run_counts_as_complete(tmp_path: Path, change: dict[str, Any], complete: bool) -> None:
    assert read_export(export(tmp_path, [GOOD], {**SUMMARY, **change})).complete is complete


def test_what_failed_without_a_summary(tmp_path: Path) -> None:
    export(tmp_path, [FAILED, FAILED, GOOD])
    (tmp_path / "profile_export_aiperf.json").unlink()
    assert error_kinds(tmp_path) == {"Internal Server Error 500": 2}
    assert error_kinds(tmp_path / "nowhere") == {}
