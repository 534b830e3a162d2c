"""One job, start to end: preflight, serve, measure each concurrency, tear down. Results are written as they come."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sweepgate.engines import tiny_model
from sweepgate.engines.recipe import NOMINAL
from sweepgate.engines.registry import engine_for
from sweepgate.files import write_json
from sweepgate.fingerprint.serving import server_commands
from sweepgate.launch import scratch
from sweepgate.measure.acceptance import read_acceptance
from sweepgate.measure.client import ClientPlace, client_arguments, trace_folder
from sweepgate.measure.client_load import longest_block
from sweepgate.measure.records import ExportError, Measurement, read_export
from sweepgate.measure.server_metrics import CounterResetError, increase
from sweepgate.plan.plan import Job
from sweepgate.results.build import Observed, PointId, build_row
from sweepgate.results.store import PointResult, result_file
from sweepgate.run.client import run_client, scrape_server
from sweepgate.run.deployment import Deployment
from sweepgate.run.failure import JobFailure, disk_errors, log_tail
from sweepgate.run.settings import Settings
from sweepgate.run.step import Observer, Step

# A point's raw files take a few MB; less room than this means that something else is filling the disk.
MIN_FREE_BYTES = 200_000_000


def run_job(
    job: Job,
    settings: Settings,
    folder: Path,
    observer: Observer,
    measured: Callable[[PointResult], None] = lambda _: None,
    concurrencies: Sequence[int] | None = None,
) -> list[PointResult]:
    """Run `job` here and return one result a concurrency; each is also written to `folder` once it is known.

    `measured` hears of each point as soon as it has been measured, `observer` of each phase.

    A failure ends the job: points that were measured keep their results, the rest get the failure. Nothing that the
    job started is left when this returns or raises. Raises InputError for a job that cannot run anywhere as it is.
    """
    pending = list(job.concurrencies if concurrencies is None else concurrencies)
    results: list[PointResult] = []
    begun = time.monotonic()
    try:
        observer(Step(job.id, "preflight"))
        _preflight(job, settings, folder)
        with Deployment(job.row, settings, settings.launch(job.runs_on), folder) as server:
            observer(Step(job.id, "start"))
            server.start()
            observer(Step(job.id, "ready"))
            server.wait_until_ready()
            while pending:
                result = _measure_point(job, pending[0], server, settings, folder, observer, begun)
                results.append(result)
                measured(result)
                pending.pop(0)
                begun = time.monotonic()
            observer(Step(job.id, "teardown"))
    except JobFailure as error:
        for conc in pending:
            failed = PointResult(
                job=job.id,
                conc=conc,
                fingerprint=job.fingerprint(conc),
                status="failed",
                reasons=[f"{error.failure.phase}: {error.failure.message}"],
                failure=error.failure,
                seconds=time.monotonic() - begun,
            )
            results.append(_keep(failed, folder))
    return results


def _preflight(job: Job, settings: Settings, folder: Path) -> None:
    """Refuse before anything starts: a recipe or trace set that is missing, a row that cannot be forced to its golden
    acceptance length, a full disk. Remove what a killed run left."""
    scratch.remove_abandoned()
    nominal = [(process, NOMINAL) for process in engine_for(job.row.framework).processes(job.row)]
    server_commands(settings.benchmarks, job.row, nominal)
    launch = settings.launch(job.runs_on)
    if job.kind == "eval":
        raise JobFailure("benchmark", "preflight", "this job evaluates, and only throughput jobs can be run here")
    traces = trace_folder(job.row, settings.benchmarks)
    if traces is not None and not any(traces.glob("*.json")):
        raise JobFailure("benchmark", "preflight", f"trace set {job.row.trace_set} holds no traces")
    with disk_errors("preflight"):
        folder.mkdir(parents=True, exist_ok=True)
        for place in (folder, Path(tempfile.gettempdir())):
            free = shutil.disk_usage(place).free
            if free < MIN_FREE_BYTES:
                message = f"{place} has {free / 1e6:.0f} MB left, at least {MIN_FREE_BYTES / 1e6:.0f} MB are needed"
                raise JobFailure("infrastructure", "preflight", message)
        if job.row.model == tiny_model.NAME:
            tiny_model.ensure(settings.hf_home(launch))


def _measure_point(
    job: Job, conc: int, server: Deployment, settings: Settings, folder: Path, observer: Observer, begun: float
) -> PointResult:
    observer(Step(job.id, "measure", conc))
    output = folder / f"client-c{conc}"
    with disk_errors("measure"):
        # What an earlier, interrupted attempt left would be taken for this one's.
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        before = scrape_server(server, folder / f"metrics-before-c{conc}.prom")
    place = ClientPlace(server.url, str(settings.benchmarks.absolute()), str(output.absolute()))
    arguments = client_arguments(job.row, conc, place)
    sampler = run_client(arguments, server, settings, output, server.launch.client_timeout + (job.row.duration or 0))
    observer(Step(job.id, "collect", conc))
    server.check_alive("collect")
    with disk_errors("collect"):
        after = scrape_server(server, folder / f"metrics-after-c{conc}.prom")
    point = PointId(job.id, conc, job.fingerprint(conc))
    try:
        measurement = read_export(output)
    except ExportError as error:
        raise JobFailure("infrastructure", "collect", f"aiperf: {error}", log_tail(output / "client.log")) from error
    row: dict[str, Any] | None = None
    reasons: list[str]
    try:
        counted = increase(before, after, server.engine.counters)
        acceptance = read_acceptance(before, after, conc)
        block = longest_block(output / "logs" / "aiperf.log")
        observed = Observed(measurement, counted, sampler.samples, block, server.golden_al, acceptance)
        row, reasons = build_row(job.row, point, observed)
    except CounterResetError as error:
        reasons = [f"the server restarted while it was measured: {error}"]
    if not reasons:
        with disk_errors("collect"):
            write_json(folder / f"timeline-c{conc}.json", timeline(measurement))
    result = PointResult(
        job=job.id,
        conc=conc,
        fingerprint=point.fingerprint,
        status="invalid" if reasons else "valid",
        reasons=reasons,
        row=row,
        seconds=time.monotonic() - begun,
    )
    return _keep(result, folder)


def timeline(measurement: Measurement) -> list[dict[str, Any]]:
    """Return when each request started, got its first token and ended (seconds from the first start), by session."""
    if not measurement.requests:
        return []
    origin = min(request.start for request in measurement.requests)
    sessions: dict[str, int] = {}
    return [
        {
            "start": round(request.start - origin, 4),
            "first": round(request.start - origin + request.ttft, 4),
            "end": round(request.end - origin, 4),
            "session": sessions.setdefault(request.session, len(sessions)),
            "input": request.input_tokens,
            "output": request.output_tokens,
        }
        for request in sorted(measurement.requests, key=lambda request: request.start)
    ]


def _keep(result: PointResult, folder: Path) -> PointResult:
    """Write a result. A disk that refuses it costs the file, not the result: the caller still has it."""
    try:
        write_json(result_file(folder, result.conc), json.loads(result.model_dump_json(by_alias=True)))
    except OSError as error:
        note = f"the result could not be written: {error.strerror}"
        return result.model_copy(update={"reasons": [*result.reasons, note]})
    return result
