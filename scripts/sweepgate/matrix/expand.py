"""Catalogue entries → matrix rows, in the public format.

A row is a plain dict with the public field names; `matrix.row.Row` is its schema. Single-node rows carry one
concurrency each; fixed-sequence multi-node rows carry the list of concurrencies that one deployment serves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sweepgate.config.catalogue import (
    Catalogue,
    FixedSeqLen,
    MultiNodeEntry,
    MultiNodeSpace,
    Router,
    SearchSpace,
    SingleNodeEntry,
    SingleNodeSpace,
    Worker,
)
from sweepgate.config.fleets import Fleets
from sweepgate.errors import InputError, Problem

RowData = dict[str, Any]

# Room above isl + osl for the chat template and rounding.
MODEL_LEN_HEADROOM_TOKENS = 256
# Host DRAM that an offload may count on is capped at 3 × 10^12 bytes = 2,861,022 MiB, so that fleets compare.
MAX_OFFLOAD_DRAM_MIB = 2_861_022
GB_PER_MIB = 1024 * 1024 / 1e9


def expand(catalogue: Catalogue, fleets: Fleets, step_size: int = 2) -> list[RowData]:
    """Return every row of the catalogue, entry by entry, scenario by scenario, in the order they are written.

    Raises InputError for an offload on a fleet without hardware facts.
    """
    rows: list[RowData] = []
    for key, entry in catalogue.items():
        rows += expand_entry(key, entry, fleets, step_size)
    return rows


def expand_entry(
    key: str, entry: SingleNodeEntry | MultiNodeEntry, fleets: Fleets, step_size: int = 2
) -> list[RowData]:
    """Return the rows of one entry: fixed sequences first, then agentic replays."""
    return [*_fixed_rows(entry, step_size), *_agentic_rows(key, entry, fleets, step_size)]


def _fixed_rows(entry: SingleNodeEntry | MultiNodeEntry, step_size: int) -> Iterator[RowData]:
    for scenario in entry.scenarios.fixed_seq_len:
        for space in scenario.search_space:
            row = _head(entry, space)
            row["isl"] = scenario.isl
            row["osl"] = scenario.osl
            row["max-model-len"] = scenario.isl + scenario.osl + MODEL_LEN_HEADROOM_TOKENS
            row["exp-name"] = f"{entry.model_prefix}_{_length_name(scenario)}"
            row["disagg"] = entry.disagg
            row["run-eval"] = False
            if isinstance(space, MultiNodeSpace):
                yield {**row, **_pools(entry, space), "conc": space.concurrencies(step_size)}
            elif isinstance(space, SingleNodeSpace):
                for conc in space.concurrencies(step_size):
                    yield {**row, **_parallelism(space), "conc": conc}


def _agentic_rows(
    key: str, entry: SingleNodeEntry | MultiNodeEntry, fleets: Fleets, step_size: int
) -> Iterator[RowData]:
    for scenario in entry.scenarios.agentic_coding:
        for space in scenario.search_space:
            row = _head(entry, space)
            row["scenario-type"] = "agentic-coding"
            row["duration"] = scenario.duration
            row["trace-set"] = scenario.trace_set
            row["kv-offloading"] = space.kv_offloading
            if space.kv_offload_backend is not None:
                row["kv-offload-backend"] = space.kv_offload_backend.model_dump(exclude_none=True)
            row["total-cpu-dram-gb"] = _offload_budget_gb(key, entry, space, scenario.dram_utilization, fleets)
            row["run-eval"] = False
            for conc in space.concurrencies(step_size):
                name = f"{entry.model_prefix}_{_agentic_name(space, conc)}"
                if isinstance(space, MultiNodeSpace):
                    pools = {**_pools(entry, space), "disagg": entry.disagg}
                    yield {**row, "exp-name": name, **pools, "conc": [conc]}
                elif isinstance(space, SingleNodeSpace):
                    yield {**row, "exp-name": name, **_parallelism(space), "conc": conc}


def _head(entry: SingleNodeEntry | MultiNodeEntry, space: SearchSpace) -> RowData:
    row: RowData = {
        "image": entry.image,
        "model": entry.model,
        "model-prefix": entry.model_prefix,
        "precision": entry.precision,
        "framework": entry.framework,
        "spec-decoding": space.spec_decoding,
        "runner": entry.runner,
    }
    router = space.router or entry.router
    if router is not None:
        row["router"] = _router(router)
    optional = {
        "recipe": entry.recipe,
        "draft-tokens": space.draft_tokens,
        "draft-sample-method": space.draft_sample_method,
        "thinking": space.thinking,
    }
    row.update({name: value for name, value in optional.items() if value is not None})
    return row


def _router(router: Router) -> RowData:
    return {"name": router.name, "version": router.version}


def _parallelism(space: SingleNodeSpace) -> RowData:
    return {
        "tp": space.tp,
        "pp": space.pp,
        "dcp-size": space.dcp_size,
        "pcp-size": space.pcp_size,
        "ep": space.ep,
        "dp-attn": space.dp_attn,
    }


def _pools(entry: SingleNodeEntry | MultiNodeEntry, space: MultiNodeSpace) -> RowData:
    pools: RowData = {"prefill": _worker(space.prefill), "decode": _worker(space.decode)}
    transfer = space.kv_p2p_transfer or entry.kv_p2p_transfer
    if transfer is not None:
        pools["kv-p2p-transfer"] = transfer
    return pools


def _worker(worker: Worker) -> RowData:
    return worker.model_dump(by_alias=True, exclude_none=True)


def _length_name(scenario: FixedSeqLen) -> str:
    """Return `8k1k` for 8192 and 1024, `512x64` for lengths that are not whole k."""
    if scenario.isl % 1024 == 0 and scenario.osl % 1024 == 0:
        return f"{scenario.isl // 1024}k{scenario.osl // 1024}k"
    return f"{scenario.isl}x{scenario.osl}"


def _agentic_name(space: SearchSpace, conc: int) -> str:
    backend = space.kv_offload_backend
    offload = space.kv_offloading + (f"-{backend.name}" if backend else "")
    if isinstance(space, MultiNodeSpace):
        kv = "" if space.kv_offloading == "none" else f"_kv{offload}"
        return f"p{_worker_name(space.prefill)}_d{_worker_name(space.decode)}_conc{conc}{kv}"
    assert isinstance(space, SingleNodeSpace)
    spec = "" if space.spec_decoding == "none" else f"_spec-{space.spec_decoding}"
    return f"tp{space.tp}_conc{conc}_kv{offload}{spec}"


def _worker_name(worker: Worker) -> str:
    ep = f"ep{worker.ep}" if worker.ep > 1 else ""
    return f"{worker.num_worker}x{worker.tp}{ep}{'dpa' if worker.dp_attn else ''}"


def _offload_budget_gb(
    key: str,
    entry: SingleNodeEntry | MultiNodeEntry,
    space: SearchSpace,
    utilization: float | None,
    fleets: Fleets,
) -> int:
    """Return the host DRAM (GB, 10^9 bytes) that one worker may offload into, rounded down; 0 without offloading.

    In a multi-node row the prefill worker's share of its node counts, since prefill fills the cache.
    """
    if space.kv_offloading == "none" or utilization is None:
        return 0
    hardware = fleets.hardware.get(entry.runner)
    if hardware is None:
        hint = f"add hardware.{entry.runner} to runners.yaml"
        raise InputError(Problem("kv-offloading needs the fleet's DRAM", None, None, key, entry.runner, None, hint))
    if isinstance(space, MultiNodeSpace):
        gpus = space.prefill.gpus
    else:
        assert isinstance(space, SingleNodeSpace)
        gpus = space.gpus
    share = min(gpus / hardware.gpus_per_node, 1.0)
    usable_mib = min(hardware.available_cpu_dram_mib, MAX_OFFLOAD_DRAM_MIB)
    return math.floor(usable_mib * GB_PER_MIB * utilization * share)
