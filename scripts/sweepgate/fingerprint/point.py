"""The fingerprint of a point: SHA-256 over everything that can change its number.

That is the row less its names and eval marks, the resolved command and environment of every server process (or, for an
impure recipe, the bytes of every file it reaches), the golden acceptance length that is forced, the client's arguments
and pinned version, and the content of a trace set that this repository carries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import NOMINAL, OF_CONCURRENCY, conventional_name, job_arrays, job_variables, recipe_path
from sweepgate.engines.registry import engine_for
from sweepgate.fingerprint.closure import Closure, closure_of
from sweepgate.fingerprint.serving import server_command
from sweepgate.fingerprint.statements import PureRecipe, ResolvedCommand, compile_recipe
from sweepgate.fingerprint.syntax import ImpureError
from sweepgate.golden.curves import CommittedCurve, load_curves
from sweepgate.golden.forcing import check_speculation, golden_of
from sweepgate.golden.lookup import Golden, is_forced
from sweepgate.matrix.row import Row
from sweepgate.measure.client import NOMINAL_CLIENT, client_arguments, trace_folder

Inputs = dict[str, Any]
Origin = tuple[bytes | dict[str, str], str | None, str, float | None]

# Names, and marks that add a job beside the point but do not change it. `conc` is added per point.
_NOT_HASHED = {"exp_name", "run_eval", "eval_conc", "eval_all_concs", "conc"}


@dataclass(frozen=True)
class _Recipe:
    path: Path
    source: bytes
    compiled: PureRecipe | ImpureError


@dataclass(frozen=True)
class _Server:
    command: ResolvedCommand
    digest: str
    speculates: bool


@dataclass(frozen=True)
class _Shape:
    """What the rows of one search space share: they differ in their concurrency only, and come one after the other.

    `processes` are all servers, each with the variables that it reads.
    """

    fields: Inputs
    digest: str
    golden: Golden | None
    recipe: _Recipe
    processes: Sequence[tuple[ServerProcess, Mapping[str, str]]]


class Fingerprinter:
    """Fingerprints of the points of one tree; every recipe, closure and trace set is read once."""

    def __init__(self, benchmarks: Path, client_version: str) -> None:
        self.benchmarks = benchmarks
        self.client_version = client_version
        self._recipes: dict[str, _Recipe] = {}
        self._servers: dict[Hashable, _Server | ImpureError] = {}
        self._closures: dict[Path, Closure] = {}
        self._traces: dict[Path | None, str | None] = {None: None}
        self._last_shape: _Shape | None = None

    def servers(self, row: Row) -> dict[str, ResolvedCommand] | ImpureError:
        """Return process name → resolved command of every server process, or why the recipe is impure.

        A command's environment is what the recipe exports itself, beside the variables of the job file.
        Raises InputError where the recipe is at fault.
        """
        found = self._resolved(row, self._shape(row))
        return found if isinstance(found, ImpureError) else {name: server.command for name, server in found.items()}

    def closure(self, row: Row) -> Closure:
        """Return the files that the row's recipe reaches."""
        path = self._recipe(row).path
        if path not in self._closures:
            self._closures[path] = closure_of(path, self.benchmarks)
        return self._closures[path]

    def point_inputs(self, row: Row, conc: int) -> Inputs:
        """Return everything that decides the fingerprint of one point, in full: `fingerprints` hashes digests of it."""
        servers = self.servers(row)
        inputs = {**self._shape_inputs(row), "conc": conc, "client": client_arguments(row, conc, NOMINAL_CLIENT)}
        if isinstance(servers, ImpureError):
            return {**inputs, "max-conc": max(row.concurrencies), "files": self.closure(row).files}
        return {**inputs, "servers": {name: _command_inputs(command) for name, command in servers.items()}}

    def fingerprints(self, row: Row) -> dict[int, str]:
        """Return concurrency → fingerprint (64 hexadecimal digits) for every point of `row`."""
        shape = self._shape(row)
        shared = [shape.digest, self._served(row, shape)]
        return {
            conc: digest([*shared, conc, client_arguments(row, conc, NOMINAL_CLIENT)]) for conc in row.concurrencies
        }

    def origin(self, row: Row) -> Origin:
        """Return what `row` is resolved from: where this is equal in two trees, equal rows have equal fingerprints.

        Raises InputError for a recipe that is missing.
        """
        recipe = self._recipe(row)
        impure = isinstance(recipe.compiled, ImpureError)
        files = self.closure(row).files if impure else recipe.source
        golden = self.golden(row)
        traces = self._trace_digest(trace_folder(row, self.benchmarks))
        return files, traces, self.client_version, None if golden is None else golden.length

    def golden(self, row: Row) -> Golden | None:
        """Return the acceptance length that the row is forced to; None for rows that are never forced.

        Raises InputError for a row that must be forced and cannot be.
        """
        return golden_of(row, self._curves if is_forced(row) else [])

    @cached_property
    def _curves(self) -> list[CommittedCurve]:
        return load_curves(self.benchmarks.parent)

    def _shape_inputs(self, row: Row) -> Inputs:
        golden = self.golden(row)
        return {
            "row": row.model_dump(mode="json", by_alias=True, exclude=_NOT_HASHED, exclude_defaults=True),
            "client-version": self.client_version,
            "traces": self._trace_digest(trace_folder(row, self.benchmarks)),
            **({"golden-al": golden.length} if golden is not None else {}),
        }

    def _shape(self, row: Row) -> _Shape:
        fields = {name: value for name, value in vars(row).items() if name not in _NOT_HASHED}
        if self._last_shape is None or fields != self._last_shape.fields:
            recipe = self._recipe(row)
            processes = engine_for(row.framework).processes(row)
            reads = [] if isinstance(recipe.compiled, ImpureError) else recipe.compiled.reads - OF_CONCURRENCY
            read = [(process, job_variables(row, process, NOMINAL, reads)) for process in processes]
            self._last_shape = _Shape(fields, digest(self._shape_inputs(row)), self.golden(row), recipe, read)
        return self._last_shape

    def _served(self, row: Row, shape: _Shape) -> Inputs:
        """Return what stands in the hash for the row's servers: digests of their commands, or of a recipe's files."""
        servers = self._resolved(row, shape)
        if isinstance(servers, ImpureError):
            return {"max-conc": max(row.concurrencies), "files": self.closure(row).files}
        return {name: server.digest for name, server in servers.items()}

    def _resolved(self, row: Row, shape: _Shape) -> dict[str, _Server] | ImpureError:
        recipe = shape.recipe.compiled
        if isinstance(recipe, ImpureError):
            return recipe
        servers: dict[str, _Server] = {}
        for process, shared in shape.processes:
            variables = {**shared, **job_variables(row, process, NOMINAL, recipe.reads & OF_CONCURRENCY)}
            server = self._server(shape, row, variables, job_arrays(process))
            if isinstance(server, ImpureError):
                return server
            servers[process.name] = server
        check_speculation(row, shape.golden, (server.speculates for server in servers.values()))
        return servers

    def _recipe(self, row: Row) -> _Recipe:
        name = row.recipe or conventional_name(row)
        if name not in self._recipes:
            path = recipe_path(self.benchmarks, row)
            source = path.read_bytes()
            try:
                self._recipes[name] = _Recipe(path, source, compile_recipe(source))
            except ImpureError as error:
                self._recipes[name] = _Recipe(path, source, error)
        return self._recipes[name]

    def _server(
        self, shape: _Shape, row: Row, variables: dict[str, str], arrays: dict[str, list[str]]
    ) -> _Server | ImpureError:
        # No other variable changes what the recipe execs, so a shared result is found by these, and by what is forced.
        place = shape.golden and shape.golden.place
        speculation = (
            row.framework,
            row.model,
            row.spec_decoding,
            row.draft_tokens,
            row.is_agentic,
            row.eval_only,
            place,
        )
        key = shape.recipe.path, tuple(variables.values()), tuple(map(tuple, arrays.values())), speculation
        if key not in self._servers:
            recipe = shape.recipe.compiled
            assert not isinstance(recipe, ImpureError)
            try:
                command, speculates = server_command(recipe, row, shape.golden, variables, arrays)
            except ImpureError as error:
                self._servers[key] = error
                return error
            own = {name: text for name, text in command.environment.items() if variables.get(name) != text}
            command = ResolvedCommand(command.argv, own)
            self._servers[key] = _Server(command, digest(_command_inputs(command)), speculates)
        return self._servers[key]

    def _trace_digest(self, folder: Path | None) -> str | None:
        if folder is not None and folder not in self._traces:
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            contents = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
            self._traces[folder] = digest(contents)
        return self._traces[folder]


def _command_inputs(command: ResolvedCommand) -> Inputs:
    return {"argv": command.argv, "environment": command.environment}


def digest(data: Any) -> str:
    """Return the SHA-256 of canonical JSON: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()
