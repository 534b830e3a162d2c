"""From a row to the recipe that serves it, and to the variables that carry the row into the recipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from sweepgate.config.fleets import gpu_of
from sweepgate.engines.process import ServerProcess
from sweepgate.errors import InputError, Problem
from sweepgate.matrix.row import Row


@dataclass(frozen=True)
class Place:
    """Where one process serves: addresses and folders, the parts of a job that differ between machines."""

    host: str
    port: int
    system_port: int
    scratch: str
    hf_home: str


# Stands in for a real place in a dry run, so that the resolved command is the same on every machine.
NOMINAL = Place(host="127.0.0.1", port=8000, system_port=9000, scratch="/scratch", hf_home="/models")


def recipe_path(benchmarks: Path, row: Row) -> Path:
    """Return the row's recipe: the catalogue's `recipe:`, or the path that its names spell.

    Raises InputError when the file is missing, not executable, or a link out of the benchmarks folder.
    """
    path = benchmarks / (row.recipe or conventional_name(row))
    shown = str(path.relative_to(benchmarks.parent))
    if not path.is_file():
        hint = "add the recipe, or name another with `recipe:` in master-config.yaml"
        raise InputError(Problem("recipe is missing", shown, hint=hint))
    if not path.resolve().is_relative_to(benchmarks.resolve()):
        raise InputError(Problem("recipe is a link that leaves the benchmarks folder", shown))
    if not os.access(path, os.X_OK):
        raise InputError(Problem("recipe is not executable", shown, hint=f"chmod +x {shown}"))
    return path


def conventional_name(row: Row) -> str:
    """Return the path under benchmarks/ that a row's names spell."""
    nodes = "multi_node" if row.is_multinode else "single_node"
    scenario = "agentic" if row.is_agentic else "fixed_seq_len"
    spec = "" if row.spec_decoding == "none" else f"_{row.spec_decoding}"
    return f"{nodes}/{scenario}/{row.model_prefix}_{row.precision}_{gpu_of(row.runner)}_{row.framework}{spec}.sh"


Fact = Callable[[Row, ServerProcess, Place], object]


def _parallelism(name: str) -> Fact:
    """A fact of the process's worker pool, or of the row where one process holds all GPUs."""
    read = attrgetter(name)
    return lambda row, process, place: read(process.worker or row)


FACTS: dict[str, Fact] = {
    "MODEL": lambda row, process, place: row.model,
    "MODEL_PREFIX": lambda row, process, place: row.model_prefix,
    "IMAGE": lambda row, process, place: row.image,
    "PRECISION": lambda row, process, place: row.precision,
    "FRAMEWORK": lambda row, process, place: row.framework,
    "SPEC_DECODING": lambda row, process, place: row.spec_decoding,
    "DRAFT_TOKENS": lambda row, process, place: row.draft_tokens,
    "DRAFT_SAMPLE_METHOD": lambda row, process, place: row.draft_sample_method,
    "DRAFT_MODEL": lambda row, process, place: row.draft_model,
    "THINKING": lambda row, process, place: row.thinking,
    "TP": _parallelism("tp"),
    "EP": _parallelism("ep"),
    "PP": _parallelism("pp"),
    "DCP_SIZE": _parallelism("dcp_size"),
    "PCP_SIZE": _parallelism("pcp_size"),
    "DP_ATTN": _parallelism("dp_attn"),
    "DISAGG": lambda row, process, place: row.disagg,
    "MAX_CONC": lambda row, process, place: max(row.concurrencies),
    "ISL": lambda row, process, place: row.isl,
    "OSL": lambda row, process, place: row.osl,
    "MAX_MODEL_LEN": lambda row, process, place: row.max_model_len,
    "KV_OFFLOADING": lambda row, process, place: row.kv_offloading,
    "KV_OFFLOAD_BACKEND": lambda row, process, place: row.kv_offload_backend and row.kv_offload_backend.name,
    "KV_P2P_TRANSFER": lambda row, process, place: row.kv_p2p_transfer,
    "TOTAL_CPU_DRAM_GB": lambda row, process, place: row.total_cpu_dram_gb,
    "ROUTER": lambda row, process, place: row.router and row.router.name,
    "ROLE": lambda row, process, place: process.role,
    "WORKER_INDEX": lambda row, process, place: process.index,
    "HOST": lambda row, process, place: place.host,
    "PORT": lambda row, process, place: place.port,
    "SYSTEM_PORT": lambda row, process, place: place.system_port,
    "SCRATCH": lambda row, process, place: place.scratch,
    "HF_HOME": lambda row, process, place: place.hf_home,
}

# The facts that differ between rows which differ in their concurrency alone.
OF_CONCURRENCY = frozenset({"MAX_CONC"})


def job_variables(
    row: Row, process: ServerProcess, place: Place, names: Collection[str] = FACTS.keys()
) -> dict[str, str]:
    """Return what a recipe may read, as NAME → text: all, or those of `names` that exist.

    Absent facts are empty, so that `set -u` recipes can test them.
    """
    return {name: _text(FACTS[name](row, process, place)) for name in names if name in FACTS}


def job_arrays(process: ServerProcess) -> dict[str, list[str]]:
    """Return the bash arrays that a recipe may read, as NAME → elements."""
    worker = process.worker
    return {"ADDITIONAL_SETTINGS": (worker.additional_settings or []) if worker else []}


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
