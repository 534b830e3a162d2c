"""Catalogue entries → matrix rows, in the public format.

A row is a plain dict with the public field names; `matrix.row.Row` is its schema. Single-node rows carry one
concurrency each; fixed-sequence multi-node rows carry the list of concurrencies that one deployment serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
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
from sweepgate.matrix.filters import Filters

RowData = dict[str, Any]

# Room above isl + osl for the chat template and rounding.
MODEL_LEN_HEADROOM_TOKENS = 256
# Host DRAM that an offload may count on is capped at 3 × 10^12 bytes = 2,861,022 MiB, so that fleets compare.
MAX_OFFLOAD_DRAM_MIB = 2_861_022
BYTES_PER_MIB = 1024 * 1024
EVERYTHING = Filters()


def expand(catalogue: Catalogue, fleets: Fleets, filters: Filters = EVERYTHING) -> list[RowData]:
    """Return the rows that `filters` keep, entry by entry, scenario by scenario, in the order they are written.

    Raises InputError for an offload on a fleet without hardware facts, or that its nodes cannot hold.
    """
    rows: list[RowData] = []
    for key, entry in catalogue.items():
        rows += expand_entry(key, entry, fleets, filters)
    return rows


def expand_entry(
    key: str, entry: SingleNodeEntry | MultiNodeEntry, fleets: Fleets, filters: Filters = EVERYTHING
) -> list[RowData]:
    """Return the rows of one entry: fixed sequences first, then agentic replays."""
    if not filters.keeps_entry(key, entry, entry.multinode):
        return []
    runners = filters.runners(entry.runner, fleets)
    return [*_fixed_rows(entry, runners, filters), *_agentic_rows(key, entry, runners, fleets, filters)]


def _fixed_rows(entry: SingleNodeEntry | MultiNodeEntry, runners: list[str], filters: Filters) -> Iterator[RowData]:
    for scenario in entry.scenarios.fixed_seq_len:
        if not filters.keeps_scenario(scenario):
            continue
        for space in scenario.search_space:
            concurrencies = filters.fixed_concurrencies(space)
            row = _head(entry, space)
            row["isl"] = scenario.isl
            row["osl"] = scenario.osl
            row["max-model-len"] = scenario.isl + scenario.osl + MODEL_LEN_HEADROOM_TOKENS
            row["exp-name"] = f"{entry.model_prefix}_{_length_name(scenario)}"
            row["disagg"] = entry.disagg
            row["run-eval"] = False
            if isinstance(space, MultiNodeSpace):
                if concurrencies:
                    pools = _pools(entry, space)
                    yield from ({**row, "runner": runner, **pools, "conc": concurrencies} for runner in runners)
            elif isinstance(space, SingleNodeSpace):
                shape = {**_parallelism(space), "ep": filters.expert_parallel(space)}
                for conc in concurrencies:
                    yield from ({**row, "runner": runner, **shape, "conc": conc} for runner in runners)


def _agentic_rows(
    key: str, entry: SingleNodeEntry | MultiNodeEntry, runners: list[str], fleets: Fleets, filters: Filters
) -> Iterator[RowData]:
    for scenario in entry.scenarios.agentic_coding:
        if not filters.keeps_scenario(scenario):
            continue
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
            names = {
                conc: f"{entry.model_prefix}_{_agentic_name(space, conc)}"
                for conc in filters.agentic_concurrencies(space)
            }
            if isinstance(space, MultiNodeSpace):
                pools = {**_pools(entry, space), "disagg": entry.disagg}
                for runner in runners:
                    for conc, name in names.items():
                        yield {**row, "runner": runner, "exp-name": name, **pools, "conc": [conc]}
            elif isinstance(space, SingleNodeSpace):
                shape = _parallelism(space)
                for conc, name in names.items():
                    for runner in runners:
                        yield {**row, "runner": runner, "exp-name": name, **shape, "conc": conc}


def _head(entry: SingleNodeEntry | MultiNodeEntry, space: SearchSpace) -> RowData:
    row: RowData = {
        "image": entry.image,
        "model": entry.model,
        "model-prefix": entry.model_prefix,
        "precision": entry.precision,
        "framework": entry.framework,
        "spec-decoding": space.spec_decoding,
    }
    router = space.router or entry.router
    if router is not None:
        row["router"] = _router(router)
    optional = {
        "recipe": entry.recipe,
        "draft-tokens": space.draft_tokens,
        "draft-sample-method": space.draft_sample_method,
        "draft-model": space.draft_model,
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
    """Return `8k1k` for 8192 and 1024, `512_64` for lengths that are not whole k."""
    if scenario.isl % 1024 == 0 and scenario.osl % 1024 == 0:
        return f"{scenario.isl // 1024}k{scenario.osl // 1024}k"
    return f"{scenario.isl}_{scenario.osl}"


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
    gpus = _gpus_on_a_node(key, space, hardware.gpus_per_node)
    usable_bytes = min(hardware.available_cpu_dram_mib, MAX_OFFLOAD_DRAM_MIB) * BYTES_PER_MIB
    # Decimal: 0.8 means 8/10, so that a budget that is a whole number of GB is not rounded below it.
    return int(usable_bytes * Decimal(str(utilization)) * gpus / hardware.gpus_per_node / 10**9)


def _gpus_on_a_node(key: str, space: SearchSpace, gpus_per_node: int) -> int:
    """Return how many GPUs of one node a server process (the prefill worker, with several nodes) holds."""
    if isinstance(space, MultiNodeSpace):
        gpus = space.prefill.gpus
        if gpus % gpus_per_node and gpus_per_node % gpus:
            raise _misfit(key, "a prefill worker does not tile the fleet's nodes", gpus, gpus_per_node)
        return min(gpus, gpus_per_node)
    assert isinstance(space, SingleNodeSpace)
    if space.gpus > gpus_per_node:
        raise _misfit(key, "the row does not fit the fleet's nodes", space.gpus, gpus_per_node)
    return space.gpus


def _misfit(key: str, message: str, gpus: int, gpus_per_node: int) -> InputError:
    return InputError(Problem(message, None, None, key, f"{gpus} GPUs", f"nodes of {gpus_per_node} GPUs"))
