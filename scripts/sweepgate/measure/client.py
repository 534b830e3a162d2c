"""The aiperf command that loads a server for one point."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sweepgate.matrix.row import Row

# What public results of this field use: ten requests a concurrency slot, two to warm up, lengths between 80 % and
# 100 % of the nominal ones (aiperf's sglang style draws from [ratio × mean, mean]).
REQUESTS_PER_SLOT = 10
WARMUP_REQUESTS_PER_SLOT = 2
# Warm-up draws from the same prompts: without this many, a fifth of the measured prompts would be in the prefix cache.
PROMPTS_PER_SLOT = REQUESTS_PER_SLOT + WARMUP_REQUESTS_PER_SLOT
LENGTH_RANGE_RATIO = 0.8
# The locked agentic scenario of aiperf; shorter replays are stamped as no valid submission.
AGENTIC_SCENARIO = "inferencex-agentx-mvp"
AGENTIC_MIN_SECONDS = 900
TRACE_FOLDER_PREFIX = "traces/"
SEED = 42


@dataclass(frozen=True)
class ClientPlace:
    """Where one client run reads and writes: URLs and folders, the parts that differ between machines."""

    url: str
    benchmarks: str
    output: str


NOMINAL_CLIENT = ClientPlace(url="http://127.0.0.1:8000", benchmarks="/benchmarks", output="/output")


def client_arguments(row: Row, conc: int, place: ClientPlace) -> list[str]:
    """Return the arguments after `aiperf` for one concurrency of `row`."""
    common = [
        "profile",
        "--model", row.model,
        "--tokenizer", row.model,
        "--url", place.url,
        "--endpoint-type", "chat",
        "--streaming",
        "--extra-inputs", "ignore_eos:true",
        "--concurrency", str(conc),
        "--random-seed", str(SEED),
        "--output-artifact-dir", place.output,
        "--export-level", "records",
        "--ui", "none",
        "--no-gpu-telemetry",
        "--no-server-metrics",
    ]  # fmt: skip
    return common + (_agentic(row, place) if row.is_agentic else _fixed(row, conc))


def requested(row: Row, conc: int) -> int | None:
    """Return how many requests the client is asked for; None when a duration bounds the load instead."""
    return None if row.is_agentic else REQUESTS_PER_SLOT * conc


def _fixed(row: Row, conc: int) -> list[str]:
    return [
        "--isl", str(row.isl),
        "--osl", str(row.osl),
        "--random-range-ratio", str(LENGTH_RANGE_RATIO),
        "--random-corpus-style", "sglang",
        "--prompt-corpus", "random",
        "--num-dataset-entries", str(PROMPTS_PER_SLOT * conc),
        "--dataset-sampling-strategy", "sequential",
        "--request-count", str(requested(row, conc)),
        "--warmup-request-count", str(WARMUP_REQUESTS_PER_SLOT * conc),
    ]  # fmt: skip


def _agentic(row: Row, place: ClientPlace) -> list[str]:
    arguments = [
        "--scenario", AGENTIC_SCENARIO,
        "--benchmark-duration", str(row.duration),
        "--use-server-token-count",
        *_traces(row, place),
    ]  # fmt: skip
    if not is_submission(row):
        arguments.append("--unsafe-override")
    return arguments


def is_submission(row: Row) -> bool:
    """Whether an agentic row follows the scenario's rules: at least 900 s over a public corpus."""
    return (row.duration or 0) >= AGENTIC_MIN_SECONDS and not _is_local(row)


def _traces(row: Row, place: ClientPlace) -> list[str]:
    assert row.trace_set is not None
    if _is_local(row):
        return ["--input-file", f"{place.benchmarks}/{row.trace_set}", "--custom-dataset-type", "weka_trace"]
    return ["--public-dataset", row.trace_set]


def _is_local(row: Row) -> bool:
    return (row.trace_set or "").startswith(TRACE_FOLDER_PREFIX)


def trace_folder(row: Row, benchmarks: Path) -> Path | None:
    """Return the folder of a trace set that this repository carries; None for a public corpus or fixed lengths."""
    return benchmarks / row.trace_set if row.trace_set and _is_local(row) else None
