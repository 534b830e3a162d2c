"""The fingerprint of a point: SHA-256 over everything that can change its number.

That is the row less its names and eval marks, the resolved command and environment of every server process, the
client's arguments and pinned version, and the content of a trace set that this repository carries.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from sweepgate.engines.dry_run import ResolvedCommand, resolve
from sweepgate.engines.recipe import NOMINAL, recipe_path
from sweepgate.engines.registry import engine_for
from sweepgate.matrix.row import Row
from sweepgate.measure.client import NOMINAL_CLIENT, client_arguments, trace_folder

# Names, and marks that add a job beside the point but do not change it. `conc` is added per point.
_NOT_HASHED = {"exp_name", "run_eval", "eval_conc", "conc"}


def resolved_servers(row: Row, benchmarks: Path) -> dict[str, ResolvedCommand]:
    """Return process name → resolved command of every server process. Raises InputError where a recipe is at fault."""
    recipe = recipe_path(benchmarks, row)
    return {
        process.name: resolve(recipe, row, process, NOMINAL) for process in engine_for(row.framework).processes(row)
    }


def fingerprints(row: Row, benchmarks: Path, client_version: str) -> dict[int, str]:
    """Return concurrency → fingerprint (64 hexadecimal digits) for every point of `row`."""
    servers = {name: [command.argv, command.environment] for name, command in resolved_servers(row, benchmarks).items()}
    shared = {
        "row": row.model_dump(mode="json", by_alias=True, exclude=_NOT_HASHED, exclude_none=True),
        "servers": servers,
        "client-version": client_version,
        "traces": _folder_digest(trace_folder(row, benchmarks)),
    }
    return {
        conc: _digest({**shared, "conc": conc, "client": client_arguments(row, conc, NOMINAL_CLIENT)})
        for conc in row.concurrencies
    }


def _digest(data: Any) -> str:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _folder_digest(folder: Path | None) -> str | None:
    if folder is None:
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    contents = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    return _digest(contents)
