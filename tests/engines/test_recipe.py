"""From a row to its recipe, and the job file that no value can break out of."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import NOMINAL, OF_CONCURRENCY, job_file, job_variables, recipe_path
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
SERVER = ServerProcess("server", takes_requests=True)


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


HOSTILE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=60, deadline=None)
@given(value=HOSTILE, setting=HOSTILE)
def test_no_value_breaks_out_of_the_job_file(
    tmp_path_factory: pytest.TempPathFactory, value: str, setting: str
) -> None:
    """Bash reads every value back as it was, and runs nothing."""
    worker = {**WORKER, "additional-settings": ["plain"]}
    row = Row.model_validate({**POOLS, "prefill": worker})
    hostile = row.model_copy(update={"model": value, "exp_name": value})
    pool = hostile.prefill
    assert pool is not None
    pool = pool.model_copy(update={"additional_settings": [setting, "plain"]})
    folder = tmp_path_factory.mktemp("job")
    (folder / "job.sh").write_text(job_file(hostile, ServerProcess("prefill", worker=pool), NOMINAL))
    script = 'source ./job.sh; printf "%s\\0" "$MODEL" "${ADDITIONAL_SETTINGS[@]}"; ls -A'
    done = subprocess.run(
        ["/bin/bash", "-uec", script], cwd=folder, capture_output=True, check=True, env={"PATH": "/bin"}
    )
    assert done.stdout == f"{value}\0{setting}\0plain\0job.sh\n".encode()
    assert done.stderr == b""


@pytest.mark.parametrize(
    "value", ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "a\ntouch pwned\n", "\\", "${IFS}", "!!"]
)
def test_known_ways_out_are_closed(tmp_path: Path, value: str) -> None:
    row = Row.model_validate({**ROW, "model": value, "exp-name": value})
    (tmp_path / "job.sh").write_text(job_file(row, SERVER, NOMINAL))
    script = 'source ./job.sh; printf "%s" "$MODEL"'
    done = subprocess.run(["/bin/bash", "-uec", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == value
    assert [path.name for path in tmp_path.iterdir()] == ["job.sh"]


def test_facts_of_concurrency_are_the_only_ones_that_follow_it() -> None:
    one, other = (Row.model_validate({**ROW, "conc": conc, "exp-name": f"e{conc}"}) for conc in (1, 4))
    before, after = (job_variables(row, ServerProcess("server"), NOMINAL) for row in (one, other))
    assert {name for name in before if before[name] != after[name]} == OF_CONCURRENCY
