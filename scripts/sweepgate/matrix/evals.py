"""Which rows also run evals: enough to vouch for every server configuration, no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from sweepgate.matrix.expand import RowData

EVAL_ISL, EVAL_OSL = 8192, 1024
MIN_EVAL_CONCURRENCY = 16
_GROUP = ("model", "runner", "framework", "precision", "isl", "osl", "spec-decoding", "dp-attn")


def mark_evals(rows: list[RowData]) -> None:
    """Set `run-eval` (and `eval-conc` on multi-node rows) in place, on 8k1k rows only.

    Single-node rows group by model, runner, framework, precision, lengths, spec-decoding and dp-attn; the highest and
    the median (upper of two) concurrency at or above 16 of each group are marked. Multi-node rows mark the highest
    concurrency of each topology.
    """
    groups: dict[Hashable, list[RowData]] = defaultdict(list)
    topologies: dict[Hashable, list[RowData]] = defaultdict(list)
    for row in rows:
        if (row.get("isl"), row.get("osl")) != (EVAL_ISL, EVAL_OSL):
            continue
        if "prefill" in row:
            topologies[_topology(row)].append(row)
        else:
            groups[tuple(row[field] for field in _GROUP)].append(row)
    for group in groups.values():
        _mark_single_node(group)
    for topology in topologies.values():
        _mark_multi_node(topology)


def _mark_single_node(group: list[RowData]) -> None:
    concurrencies = sorted({row["conc"] for row in group if row["conc"] >= MIN_EVAL_CONCURRENCY})
    if not concurrencies:
        return
    marked = {concurrencies[-1], concurrencies[len(concurrencies) // 2]}
    for row in group:
        if row["conc"] in marked:
            row["run-eval"] = True


def _mark_multi_node(topology: list[RowData]) -> None:
    highest = max(max(row["conc"]) for row in topology)
    if highest < MIN_EVAL_CONCURRENCY:
        return
    for row in topology:
        if highest in row["conc"]:
            row["run-eval"] = True
            row["eval-conc"] = highest


def _topology(row: RowData) -> Hashable:
    fields = ("image", *_GROUP[:-1], "prefill", "decode", "disagg", "router", "kv-p2p-transfer")
    return tuple(repr(row.get(field)) for field in fields)
