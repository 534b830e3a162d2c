"""Filters and eval options: rules of the public format as a table, through the command line's own parser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT

FLEETS = "labels: { 'cluster:h100-x': [h100-x_00, h100-x_01], b200-y: [b200-y_00] }\n"
CATALOGUE = """\
one-fp8:
  {image: i/vllm:v1, model: m/one, model-prefix: one, runner: 'cluster:h100-x', precision: fp8, framework: vllm,
   multinode: false,
   scenarios: {fixed-seq-len: [{isl: 8192, osl: 1024, search-space: [{tp: 4, ep: 4, conc-start: 4, conc-end: 100}]},
                               {isl: 1024, osl: 1024, search-space: [{tp: 8, conc-list: [16, 2]}]}],
               agentic-coding: [{search-space: [{tp: 8, conc-list: [1, 20]}]}]}}
two-fp4:
  {image: i/trt:v1, model: m/two, model-prefix: two, runner: b200-y, precision: fp4, framework: dynamo-trt,
   multinode: true,
   scenarios: {fixed-seq-len: [{isl: 8192, osl: 1024, search-space: [
     {conc-start: 8, conc-end: 40, prefill: {num-worker: 1, tp: 4}, decode: {num-worker: 1, tp: 8, ep: 8}}]}]}}
"""

# options → (key's model prefix, conc) of each row, in order
FULL: dict[str, list[tuple[str, int | list[int]]]] = {
    "": [*(("one", c) for c in (4, 8, 16, 32, 64, 100, 16, 2, 1, 20)), ("two", [8, 16, 32, 40])],
    "--single-node --multi-node": [
        *(("one", c) for c in (4, 8, 16, 32, 64, 100, 16, 2, 1, 20)),
        ("two", [8, 16, 32, 40]),
    ],
    "--multi-node": [("two", [8, 16, 32, 40])],
    "--model-prefix tw": [("two", [8, 16, 32, 40])],
    "--precision fp4": [("two", [8, 16, 32, 40])],
    "--framework dynamo-trt": [("two", [8, 16, 32, 40])],
    "--runner-type b200-y": [("two", [8, 16, 32, 40])],
    "--precision fp4 --framework vllm": [],
    "--seq-lens 1k1k": [("one", 16), ("one", 2), ("one", 1), ("one", 20)],
    "--seq-lens 1024x1024 --scenario-type fixed-seq-len": [("one", 16), ("one", 2)],
    "--scenario-type agentic-coding": [("one", 1), ("one", 20)],
    "--step-size 5 --scenario-type fixed-seq-len --seq-lens 8k1k": [
        ("one", 4), ("one", 20), ("one", 100), ("two", [8, 40]),
    ],
    # A single-node range is clipped and steps from its new start; lists and pools are filtered.
    "--min-conc 10 --scenario-type fixed-seq-len": [
        *(("one", c) for c in (10, 20, 40, 80, 100, 16)), ("two", [16, 32, 40]),
    ],
    # What the limit would empty is measured once, at the limit; agentic arms are only filtered.
    "--max-conc 1": [("one", 1), ("one", 1), ("one", 1), ("two", [1])],
    "--min-conc 6 --max-conc 12": [("one", 6), ("one", 12), ("one", 12), ("two", [8])],
    "--max-tp 4": [*(("one", c) for c in (4, 8, 16, 32, 64, 100, 1, 20)), ("two", [8, 16, 32, 40])],
    "--max-ep 2 --seq-lens 8k1k --single-node --max-conc 4": [("one", 4), ("one", 1)],
}  # fmt: skip


def generate(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "c.yaml").write_text(CATALOGUE)
    (folder / "r.yaml").write_text(FLEETS)
    script = str(PROJECT / "scripts" / "generate_sweep_configs.py")
    files = ["--config-files", str(folder / "c.yaml"), "--runner-config", str(folder / "r.yaml")]
    command = [sys.executable, script, *options, *files]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def rows(folder: Path, *options: str) -> list[dict[str, Any]]:
    done = generate(folder, *options)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("options", FULL)
def test_full_sweep(tmp_path: Path, options: str) -> None:
    found = rows(tmp_path, "full-sweep", *options.split())
    assert [(row["model-prefix"], row["conc"]) for row in found] == FULL[options]


def test_max_ep_lowers_ep(tmp_path: Path) -> None:
    found = rows(tmp_path, "full-sweep", "--max-ep", "2")
    assert {row["ep"] for row in found if row.get("isl") == 8192 and "ep" in row} == {2}


def test_runner_node_filter_gives_each_runner_a_row(tmp_path: Path) -> None:
    found = rows(tmp_path, "full-sweep", "--runner-node-filter", "h100-x_0", "--scenario-type", "agentic-coding")
    assert [(row["conc"], row["runner"]) for row in found] == [
        (1, "h100-x_00"), (1, "h100-x_01"), (20, "h100-x_00"), (20, "h100-x_01"),
    ]  # fmt: skip
    # test-config also takes the label itself
    found = rows(tmp_path, "test-config", "--config-keys", "two-*", "--runner-node-filter", "b200")
    assert [row["runner"] for row in found] == ["b200-y", "b200-y_00"]


CHOSEN: dict[str, list[tuple[str, int | list[int]]]] = {
    "two-fp4": [("two", [8, 16, 32, 40])],
    "t?o-fp4 one* --conc 1 40": [("two", [40]), ("one", 1)],
    "one-fp8 --seq-lens 1k1k --scenario-type fixed-seq-len": [("one", 16), ("one", 2)],
    "*fp8 --conc 77": [],
}


@pytest.mark.parametrize("options", CHOSEN)
def test_chosen_entries(tmp_path: Path, options: str) -> None:
    found = rows(tmp_path, "test-config", "--config-keys", *options.split())
    assert [(row["model-prefix"], row["conc"]) for row in found] == CHOSEN[options]


# options → (model prefix, conc, eval-conc) of each row that runs evals
EVALS: dict[str, list[tuple[str, int | list[int], int | None]]] = {
    "full-sweep": [("one", 64, None), ("one", 100, None), ("two", [8, 16, 32, 40], 40)],
    "full-sweep --no-evals": [],
    "full-sweep --evals-only": [
        ("one", 64, None), ("one", 100, None), ("one", 20, None), ("two", [8, 16, 32, 40], 40),
    ],
    "full-sweep --all-evals": [
        *(("one", c, None) for c in (4, 8, 16, 32, 64, 100, 1, 20)), ("two", [8, 16, 32, 40], None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("options", EVALS)
def test_which_rows_run_evals(tmp_path: Path, options: str) -> None:
    found = rows(tmp_path, *options.split())
    marked = [row for row in found if row["run-eval"]]
    assert [(row["model-prefix"], row["conc"], row.get("eval-conc")) for row in marked] == EVALS[options]
    only = "--evals-only" in options or "--all-evals" in options
    assert all(row.get("eval-only", False) == only for row in found)
    assert marked == found or not only
    assert [row.get("eval-all-concs", False) for row in found if row["model-prefix"] == "two"] == ["--all" in options]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("full-sweep --runner-type h200", "no entry has this key"),
        ("full-sweep --max-conc 0", "--max-conc"),
        ("full-sweep --min-conc 9 --max-conc 8", "is above --max-conc"),
        ("full-sweep --step-size 1", "must be 2 or more"),
        ("full-sweep --seq-lens 8k", "is not a pair of lengths"),
        ("full-sweep --all-evals --no-evals", "not allowed with"),
        ("full-sweep --evals-only --no-evals", "not allowed with"),
        ("test-config --config-keys three", "no entry has this key"),
        ("test-config --config-keys one-fp8 --max-conc 8", "unrecognized arguments"),
    ],
)
def test_options_that_are_refused(tmp_path: Path, options: str, message: str) -> None:
    done = generate(tmp_path, *options.split())
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_does_not_parse_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("a:\n\tb: 1\n")
    command = [sys.executable, str(PROJECT / "scripts" / "generate_sweep_configs.py"), "full-sweep"]
    done = subprocess.run([*command, "--config-files", str(broken)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{broken}:2: is not valid YAML" in done.stderr
