"""The fingerprint of a point: SHA-256 over everything that can change its number.

That is the row less its names and eval marks, the resolved command and environment of every server process (or, for an
impure recipe, the bytes of every file it reaches), the client's arguments and pinned version, and the content of a
trace set that this repository carries.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import NOMINAL, conventional_name, job_arrays, job_variables, recipe_path
from sweepgate.engines.registry import engine_for
from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.closure import Closure, closure_of
from sweepgate.fingerprint.state import RecipeError
from sweepgate.fingerprint.statements import PureRecipe, ResolvedCommand, compile_recipe
from sweepgate.fingerprint.syntax import ImpureError
from sweepgate.matrix.row import Row
from sweepgate.measure.client import NOMINAL_CLIENT, client_arguments, trace_folder

Inputs = dict[str, Any]

# Names, and marks that add a job beside the point but do not change it. `conc` is added per point.
_NOT_HASHED = {"exp_name", "run_eval", "eval_conc", "eval_all_concs", "conc"}
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


class Fingerprinter:
    """Fingerprints of the points of one tree; every recipe, closure and trace set is read once."""

    def __init__(self, benchmarks: Path, client_version: str) -> None:
        self.benchmarks = benchmarks
        self.client_version = client_version
        self._recipes: dict[str, tuple[Path, PureRecipe | ImpureError]] = {}
        self._commands: dict[Hashable, ResolvedCommand | ImpureError] = {}
        self._closures: dict[Path, Closure] = {}
        self._traces: dict[Path | None, str | None] = {None: None}

    def servers(self, row: Row) -> dict[str, ResolvedCommand] | ImpureError:
        """Return process name → resolved command of every server process, or why the recipe is impure.

        A command's environment is what the recipe exports itself, beside the variables of the job file.
        Raises InputError where the recipe is at fault.
        """
        path, recipe = self._recipe(row)
        if isinstance(recipe, ImpureError):
            return recipe
        commands: dict[str, ResolvedCommand] = {}
        for process in engine_for(row.framework).processes(row):
            command = self._command(path, recipe, row, process)
            if isinstance(command, ImpureError):
                return command
            commands[process.name] = command
        return commands

    def closure(self, row: Row) -> Closure:
        """Return the files that the row's recipe reaches."""
        path, _ = self._recipe(row)
        if path not in self._closures:
            self._closures[path] = closure_of(path, self.benchmarks)
        return self._closures[path]

    def inputs(self, row: Row) -> Inputs:
        """Return what all points of `row` share, as the data that is hashed."""
        servers = self.servers(row)
        shared: Inputs = {
            "row": row.model_dump(mode="json", by_alias=True, exclude=_NOT_HASHED, exclude_defaults=True),
            "client-version": self.client_version,
            "traces": self._trace_digest(trace_folder(row, self.benchmarks)),
        }
        if isinstance(servers, ImpureError):
            engine_for(row.framework).processes(row)
            return {**shared, "max-conc": max(row.concurrencies), "files": self.closure(row).files}
        commands = {name: {"argv": one.argv, "environment": one.environment} for name, one in servers.items()}
        return {**shared, "servers": commands}

    def point_inputs(self, row: Row, conc: int) -> Inputs:
        """Return everything that is hashed for one point."""
        return {**self.inputs(row), "conc": conc, "client": client_arguments(row, conc, NOMINAL_CLIENT)}

    def fingerprints(self, row: Row) -> dict[int, str]:
        """Return concurrency → fingerprint (64 hexadecimal digits) for every point of `row`."""
        shared = self.inputs(row)
        return {
            conc: digest({**shared, "conc": conc, "client": client_arguments(row, conc, NOMINAL_CLIENT)})
            for conc in row.concurrencies
        }

    def _recipe(self, row: Row) -> tuple[Path, PureRecipe | ImpureError]:
        name = row.recipe or conventional_name(row)
        if name not in self._recipes:
            path = recipe_path(self.benchmarks, row)
            try:
                self._recipes[name] = path, compile_recipe(path.read_bytes())
            except ImpureError as error:
                self._recipes[name] = path, error
        return self._recipes[name]

    def _command(
        self, path: Path, recipe: PureRecipe, row: Row, process: ServerProcess
    ) -> ResolvedCommand | ImpureError:
        arrays = job_arrays(process)
        read = job_variables(row, process, NOMINAL, recipe.reads)
        key = path, tuple(read.values()), tuple(map(tuple, arrays.values()))
        if key not in self._commands:
            variables = job_variables(row, process, NOMINAL)
            try:
                command = recipe.resolve(variables, arrays)
                own = {name: text for name, text in command.environment.items() if variables.get(name) != text}
                self._commands[key] = ResolvedCommand(command.argv, own)
            except ImpureError as error:
                self._commands[key] = error
            except RecipeError as error:
                shown = str(path.relative_to(self.benchmarks.parent))
                raise InputError(Problem(f"recipe {error}", shown, key=row.exp_name)) from error
        return self._commands[key]

    def _trace_digest(self, folder: Path | None) -> str | None:
        if folder is not None and folder not in self._traces:
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            contents = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
            self._traces[folder] = digest(contents)
        return self._traces[folder]


def digest(data: Any) -> str:
    """Return the SHA-256 of canonical JSON: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(_encode(data).encode()).hexdigest()
