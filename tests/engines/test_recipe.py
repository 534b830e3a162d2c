"""From a row to its recipe, and the variables that the recipe reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import NOMINAL, OF_CONCURRENCY, job_variables, recipe_path
from sweepgate.errors import InputError
from sweepgate.matrix.row import Row

ROW: dict[str, Any] = {
    "image": "i",
    "model": "m",
    "model-prefix": "qwen3.5",
    "precision": "fp8",
    "framework": "sglang",
    "runner": "cluster:h100-dgxc",
    "exp-name": "e",
    "conc": 4,
    "tp": 8,
    "ep": 2,
    "dp-attn": True,
    "isl": 1024,
    "osl": 128,
}
AGENTIC = {name: value for name, value in ROW.items() if name not in ("isl", "osl")} | {
    "scenario-type": "agentic-coding",
    "spec-decoding": "mtp",
}
WORKER = {"num-worker": 1, "tp": 4}
POOLS = {name: value for name, value in ROW.items() if name not in ("tp", "ep", "dp-attn", "conc")} | {
    "conc": [1],
    "prefill": WORKER,
    "decode": WORKER,
}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (ROW, "single_node/fixed_seq_len/qwen3.5_fp8_h100_sglang.sh"),
        (AGENTIC, "single_node/agentic/qwen3.5_fp8_h100_sglang_mtp.sh"),
        (POOLS, "multi_node/fixed_seq_len/qwen3.5_fp8_h100_sglang.sh"),
        ({**ROW, "recipe": "local/x.sh"}, "local/x.sh"),
    ],
)
def test_recipes_are_found_by_name(tmp_path: Path, row: dict[str, Any], expected: str) -> None:
    path = tmp_path / "benchmarks" / expected
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/bash\n")
    path.chmod(0o755)
    assert recipe_path(tmp_path / "benchmarks", Row.model_validate(row)) == path


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "outside.sh").write_text("#!/bin/bash\n")
    (tmp_path / "outside.sh").chmod(0o755)
    (tmp_path / "benchmarks" / "x.sh").symlink_to(tmp_path / "outside.sh")
    with pytest.raises(InputError, match="leaves the benchmarks folder"):
        recipe_path(tmp_path / "benchmarks", Row.model_validate({**ROW, "recipe": "x.sh"}))


def test_workers_get_their_own_pool() -> None:
    row = Row.model_validate({**POOLS, "decode": {**WORKER, "tp": 2, "dp-attn": True}})
    variables = job_variables(row, ServerProcess("decode", 1, worker=row.decode), NOMINAL)
    assert (variables["TP"], variables["DP_ATTN"], variables["ROLE"], variables["WORKER_INDEX"]) == (
        "2",
        "true",
        "decode",
        "1",
    )


def test_facts_of_concurrency_are_the_only_ones_that_follow_it() -> None:
    one, other = (Row.model_validate({**ROW, "conc": conc, "exp-name": f"e{conc}"}) for conc in (1, 4))
    before, after = (job_variables(row, ServerProcess("server"), NOMINAL) for row in (one, other))
    assert {name for name in before if before[name] != after[name]} == OF_CONCURRENCY
