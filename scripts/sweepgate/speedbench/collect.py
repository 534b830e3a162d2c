"""Collecting: for each cell a clean server with real acceptance, every question once, and what its counters say."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from sweepgate.engines import tiny_model
from sweepgate.engines.recipe import NOMINAL
from sweepgate.engines.registry import engine_for
from sweepgate.fingerprint.point import digest
from sweepgate.fingerprint.serving import server_commands
from sweepgate.measure.acceptance import Acceptance, read_acceptance
from sweepgate.measure.client import NOMINAL_CLIENT
from sweepgate.measure.records import ExportError, Measurement, read_export
from sweepgate.measure.server_metrics import CounterResetError, Scrape
from sweepgate.run.client import run_client, scrape_server
from sweepgate.run.deployment import Deployment
from sweepgate.run.failure import JobFailure, disk_errors, log_tail
from sweepgate.run.settings import Settings
from sweepgate.speedbench.blocks import Growth, block_error
from sweepgate.speedbench.cells import AcceptancePlan, Cell, row_of
from sweepgate.speedbench.client import client_arguments
from sweepgate.speedbench.prompts import Prompts
from sweepgate.speedbench.result import CellResult, Counted, read_result, reasons_against, result_file, write_result

# Often enough for 20 blocks of a short run, seldom enough to leave the server alone.
SCRAPE_SECONDS = 5.0
# How long one answer may take at worst, on average over a run: 4,096 tokens at 13 tokens/s.
SECONDS_PER_ANSWER = 300.0

Say = Callable[[str], None]


def collect(
    plan: AcceptancePlan, cells: Sequence[Cell], prompts: Prompts, settings: Settings, out: Path, say: Say
) -> list[CellResult]:
    """Collect cells one after the other; each result is written once it is known, and a cell whose valid result is
    already in `out`, from equal inputs, is not served again.

    A cell that fails does not stop the others. Raises InputError for a collection that cannot be served as it is.
    """
    fingerprints = {cell.id: fingerprint(plan, cell, prompts, settings) for cell in cells}
    results = []
    for cell in cells:
        folder = out / cell.id
        kept = read_result(result_file(folder, cell.id))
        if kept is not None and kept.status == "valid" and kept.fingerprint == fingerprints[cell.id]:
            say(f"{cell.id}: kept, measured before from equal inputs")
            results.append(kept)
            continue
        result = _collect_cell(plan, cell, prompts, settings, folder, fingerprints[cell.id], say)
        write_result(folder, result)
        say(f"{cell.id}: {describe(result)}")
        results.append(result)
    return results


def fingerprint(plan: AcceptancePlan, cell: Cell, prompts: Prompts, settings: Settings) -> str:
    """Return a SHA-256 over what decides a cell's length: row, resolved server command, client command, prompts.

    Raises InputError for a recipe that is missing, at fault, impure, or forces acceptance.
    """
    row = row_of(plan, cell)
    nominal = [(process, NOMINAL) for process in engine_for(row.framework).processes(row)]
    commands = server_commands(settings.benchmarks, row, nominal)
    return digest(
        {
            "row": orjson.loads(row.model_dump_json(by_alias=True, exclude={"exp_name"})),
            "servers": {name: [command.argv, command.environment] for name, command in commands.items()},
            "client": client_arguments(
                plan, cell, Prompts(Path("/p"), *_asked(prompts)), NOMINAL_CLIENT.url, Path("/o")
            ),
            "prompts": prompts.sha256,
        }
    )


def _asked(prompts: Prompts) -> tuple[str, int, int, str]:
    return prompts.category, prompts.questions, prompts.requests, prompts.sha256


def describe(result: CellResult) -> str:
    """Return a result in one line."""
    if result.counted is None or result.status != "valid":
        return f"{result.status}: {'; '.join(result.reasons)}"
    error = result.counted.standard_error
    shown = "" if error is None else f" ± {error:.3f}"
    return f"acceptance length {result.counted.length:.2f}{shown} over {result.counted.drafts:,} drafts"


def _collect_cell(
    plan: AcceptancePlan, cell: Cell, prompts: Prompts, settings: Settings, folder: Path, mark: str, say: Say
) -> CellResult:
    head = {"name": plan.name, "thinking": cell.thinking, "draft_tokens": cell.draft_tokens, "fingerprint": mark}
    launch = settings.launch(plan.collection.runner)
    try:
        with disk_errors("preflight"):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if plan.collection.model == tiny_model.NAME:
                tiny_model.ensure(settings.hf_home(launch))
        with Deployment(row_of(plan, cell), settings, launch, folder) as server:
            say(f"{cell.id}: starting the server")
            server.start()
            server.wait_until_ready()
            say(f"{cell.id}: asking {prompts.questions} questions")
            counted, reasons = _ask(plan, cell, prompts, settings, server, folder)
        status = "invalid" if reasons else "valid"
        return CellResult.model_validate({**head, "status": status, "reasons": reasons, "counted": counted})
    except JobFailure as error:
        reasons = [f"{error.failure.phase}: {error.failure.message}"]
        return CellResult.model_validate({**head, "status": "failed", "reasons": reasons, "failure": error.failure})


def _ask(
    plan: AcceptancePlan, cell: Cell, prompts: Prompts, settings: Settings, server: Deployment, folder: Path
) -> tuple[Counted | None, list[str]]:
    output = folder / "client"
    with disk_errors("measure"):
        output.mkdir()
    conc = plan.collection.conc
    before = scrape_server(server, folder / "metrics-before.prom")
    watch = _Watch(server, folder, before)
    arguments = client_arguments(plan, cell, prompts, server.url, output)
    limit = server.launch.client_timeout + SECONDS_PER_ANSWER * prompts.requests / conc
    run_client(arguments, server, settings, output, limit, watch.poll)
    server.check_alive("collect")
    after = scrape_server(server, folder / "metrics-after.prom")
    try:
        measured = read_export(output)
    except ExportError as error:
        raise JobFailure("infrastructure", "collect", f"aiperf: {error}", log_tail(output / "client.log")) from error
    try:
        seen = read_acceptance(before, after, conc)
        reasons = reasons_against(cell, seen, prompts, measured)
        growths = watch.growths(after, conc)
    except CounterResetError as error:
        return None, [f"the server restarted while it was measured: {error}"]
    if seen is None or seen.length is None:
        return None, reasons
    return _counted(seen, seen.length, block_error(growths), plan, measured), reasons


def _counted(
    seen: Acceptance, length: float, error: float | None, plan: AcceptancePlan, measured: Measurement
) -> Counted:
    requests = measured.requests
    return Counted(
        length=length,
        standard_error=seen.standard_error if error is None else error,
        block_error=error is not None,
        drafts=seen.drafts,
        rates=seen.rates,
        source=seen.source,
        answers=len(requests),
        empty=sum(not request.output_tokens for request in requests),
        reasoned=sum(request.reasoning_tokens > 0 for request in requests),
        truncated=sum(request.output_tokens >= plan.output_tokens for request in requests),
        seconds=round(measured.duration, 1),
        client=f"aiperf {measured.aiperf_version}",
    )


class _Watch:
    """Reads the counters while the client runs, for the spread between stretches of the run."""

    def __init__(self, server: Deployment, folder: Path, before: Scrape) -> None:
        self.server = server
        self.raw = folder / "metrics-during.prom"
        self.scrapes = [before]
        self.next = time.monotonic() + SCRAPE_SECONDS

    def poll(self) -> None:
        """Scrape when it is time to."""
        if time.monotonic() >= self.next:
            self.scrapes.append(scrape_server(self.server, self.raw))
            self.next = time.monotonic() + SCRAPE_SECONDS

    def growths(self, after: Scrape, conc: int) -> list[Growth]:
        """Return drafts and accepted tokens between neighbouring scrapes."""
        found = []
        for first, last in zip(self.scrapes, [*self.scrapes[1:], after], strict=True):
            seen = read_acceptance(first, last, conc)
            if seen is not None and seen.length is not None:
                found.append(Growth(seen.drafts, (seen.length - 1) * seen.drafts))
        return found
