"""The command line as a user meets it: help, exit codes, and errors without a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT

SCRIPTS = sorted(path.name for path in (PROJECT / "scripts").glob("*.py"))


def call(script: str, *arguments: str, root: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts" / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository that a test may spoil."""
    for name in ("master-config.yaml", "runners.yaml", "requirements.txt"):
        shutil.copy(PROJECT / name, tmp_path / name)
    for name in ("scripts", "benchmarks", "golden_al_distribution"):
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_has_an_example(script: str) -> None:
    done = call(script, "--help")
    assert done.returncode == 0
    assert f"scripts/{script}" in done.stdout
    assert "example:" in done.stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_imports_nothing_heavy(script: str) -> None:
    """Seconds of imports before the first word are seconds that every workflow step pays."""
    code = (
        "import runpy, sys\n"
        f"sys.argv = ['{script}', '--help']\n"
        f"sys.path.insert(0, {str(PROJECT / 'scripts')!r})\n"
        "try:\n"
        f"    runpy.run_path({str(PROJECT / 'scripts' / script)!r}, run_name='__main__')\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'pydantic', 'yaml', 'numpy', 'aiperf', 'dynamo', 'httpx', 'plotly', 'rich', 'jinja2', 'psutil'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_planning_imports_nothing_that_only_a_run_needs() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(PROJECT / 'scripts')!r})\n"
        "import sweepgate.plan.build\n"
        "heavy = {'numpy', 'aiperf', 'dynamo', 'plotly', 'jinja2', 'tokenizers', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rows_on_standard_output() -> None:
    done = call("generate_sweep_configs.py", "test-config", "--config-keys", "qwen3.5-fp8-h100-sglang-agentic-mtp")
    rows = json.loads(done.stdout)
    assert [(row["kv-offloading"], row["conc"]) for row in rows] == [
        *(("none", conc) for conc in (1, 4, 8, 12, 16)),
        *(("dram", conc) for conc in (4, 8, 12, 16)),
    ]
    assert {row["total-cpu-dram-gb"] for row in rows if row["kv-offloading"] == "dram"} == {1731}
    assert done.stderr == ""


def test_every_row_of_the_catalogue_dry_runs() -> None:
    done = call("run_job.py", "--dry-run", "--keys", "*")
    assert done.returncode == 0, done.stderr
    jobs = json.loads(done.stdout)
    assert len(jobs) == 16
    for job in jobs:
        assert all(server["command"] for server in job["servers"])
        assert all(client["command"][:2] == ["aiperf", "profile"] for client in job["clients"])


def test_the_h100_recipe_serves_what_its_entry_says() -> None:
    jobs = json.loads(call("run_job.py", "--dry-run", "--keys", "qwen3.5-*").stdout)
    commands = {job["job"]: " ".join(job["servers"][0]["command"]) for job in jobs}
    resident = commands["qwen3.5-fp8-h100-sglang-agentic-mtp.agentic.tp8ep8.c16"]
    offload = commands["qwen3.5-fp8-h100-sglang-agentic-mtp.agentic.tp8ep8-kvdram.c16"]
    for flag in (
        "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1",
        "--speculative-num-draft-tokens 4",
        "--tensor-parallel-size 8 --expert-parallel-size 8",
        "--mem-fraction-static 0.75",
    ):
        assert flag in resident
        assert flag in offload
    assert "--enable-hierarchical-cache" not in resident
    # 1,731 GB over 8 ranks and 2 host pools.
    assert "--page-size 64 --enable-hierarchical-cache --hicache-size 108" in offload
    assert jobs[0]["servers"][0]["environment"]["SGLANG_ENABLE_SPEC_V2"] == "1"


def test_a_plan_is_written_and_run_from(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert call("plan_sweep.py", "tiny-*", "--conc", "1", "--out", str(plan)).returncode == 0
    job = json.loads(plan.read_text())["jobs"][0]["id"]
    described = json.loads(call("run_job.py", "--plan", str(plan), "--job", job, "--dry-run").stdout)
    assert [item["job"] for item in described] == [job]


BAD_CALLS = [
    (["generate_sweep_configs.py", "test-config", "--config-keys", "nope"], "no entry has this key"),
    (["generate_sweep_configs.py", "full-sweep", "--config-files", "/nonexistent.yaml"], "cannot be read"),
    (["generate_sweep_configs.py", "full-sweep", "--step-size", "1"], "must be 2 or more"),
    (["plan_sweep.py", "nope"], "no entry has this key"),
    (["run_job.py", "--plan", "/nonexistent.json", "--job", "x", "--out", "/tmp/x"], "plan cannot be read"),
    (["run_job.py", "--keys", "tiny-*"], "are needed to run a job"),
    (["sweep.py", "nope"], "no entry has this key"),
    (["sweep.py", "qwen3.5-*"], "this fleet cannot be reached from here"),
    (["sweep.py", "--resume", "/nonexistent"], "plan cannot be read"),
]


@pytest.mark.parametrize(
    ("arguments", "message"), BAD_CALLS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_calls_end_with_code_2_and_words(arguments: list[str], message: str) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


SPOILT = {
    "a typo in a key": ("master-config.yaml", "conc-start", "conc-strat", "did you mean `conc-start`?"),
    "a tab": ("master-config.yaml", "  image:", "\timage:", "indent with spaces, never tabs"),
    "a duplicate key": (
        "master-config.yaml",
        "  precision: fp8\n",
        "  precision: fp8\n  precision: fp4\n",
        "appears twice",
    ),
    "an anchor": (
        "runners.yaml",
        "labels:\n  cluster:local:\n",
        "labels:\n  x: &a [b]\n  y: *a\n  cluster:local:\n",
        "YAML alias",
    ),
    "an unknown framework": (
        "master-config.yaml",
        "dynamo-mocker\n",
        "dynamo-moker\n",
        "did you mean `dynamo-mocker`?",
    ),
    "a missing recipe": ("master-config.yaml", "dynamo_mocker.sh", "gone.sh", "recipe is missing"),
    "a recipe that fails": (
        "benchmarks/local/dynamo_mocker.sh",
        "set -euo pipefail",
        "set -euo pipefail\nx=$NO_SUCH",
        "reads NO_SUCH, which neither the job nor the recipe sets",
    ),
    "an unpinned client": ("requirements.txt", "aiperf==0.13.0", "aiperf", "package is not pinned"),
    "another client": ("requirements.txt", "aiperf==0.13.0", "aiperf==0.12.0", "aiperf is not the pinned version"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_repository_is_refused_before_anything_starts(checkout: Path, name: str) -> None:
    file, old, new, message = SPOILT[name]
    path = checkout / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    done = call("sweep.py", root=checkout)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout / "out").exists()


def test_a_recipe_that_may_not_run(checkout: Path) -> None:
    (checkout / "benchmarks" / "local" / "dynamo_mocker.sh").chmod(0o644)
    done = call("sweep.py", root=checkout)
    assert done.returncode == 2
    assert "chmod +x benchmarks/local/dynamo_mocker.sh" in done.stderr


def test_the_sample_traces_are_what_their_script_makes(checkout: Path) -> None:
    folder = checkout / "benchmarks" / "traces"
    before = {path.name: path.read_bytes() for path in (folder / "sample").iterdir()}
    subprocess.run([sys.executable, str(folder / "make_sample.py")], check=True)
    assert {path.name: path.read_bytes() for path in (folder / "sample").iterdir()} == before


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} {PROJECT}/scripts/run_job.py --dry-run --keys '*' | head -c 10"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
