"""Which rows also run evals: enough to vouch for every server configuration, no more."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable

from sweepgate.matrix.expand import RowData

EVAL_ISL, EVAL_OSL = 8192, 1024
MIN_EVAL_CONCURRENCY = 16
_GROUP = ("model", "runner", "framework", "precision", "isl", "osl", "spec-decoding", "dp-attn")
_AGENTIC_GROUP = ("model", "runner", "framework", "precision")
# What two rows of one multi-node topology may differ in.
_NOT_TOPOLOGY = frozenset({"conc", "exp-name", "run-eval", "eval-only", "eval-conc", "eval-all-concs"})

_canonical = json.JSONEncoder(sort_keys=True).encode


def mark_evals(rows: list[RowData], include_agentic: bool = False) -> None:
    """Set `run-eval` (and `eval-conc` on multi-node rows) in place.

    Of the fixed sequences only 8k1k counts, at concurrency 16 and above: single-node rows are grouped by model, runner,
    framework, precision, lengths, spec-decoding and dp-attn, and every row at the group's highest or median (upper of
    two) concurrency is marked; of each multi-node topology, the row with the highest concurrency. `include_agentic`
    adds the agentic row with the highest concurrency of each single-node model, runner, framework and precision, and
    of each multi-node topology.
    """
    single: dict[Hashable, list[RowData]] = defaultdict(list)
    agentic: dict[Hashable, list[RowData]] = defaultdict(list)
    topologies: dict[Hashable, list[RowData]] = defaultdict(list)
    for row in rows:
        if not (_is_eval_length(row) or (include_agentic and _is_agentic(row))):
            continue
        if "prefill" in row:
            topologies[_topology(row)].append(row)
        elif _is_agentic(row):
            agentic[tuple(row[field] for field in _AGENTIC_GROUP)].append(row)
        else:
            single[tuple(row[field] for field in _GROUP)].append(row)
    for group in single.values():
        _mark_highest_and_median(group)
    for group in agentic.values():
        max(group, key=_highest)["run-eval"] = True
    for group in topologies.values():
        chosen = max(group, key=_highest)
        if _highest(chosen) >= MIN_EVAL_CONCURRENCY:
            chosen["run-eval"] = True
            chosen["eval-conc"] = _highest(chosen)


def mark_all_evals(rows: Iterable[RowData]) -> list[RowData]:
    """Return the rows with every 8k1k and every agentic one marked.

    Multi-node rows of one topology become one row: fixed sequences evaluate each of its concurrencies
    (`eval-all-concs`), agentic ones the highest (`eval-conc`).
    """
    marked: list[RowData] = []
    merged: dict[Hashable, RowData] = {}
    for row in rows:
        if "prefill" not in row or not (_is_eval_length(row) or _is_agentic(row)):
            marked.append({**row, "run-eval": _is_eval_length(row) or _is_agentic(row)})
            continue
        topology = _topology(row)
        if topology not in merged:
            merged[topology] = {**row, "conc": [], "run-eval": True}
            marked.append(merged[topology])
        _merge_concurrencies(merged[topology], row)
    return marked


def eval_rows(rows: Iterable[RowData]) -> list[RowData]:
    """Return only the marked rows, as jobs that evaluate and measure nothing."""
    return [{**row, "eval-only": True} for row in rows if row["run-eval"]]


def _merge_concurrencies(whole: RowData, row: RowData) -> None:
    whole["conc"] = sorted({*whole["conc"], *row["conc"]})
    if _is_agentic(whole):
        whole["eval-conc"] = whole["conc"][-1]
    else:
        whole["eval-all-concs"] = True
        whole.pop("eval-conc", None)


def _mark_highest_and_median(group: list[RowData]) -> None:
    concurrencies = sorted({row["conc"] for row in group if row["conc"] >= MIN_EVAL_CONCURRENCY})
    if not concurrencies:
        return
    marked = {concurrencies[-1], concurrencies[len(concurrencies) // 2]}
    for row in group:
        if row["conc"] in marked:
            row["run-eval"] = True


def _is_eval_length(row: RowData) -> bool:
    return (row.get("isl"), row.get("osl")) == (EVAL_ISL, EVAL_OSL)


def _is_agentic(row: RowData) -> bool:
    return "scenario-type" in row


def _highest(row: RowData) -> int:
    conc: int | list[int] = row["conc"]
    return max(conc) if isinstance(conc, list) else conc


def _topology(row: RowData) -> Hashable:
    return _canonical({name: value for name, value in row.items() if name not in _NOT_TOPOLOGY})
