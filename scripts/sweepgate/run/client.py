"""The client beside a served row: run to its end while the server is watched, and the server's counters around it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from sweepgate.measure.client_load import CpuSampler
from sweepgate.measure.records import SUMMARY_FILE, error_kinds
from sweepgate.measure.server_metrics import Scrape, scrape
from sweepgate.run.deployment import SETTLE_SECONDS, Deployment
from sweepgate.run.failure import JobFailure, log_tail
from sweepgate.run.settings import Settings

_POLL_SECONDS = 0.1


def run_client(
    arguments: Sequence[str],
    server: Deployment,
    settings: Settings,
    output: Path,
    limit: float,
    poll: Callable[[], None] = lambda: None,
) -> CpuSampler:
    """Run aiperf to its end while watching the server; returns the stopped sampler of its CPU time.

    `limit` in seconds; `poll` is called about ten times a second. Raises JobFailure when the server ends, when the
    client takes longer than `limit` or ends without a summary, and when no request succeeded.
    """
    environment = {
        **server.environment(),
        "AIPERF_DATASET_MMAP_BASE_PATH": str(server.scratch),
        "AIPERF_DATASET_MMAP_CACHE_DIR": str((settings.repository / ".cache" / "aiperf").absolute()),
    }
    deadline = time.monotonic() + limit
    log = output / "client.log"
    client = server.start_client([*settings.client, *arguments], environment, log)
    sampler = CpuSampler(client.pid)
    try:
        while client.exit_code() is None:
            server.check_alive("measure")
            poll()
            if time.monotonic() > deadline:
                client.stop()
                raise JobFailure("infrastructure", "measure", f"aiperf took over {limit:g} s", log_tail(log))
            time.sleep(_POLL_SECONDS)
    finally:
        client.stop()
        sampler.stop()
    code = client.exit_code()
    if code and not (output / SUMMARY_FILE).is_file():
        server.check_alive("measure", SETTLE_SECONDS)
        # aiperf 0.13 gives up without a summary when no request at all succeeded: that is the server's doing.
        kinds = error_kinds(output)
        if kinds:
            failed = ", ".join(f"{count} × {kind}" for kind, count in kinds.items())
            raise JobFailure("benchmark", "measure", f"every request failed ({failed})", log_tail(log))
        raise JobFailure("infrastructure", "measure", f"aiperf exited with code {code}", log_tail(log))
    return sampler


def scrape_server(server: Deployment, raw: Path) -> Scrape:
    """Return the server's counters, and keep their text in `raw`. Raises JobFailure when they cannot be read."""
    try:
        return scrape(server.metrics_urls, raw)
    except (httpx.HTTPError, ValueError) as error:
        server.check_alive("scrape", SETTLE_SECONDS)
        message = f"the server's metrics cannot be read: {type(error).__name__}"
        raise JobFailure("benchmark", "scrape", message, str(error)) from error
