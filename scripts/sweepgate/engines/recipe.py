"""From a row to the recipe that serves it, and to the job file that carries the row into the recipe."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from sweepgate.config.fleets import gpu_of
from sweepgate.engines.process import ServerProcess
from sweepgate.errors import InputError, Problem
from sweepgate.matrix.row import Row

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


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
    path = benchmarks / (row.recipe or _conventional_name(row))
    shown = str(path.relative_to(benchmarks.parent))
    if not path.is_file():
        hint = "add the recipe, or name another with `recipe:` in master-config.yaml"
        raise InputError(Problem("recipe is missing", shown, key=row.exp_name, hint=hint))
    if not path.resolve().is_relative_to(benchmarks.resolve()):
        raise InputError(Problem("recipe is a link that leaves the benchmarks folder", shown, key=row.exp_name))
    if not os.access(path, os.X_OK):
        raise InputError(Problem("recipe is not executable", shown, key=row.exp_name, hint=f"chmod +x {shown}"))
    return path


def _conventional_name(row: Row) -> str:
    nodes = "multi_node" if row.is_multinode else "single_node"
    scenario = "agentic" if row.is_agentic else "fixed_seq_len"
    spec = "" if row.spec_decoding == "none" else f"_{row.spec_decoding}"
    return f"{nodes}/{scenario}/{row.model_prefix}_{row.precision}_{gpu_of(row.runner)}_{row.framework}{spec}.sh"


def job_variables(row: Row, process: ServerProcess, place: Place) -> dict[str, str]:
    """Return what a recipe may read, as NAME → text. Absent facts are empty, so that `set -u` recipes can test them."""
    worker = process.worker
    facts: dict[str, object] = {
        "MODEL": row.model,
        "MODEL_PREFIX": row.model_prefix,
        "IMAGE": row.image,
        "PRECISION": row.precision,
        "FRAMEWORK": row.framework,
        "SPEC_DECODING": row.spec_decoding,
        "DRAFT_TOKENS": row.draft_tokens,
        "DRAFT_SAMPLE_METHOD": row.draft_sample_method,
        "THINKING": row.thinking,
        "TP": worker.tp if worker else row.tp,
        "EP": worker.ep if worker else row.ep,
        "PP": worker.pp if worker else row.pp,
        "DCP_SIZE": worker.dcp_size if worker else row.dcp_size,
        "PCP_SIZE": worker.pcp_size if worker else row.pcp_size,
        "DP_ATTN": worker.dp_attn if worker else row.dp_attn,
        "DISAGG": row.disagg,
        "MAX_CONC": max(row.concurrencies),
        "ISL": row.isl,
        "OSL": row.osl,
        "MAX_MODEL_LEN": row.max_model_len,
        "KV_OFFLOADING": row.kv_offloading,
        "KV_OFFLOAD_BACKEND": row.kv_offload_backend.name if row.kv_offload_backend else None,
        "KV_P2P_TRANSFER": row.kv_p2p_transfer,
        "TOTAL_CPU_DRAM_GB": row.total_cpu_dram_gb,
        "ROUTER": row.router.name if row.router else None,
        "ROLE": process.role,
        "WORKER_INDEX": process.index,
        "HOST": place.host,
        "PORT": place.port,
        "SYSTEM_PORT": place.system_port,
        "SCRATCH": place.scratch,
        "HF_HOME": place.hf_home,
    }
    return {name: _text(value) for name, value in facts.items()}


def job_file(row: Row, process: ServerProcess, place: Place) -> str:
    """Return the bash file that a recipe's shell reads first: exported variables and arrays, all quoted."""
    worker = process.worker
    arrays = {"ADDITIONAL_SETTINGS": (worker.additional_settings or []) if worker else []}
    # No value stands in a comment: a line break in it would end the comment.
    lines = ["# Made by SweepGate; the recipe's shell reads this first."]
    lines += [
        f"export {_checked(name)}={shlex.quote(text)}" for name, text in job_variables(row, process, place).items()
    ]
    for name, values in arrays.items():
        lines.append(f"{_checked(name)}=({' '.join(shlex.quote(value) for value in values)})")
    # Bash programs that the server starts must not read this file again.
    lines.append("unset BASH_ENV")
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a variable name: {name!r}")
    return name
