"""A stand-in for aiperf: takes its arguments and writes the files that aiperf 0.13 writes, or fails as told.

client.py MODE profile [aiperf's arguments]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any


def record(index: int, isl: int, osl: int, start: float) -> dict[str, Any]:
    """One finished request of 0.1 s to the first token and 0.01 s a token after it."""
    begin = int((start + index * 0.01) * 1e9)
    latency = 100.0 + 10.0 * (osl - 1)
    metrics = {
        "input_sequence_length": isl,
        "output_sequence_length": osl,
        "time_to_first_token": 100.0,
        "inter_token_latency": 10.0,
        "request_latency": latency,
        "osl_mismatch_diff_pct": 0.0,
        "usage_prompt_cache_read_tokens": 0,
    }
    return {
        "metadata": {
            "benchmark_phase": "profiling",
            "was_cancelled": False,
            "context_overflow_skip": False,
            "credit_issued_ns": begin - 1_000_000,
            "request_start_ns": begin,
            "request_end_ns": begin + int(latency * 1e6),
            "root_correlation_id": f"session-{index % 3}",
        },
        "metrics": {name: {"value": value} for name, value in metrics.items()}
        | {"inter_chunk_latency": {"value": [10.0] * (osl - 1)}},
    }


def main() -> int:
    mode = sys.argv[1]
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--url")
    parser.add_argument("--output-artifact-dir", type=Path)
    parser.add_argument("--request-count", type=int, default=20)
    parser.add_argument("--isl", type=int, default=100)
    parser.add_argument("--osl", type=int, default=20)
    parser.add_argument("--extra-inputs", default="{}")
    options, _ = parser.parse_known_args(sys.argv[2:])
    if mode == "crash":
        print("aiperf: Segmentation fault", flush=True)
        return 139
    if mode == "hang":
        time.sleep(600)
    if mode == "fill":
        with (options.output_artifact_dir / "big").open("wb") as file:
            while True:
                file.write(b"x" * 65536)
    if mode == "slow":
        time.sleep(2)
    count = options.request_count
    body = json.dumps({"messages": [], "max_tokens": count * options.osl}).encode()
    if mode != "silent":
        request = urllib.request.Request(f"{options.url}/v1/chat/completions", body)
        urllib.request.urlopen(request).read()
    records = [record(index, options.isl, options.osl, time.time()) for index in range(count)]
    extra = json.loads(options.extra_inputs) if options.extra_inputs.startswith("{") else {}
    thinks = extra.get("chat_template_kwargs", {}).get("enable_thinking", False)
    if thinks != (mode == "thinks-against-orders"):
        for item in records:
            item["metrics"]["reasoning_token_count"] = {"value": options.osl // 2}
    if mode == "errors":
        for spoilt in records[::2]:
            spoilt["error"] = {"code": 500, "type": "Internal Server Error", "message": "no"}
            spoilt["metrics"] = {}
    if mode == "short-output":
        for spoilt in records:
            spoilt["metrics"]["osl_mismatch_diff_pct"]["value"] = -20.0
    if mode == "nan":
        records[0]["metrics"]["time_to_first_token"]["value"] = float("nan")
    if mode == "negative":
        records[0]["metrics"]["time_to_first_token"]["value"] = -5.0
    if mode == "zero-tokens":
        for spoilt in records:
            spoilt["metrics"]["output_sequence_length"]["value"] = 0
    finished = sum("error" not in item for item in records)
    summary = {
        "aiperf_version": "0.13.0",
        "is_complete": True,
        "was_cancelled": False,
        "request_count": {"avg": float(finished)},
        "benchmark_duration": {"avg": 2.0},
    }
    lines = [json.dumps(item) for item in records]
    if mode == "half":
        lines[-1] = lines[-1][:40]
    (options.output_artifact_dir / "profile_export.jsonl").write_text("\n".join(lines) + "\n")
    if mode != "no-summary":
        (options.output_artifact_dir / "profile_export_aiperf.json").write_text(json.dumps(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
