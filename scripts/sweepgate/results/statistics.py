"""From requests to the statistics of a result row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweepgate.measure.records import Request
from sweepgate.results.row import LATENCIES, STATISTICS


def latency_statistics(requests: Sequence[Request]) -> dict[str, float]:
    """Return `{statistic}_{latency}` for every pair, in seconds (interactivity in tokens/s/user).

    TTFT, TPOT and end-to-end latency are per request; ITL is every gap between two chunks of every request. Requests
    of a single token have no TPOT and are left out of it. Raises ValueError when there is nothing to average.
    """
    tpot = [request.tpot for request in requests if request.tpot is not None]
    samples = {
        "ttft": [request.ttft for request in requests],
        "tpot": tpot,
        "itl": [gap for request in requests for gap in request.gaps],
        "e2el": [request.latency for request in requests],
    }
    result = {}
    for latency, values in samples.items():
        if not values:
            raise ValueError(f"no request has a {latency.upper()}")
        # Infinite samples give NaN here, which the row's schema refuses; numpy need not say so too.
        with np.errstate(invalid="ignore"):
            result.update({f"{statistic}_{latency}": _statistic(values, statistic) for statistic in STATISTICS})
    for statistic in STATISTICS[:-1]:
        result[f"{statistic}_intvty"] = _inverse(result[f"{statistic}_tpot"])
    result["std_intvty"] = float(np.std([_inverse(value) for value in tpot]))
    assert len(result) == len(LATENCIES) * len(STATISTICS)
    return result


def _statistic(values: Sequence[float], statistic: str) -> float:
    array = np.asarray(values, dtype=float)
    if statistic == "mean":
        return float(array.mean())
    if statistic == "std":
        return float(array.std())
    return float(np.percentile(array, 50.0 if statistic == "median" else float(statistic[1:])))


def _inverse(seconds: float) -> float:
    return 1 / seconds if seconds > 0 else float("inf")
