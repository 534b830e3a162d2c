"""When a measured point may be believed. Every bound is here, but those of acceptance (`acceptance_bounds.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from sweepgate.matrix.row import Row
from sweepgate.measure.client import LENGTH_RANGE_RATIO, requested
from sweepgate.measure.records import Measurement, Request

# A fixed-sequence load is synthetic: nothing in it may fail. Replayed sessions may overflow the context.
MAX_ERROR_SHARE_FIXED = 0.0
MAX_ERROR_SHARE_AGENTIC = 0.10
# Outputs shorter or longer than asked change throughput by about as much.
MAX_LENGTH_DEVIATION = 0.05
# Random prompts share a chat template and nothing else: more than this in the prefix cache means that they repeat.
MAX_CACHED_SHARE_FIXED = 0.05


def invalid_reasons(row: Row, conc: int, measured: Measurement, server: dict[str, float]) -> list[str]:
    """Return why the point must not be published, in words for a person; empty when it may be.

    `server` holds what the server's own counters say of the window (`output_tokens` where the engine counts them).
    """
    if not measured.requests:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in measured.error_kinds.items())
        return [f"no request finished ({measured.errors} failed: {kinds})" if kinds else "no request finished"]
    checks = (
        _incomplete(row, conc, measured),
        _too_many_errors(row, measured),
        _impossible_values(measured),
        _wrong_output_length(measured.requests),
        _wrong_input_length(row, measured.requests),
        _repeated_prompts(row, measured),
        _server_disagrees(measured, server),
    )
    return [reason for check in checks for reason in check]


def _incomplete(row: Row, conc: int, measured: Measurement) -> list[str]:
    reasons = []
    if not measured.complete:
        reasons.append("the client was cancelled before it finished")
    finished = len(measured.requests)
    if finished != measured.exported_requests:
        reasons.append(f"the client reports {measured.exported_requests} requests but recorded {finished}")
    asked = requested(row, conc)
    if asked is not None and finished + measured.errors != asked:
        reasons.append(f"{finished + measured.errors} of {asked} requests were made")
    return reasons


def _too_many_errors(row: Row, measured: Measurement) -> list[str]:
    share = measured.errors / (measured.errors + len(measured.requests))
    bound = MAX_ERROR_SHARE_AGENTIC if row.is_agentic else MAX_ERROR_SHARE_FIXED
    if share <= bound:
        return []
    kinds = ", ".join(f"{count} × {kind}" for kind, count in sorted(measured.error_kinds.items()))
    return [f"{share:.1%} of requests failed, at most {bound:.0%} may ({kinds})"]


def _impossible_values(measured: Measurement) -> list[str]:
    reasons = []
    if measured.duration <= 0:
        reasons.append(f"the measured window is {measured.duration:g} s long")
    if measured.input_tokens <= 0:
        reasons.append("the requests have no input tokens")
    empty = sum(request.output_tokens <= 0 for request in measured.requests)
    if empty:
        reasons.append(f"{empty} of {len(measured.requests)} requests have no output tokens")
    for name, values in (
        ("TTFT", [request.ttft for request in measured.requests]),
        ("TPOT", [request.tpot for request in measured.requests if request.tpot is not None]),
        ("latency", [request.latency for request in measured.requests]),
        ("inter-token gap", [gap for request in measured.requests for gap in request.gaps]),
    ):
        # Written so that NaN, which compares false with everything, counts as impossible.
        impossible = [value for value in values if not 0 <= value < float("inf")]
        if impossible:
            reasons.append(f"{len(impossible)} requests have an impossible {name}, such as {impossible[0]:g} s")
    return reasons


def _wrong_output_length(requests: Sequence[Request]) -> list[str]:
    known = [request for request in requests if request.asked_output_tokens]
    asked = sum(request.asked_output_tokens or 0 for request in known)
    if not known or asked <= 0:
        return ["the client does not say how many output tokens it asked for"]
    got = sum(request.output_tokens for request in known)
    if abs(got - asked) <= MAX_LENGTH_DEVIATION * asked:
        return []
    return [
        f"outputs are {got / asked - 1:+.1%} off the length asked for, at most {MAX_LENGTH_DEVIATION:.0%} is allowed"
    ]


def _wrong_input_length(row: Row, requests: Sequence[Request]) -> list[str]:
    if row.isl is None:
        return []
    mean = sum(request.input_tokens for request in requests) / len(requests)
    low, high = row.isl * LENGTH_RANGE_RATIO * (1 - MAX_LENGTH_DEVIATION), row.isl * (1 + MAX_LENGTH_DEVIATION)
    if low <= mean <= high:
        return []
    return [f"inputs average {mean:.0f} tokens, {low:.0f} to {high:.0f} are due for ISL {row.isl}"]


def _repeated_prompts(row: Row, measured: Measurement) -> list[str]:
    """Disaggregated servers may report transferred blocks as cached, so only the others are judged."""
    if row.is_agentic or row.disagg or not measured.input_tokens:
        return []
    share = sum(request.cached_tokens for request in measured.requests) / measured.input_tokens
    if share <= MAX_CACHED_SHARE_FIXED:
        return []
    return [f"{share:.0%} of the random prompts were in the prefix cache, at most {MAX_CACHED_SHARE_FIXED:.0%} may be"]


def _server_disagrees(measured: Measurement, server: dict[str, float]) -> list[str]:
    """The server also counts warm-up, so it may report more than the client, never less."""
    counted = server.get("output_tokens")
    if counted is None or counted >= measured.output_tokens * (1 - MAX_LENGTH_DEVIATION):
        return []
    return [f"the server counted {counted:.0f} output tokens, the client {measured.output_tokens}"]


# Above these the client shapes the numbers: see `client_bound_reasons`.
MAX_SEND_DELAY_SHARE = 0.05
MAX_CLIENT_CPU_SHARE = 0.90


def client_bound_reasons(
    send_delay_mean: float, latency_mean: float, longest_block: float, ttft_median: float, share: float | None
) -> list[str]:
    """Return why the client, not the server, limited a point (all times in seconds); empty when it did not.

    In a closed loop each slot loses the send delay once a request, so its share of the latency is the share of
    throughput that the client cost. An event loop blocked for longer than the median TTFT means that first tokens
    waited in the client. A client that needs nearly all cores has none left to be on time.
    """
    reasons = []
    if latency_mean > 0 and send_delay_mean / latency_mean > MAX_SEND_DELAY_SHARE:
        reasons.append(f"requests left {send_delay_mean / latency_mean:.0%} of their latency late")
    if longest_block > ttft_median > 0:
        reasons.append(f"the event loop was blocked for {longest_block:.3f} s, longer than the median TTFT")
    if share is not None and share > MAX_CLIENT_CPU_SHARE:
        reasons.append(f"the client used {share:.0%} of all CPU cores")
    return reasons
