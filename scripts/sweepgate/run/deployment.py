"""A row's server on this machine: started, ready, watched, and gone again whatever happens."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from sweepgate.config.fleets import LocalLaunch
from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import Place
from sweepgate.engines.registry import engine_for
from sweepgate.fingerprint.serving import committed_golden, server_commands
from sweepgate.fingerprint.statements import ResolvedCommand
from sweepgate.launch import local, scratch
from sweepgate.launch.ports import free_ports, holder_of
from sweepgate.matrix.row import Row
from sweepgate.run.failure import JobFailure, disk_errors, log_tail
from sweepgate.run.interrupts import uninterrupted
from sweepgate.run.settings import Settings

HOST = "127.0.0.1"
_POLL_SECONDS = 0.2
_HTTP_TIMEOUT_SECONDS = 5.0
# The first request may compile kernels; it has what is left of the readiness budget, but at least this.
_PROBE_SECONDS = 60.0
# How long a broken connection may precede the end of the process that broke it.
SETTLE_SECONDS = 2.0


class Deployment:
    """All server processes of one row. Use as a context manager: leaving it ends every one of them."""

    def __init__(self, row: Row, settings: Settings, launch: LocalLaunch, folder: Path) -> None:
        self.row = row
        self.settings = settings
        self.launch = launch
        self.folder = folder
        self.engine = engine_for(row.framework)
        self.scratch = scratch.create()
        golden = committed_golden(settings.repository, row)
        self.golden_al = None if golden is None else golden.length
        self._running: list[local.LocalProcess] = []
        self._clients: list[local.LocalProcess] = []
        self._places: list[tuple[ServerProcess, Place]] = []

    def __enter__(self) -> Deployment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where requests go."""
        process_place = next(place for process, place in self._places if process.takes_requests)
        return f"http://{HOST}:{process_place.port}"

    @property
    def metrics_urls(self) -> list[str]:
        """One Prometheus endpoint a process: the request port where requests are taken, the system port elsewhere."""
        return [
            f"http://{HOST}:{place.port if process.takes_requests else place.system_port}/metrics"
            for process, place in self._places
        ]

    def environment(self) -> dict[str, str]:
        """Return what servers and the client see: no tokens, our tools, the model cache, this job's scratch folder."""
        hf_home = self.settings.hf_home(self.launch)
        environment = local.base_environment(os.environ)
        environment |= {"HF_HOME": str(hf_home), "TMPDIR": str(self.scratch)}
        if (hf_home / "hub" / f"models--{self.row.model.replace('/', '--')}").is_dir():
            environment["HF_HUB_OFFLINE"] = "1"
        return environment

    def start(self) -> None:
        """Start every process, each from a script in the job's folder that holds its resolved command.

        Raises JobFailure when a port is taken or a file cannot be written, InputError for a recipe at fault.
        """
        processes = self.engine.processes(self.row)
        self._places = [
            (process, self._place(ports)) for process, ports in zip(processes, self._ports(len(processes)), strict=True)
        ]
        for name, command in server_commands(self.settings.benchmarks, self.row, self._places).items():
            script = self.folder / f"launch-{name}.sh"
            with disk_errors("start"):
                script.write_text(launch_script(command))
                script.chmod(0o755)
            log = self.folder / f"server-{name}.log"
            with uninterrupted():
                started = local.start(name, [str(script.absolute())], self.environment(), self.scratch, log.absolute())
                self._running.append(started)

    def start_client(self, command: list[str], environment: Mapping[str, str], log: Path) -> local.LocalProcess:
        """Start a client beside the server; it ends with the deployment at the latest."""
        with uninterrupted():
            client = local.start("client", command, environment, self.scratch, log.absolute())
            self._clients.append(client)
        return client

    def wait_until_ready(self) -> None:
        """Return once the server is complete and has answered a request.

        Raises JobFailure when a process ends first, or when the budget runs out: a server that was not seen healthy
        is never measured.
        """
        deadline = time.monotonic() + self.launch.ready_timeout
        with httpx.Client(timeout=_HTTP_TIMEOUT_SECONDS, trust_env=False) as client:
            while True:
                self.check_alive("ready")
                missing = self._missing(client)
                if missing is None:
                    break
                if time.monotonic() > deadline:
                    self._fail("ready", f"the server was not ready within {self.launch.ready_timeout} s", missing)
                time.sleep(_POLL_SECONDS)
            self._probe(client, max(deadline - time.monotonic(), _PROBE_SECONDS))

    def check_alive(self, phase: str, patience: float = 0.0) -> None:
        """Raise JobFailure when a server process has ended, or does so within `patience` seconds.

        Patience is for callers that saw a connection break: the process behind it may be a moment from its end.
        """
        deadline = time.monotonic() + patience
        while True:
            for process in self._running:
                code = process.exit_code()
                if code is not None:
                    self._fail(phase, f"{process.name} exited with code {code}", only=process)
            if time.monotonic() >= deadline:
                return
            time.sleep(_POLL_SECONDS / 4)

    def stop(self) -> None:
        """End every process and delete the scratch folder; safe to call again."""
        with uninterrupted():
            everything = [*self._clients, *self._running]
            for process in everything:
                process.ask_to_stop()
            for process in everything:
                process.stop()
            scratch.remove(self.scratch)

    def _ports(self, count: int) -> list[tuple[int, int]]:
        ports = free_ports(2 * count)
        if self.settings.port is not None:
            holder = holder_of(self.settings.port)
            if holder:
                message = f"port {self.settings.port} is taken by {holder}"
                raise JobFailure("infrastructure", "preflight", message)
            ports[0] = self.settings.port
        return list(zip(ports[::2], ports[1::2], strict=True))

    def _place(self, ports: tuple[int, int]) -> Place:
        hf_home = str(self.settings.hf_home(self.launch))
        return Place(HOST, ports[0], ports[1], str(self.scratch), hf_home)

    def _missing(self, client: httpx.Client) -> str | None:
        """Return what the server lacks to be complete; None when it says that it is."""
        try:
            health = client.get(f"{self.url}/health")
            if health.status_code != httpx.codes.OK:
                return f"GET /health answered {health.status_code}"
            lacking = self.engine.missing(self.row, _json(health))
            if lacking:
                return lacking
            models = _json(client.get(f"{self.url}/v1/models"))
        except httpx.HTTPError as error:
            return f"no HTTP answer yet ({type(error).__name__})"
        entries = models.get("data") if isinstance(models, dict) else None
        served = [entry.get("id") for entry in entries or [] if isinstance(entry, dict)]
        return None if self.row.model in served else f"GET /v1/models lists {served}, not {self.row.model}"

    def _probe(self, client: httpx.Client, budget: float) -> None:
        """Send one request through the whole deployment; only an answer with a token in it counts."""
        request = {"model": self.row.model, "max_tokens": 4, "messages": [{"role": "user", "content": "Say hello."}]}
        try:
            answer = client.post(f"{self.url}/v1/chat/completions", json=request, timeout=budget)
        except httpx.HTTPError as error:
            self.check_alive("ready", SETTLE_SECONDS)
            self._fail("ready", f"the first request failed: {type(error).__name__}")
        body = _json(answer)
        usage = body.get("usage") if isinstance(body, dict) else None
        tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
        if answer.status_code != httpx.codes.OK or not tokens:
            self._fail("ready", f"the first request was answered {answer.status_code}", answer.text[:500])

    def _fail(self, phase: str, message: str, found: str = "", only: local.LocalProcess | None = None) -> None:
        """Raise a benchmark failure with the end of the logs. The processes are ended first, so logs are complete."""
        for process in self._running:
            process.ask_to_stop()
        tails = [] if not found else [found]
        for process in [only] if only else self._running:
            process.stop()
            tails.append(f"--- {process.log.name} ---\n{log_tail(process.log)}")
        raise JobFailure("benchmark", phase, message, "\n".join(tails))


def launch_script(command: ResolvedCommand) -> str:
    """Return a bash script that exports a command's environment and becomes the command; run by hand it does the same.

    Every value is quoted, and none stands in a comment, which a line break in it would end.
    """
    exports = [f"export {name}={shlex.quote(text)}" for name, text in sorted(command.environment.items())]
    head = ["#!/usr/bin/env bash", "# Made by SweepGate: the server of one job, as its recipe and its row resolve."]
    return "\n".join([*head, *exports, f"exec {shlex.join(command.argv)}"]) + "\n"


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None
