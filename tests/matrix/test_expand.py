"""Expansion: the rules of the public format, as a table of our own cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sweepgate.config.catalogue import load_catalogue
from sweepgate.config.fleets import load_fleets
from sweepgate.errors import InputError
from sweepgate.matrix.evals import mark_evals
from sweepgate.matrix.expand import expand
from sweepgate.matrix.row import Row

FLEETS = """\
labels: { cluster:h100-x: [a] }
hardware:
  cluster:h100-x: { available-cpu-dram-mib: 2_000_000, gpus-per-node: 8 }
"""
HEAD: dict[str, Any] = {
    "image": "example/vllm:v1",
    "model": "example/model",
    "model-prefix": "ex",
    "runner": "cluster:h100-x",
    "precision": "fp8",
    "framework": "vllm",
    "multinode": False,
}


def rows(folder: Path, scenarios: dict[str, Any], **head: Any) -> list[dict[str, Any]]:
    catalogue, fleets = folder / "c.yaml", folder / "r.yaml"
    catalogue.write_text(json.dumps({"entry": {**HEAD, **head, "scenarios": scenarios}}))
    fleets.write_text(FLEETS)
    return expand(load_catalogue([catalogue]), load_fleets(fleets))


def fixed(*spaces: dict[str, Any], isl: int = 8192, osl: int = 1024) -> dict[str, Any]:
    return {"fixed-seq-len": [{"isl": isl, "osl": osl, "search-space": list(spaces)}]}


def agentic(*spaces: dict[str, Any]) -> dict[str, Any]:
    return {"agentic-coding": [{"dram-utilization": 0.5, "search-space": list(spaces)}]}


def test_a_fixed_row_field_for_field(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, fixed({"tp": 4, "conc-list": [16]}))
    assert row == {
        "image": "example/vllm:v1",
        "model": "example/model",
        "model-prefix": "ex",
        "precision": "fp8",
        "framework": "vllm",
        "spec-decoding": "none",
        "runner": "cluster:h100-x",
        "isl": 8192,
        "osl": 1024,
        "max-model-len": 8192 + 1024 + 256,
        "exp-name": "ex_8k1k",
        "disagg": False,
        "run-eval": False,
        "tp": 4,
        "pp": 1,
        "dcp-size": 1,
        "pcp-size": 1,
        "ep": 1,
        "dp-attn": False,
        "conc": 16,
    }


def test_order_is_as_written(tmp_path: Path) -> None:
    spaces = {"tp": 8, "conc-list": [8, 4]}, {"tp": 4, "conc-start": 1, "conc-end": 3}
    expanded = rows(tmp_path, {**fixed(*spaces), **agentic({"tp": 2, "conc-list": [5]})})
    assert [(row["tp"], row["conc"]) for row in expanded] == [(8, 8), (8, 4), (4, 1), (4, 2), (4, 3), (2, 5)]


def test_fixed_multi_node_rows_keep_their_list_and_agentic_ones_do_not(tmp_path: Path) -> None:
    pools = {"prefill": {"num-worker": 1, "tp": 4}, "decode": {"num-worker": 2, "tp": 8, "ep": 8, "dp-attn": True}}
    space = {"conc-list": [1, 2], **pools}
    expanded = rows(tmp_path, {**fixed(space), **agentic(space)}, multinode=True)
    assert [row["conc"] for row in expanded] == [[1, 2], [1], [2]]
    assert [row["exp-name"] for row in expanded] == ["ex_8k1k", "ex_p1x4_d2x8ep8dpa_conc1", "ex_p1x4_d2x8ep8dpa_conc2"]
    assert expanded[0]["prefill"] == {
        "num-worker": 1, "tp": 4, "ep": 1, "pp": 1, "dcp-size": 1, "pcp-size": 1, "dp-attn": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("space", "budget"),
    [
        # 2,000,000 MiB × 0.5 is 1048.576 GB; the share is tp × pp × pcp-size of 8 GPUs.
        ({"tp": 8}, 1048),
        ({"tp": 4}, 524),
        ({"tp": 1}, 131),
        ({"tp": 2, "pp": 2, "pcp-size": 2}, 1048),
    ],
)
def test_offload_budget(tmp_path: Path, space: dict[str, Any], budget: int) -> None:
    offload = {"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}, "conc-list": [1]}
    (row,) = rows(tmp_path, agentic({**space, **offload}))
    assert row["total-cpu-dram-gb"] == budget
    assert row["exp-name"] == f"ex_tp{space['tp']}_conc1_kvdram-native"


def test_offload_budget_is_capped(tmp_path: Path) -> None:
    offload = {"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}, "conc-list": [1]}
    fleets = FLEETS.replace("2_000_000", "9_000_000")
    path = tmp_path / "r2.yaml"
    path.write_text(fleets)
    catalogue = tmp_path / "c2.yaml"
    catalogue.write_text(json.dumps({"entry": {**HEAD, "scenarios": agentic({"tp": 8, **offload})}}))
    (row,) = expand(load_catalogue([catalogue]), load_fleets(path))
    assert row["total-cpu-dram-gb"] == 1499


def test_offload_without_hardware_facts_is_refused(tmp_path: Path) -> None:
    offload = {"tp": 8, "kv-offloading": "dram", "kv-offload-backend": {"name": "native"}, "conc-list": [1]}
    with pytest.raises(InputError, match="needs the fleet's DRAM"):
        rows(tmp_path, agentic(offload), runner="cluster:unknown")


@pytest.mark.parametrize(
    "space",
    [
        {"tp": 16},
        {"prefill": {"num-worker": 1, "tp": 6}, "decode": {"num-worker": 1, "tp": 8}},
        {"prefill": {"num-worker": 1, "tp": 12}, "decode": {"num-worker": 1, "tp": 8}},
    ],
)
def test_offload_that_no_node_can_hold_is_refused(tmp_path: Path, space: dict[str, Any]) -> None:
    offload = {"kv-offloading": "dram", "kv-offload-backend": {"name": "native"}, "conc-list": [1]}
    with pytest.raises(InputError, match="nodes of 8 GPUs"):
        rows(tmp_path, agentic({**space, **offload}), multinode="prefill" in space)


def test_our_additions_appear_only_when_set(tmp_path: Path) -> None:
    plain, full = rows(
        tmp_path,
        fixed(
            {"tp": 1, "conc-list": [1]},
            {"tp": 1, "conc-list": [2], "spec-decoding": "mtp", "draft-tokens": 3, "thinking": "on"},
        ),
    )
    assert not {"draft-tokens", "thinking", "recipe"} & set(plain)
    assert (full["draft-tokens"], full["thinking"]) == (3, "on")


def test_lengths_that_are_not_whole_k(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, fixed({"tp": 1, "conc-list": [1]}, isl=512, osl=64))
    assert row["exp-name"] == "ex_512_64"


def test_every_row_fits_the_row_schema(tmp_path: Path) -> None:
    space = {"conc-list": [1, 2], "prefill": {"num-worker": 1, "tp": 4}, "decode": {"num-worker": 2, "tp": 8}}
    for data in rows(tmp_path, {**fixed(space), **agentic(space)}, multinode=True):
        row = Row.model_validate(data)
        assert (row.prefill_gpus, row.decode_gpus, row.gpus) == (4, 16, 20)


EVALS = [
    # concurrencies of one group, and those that run evals: the highest, and the median (upper of two), from 16 up
    ([1, 2, 4, 8], []),
    ([16], [16]),
    ([8, 16], [16]),
    ([16, 32], [32]),
    ([4, 16, 32, 64], [32, 64]),
    ([16, 32, 64, 128], [64, 128]),
    ([1, 4, 16, 32, 64, 128, 256], [64, 256]),
]


@pytest.mark.parametrize(("concurrencies", "marked"), EVALS)
def test_single_node_evals(tmp_path: Path, concurrencies: list[int], marked: list[int]) -> None:
    expanded = rows(tmp_path, fixed({"tp": 1, "conc-list": concurrencies}))
    mark_evals(expanded)
    assert [row["conc"] for row in expanded if row["run-eval"]] == marked


def test_evals_only_at_8k1k(tmp_path: Path) -> None:
    expanded = rows(tmp_path, fixed({"tp": 1, "conc-list": [64]}, isl=1024))
    mark_evals(expanded)
    assert not expanded[0]["run-eval"]


def test_multi_node_evals_mark_the_highest_of_each_topology(tmp_path: Path) -> None:
    one = {"prefill": {"num-worker": 1, "tp": 4}, "decode": {"num-worker": 1, "tp": 4}}
    two = {"prefill": {"num-worker": 1, "tp": 4}, "decode": {"num-worker": 2, "tp": 4}}
    expanded = rows(
        tmp_path,
        fixed(
            {"conc-list": [16, 64], **one},
            {"conc-list": [128], **one},
            {"conc-list": [4, 32], **two},
            {"conc-list": [8], "prefill": {"num-worker": 3, "tp": 1}, "decode": {"num-worker": 1, "tp": 1}},
        ),
        multinode=True,
    )
    mark_evals(expanded)
    assert [row.get("eval-conc") for row in expanded] == [None, 128, 32, None]
