"""A job against a stand-in engine and client: every way it can go wrong ends in words, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import psutil
import pytest
from conftest import FakeRepository

from sweepgate.errors import InputError
from sweepgate.plan.plan import Plan
from sweepgate.results.store import PointResult
from sweepgate.run.job import run_job
from sweepgate.run.step import Step

pytestmark = [pytest.mark.usefixtures("no_leftovers"), pytest.mark.timeout(60)]


def run(repository: FakeRepository, out: Path, client: str = "ok", port: int | None = None) -> list[PointResult]:
    plan: Plan = repository.plan()
    return run_job(plan.jobs[0], repository.settings(client, port), out, lambda step: None)


def test_a_good_point(repository: FakeRepository, tmp_path: Path) -> None:
    steps: list[Step] = []
    plan = repository.plan()
    results = run_job(plan.jobs[0], repository.settings(), tmp_path / "out", steps.append)
    (result,) = results
    assert (result.status, result.reasons) == ("valid", [])
    assert result.row is not None
    assert result.row["tput_per_gpu"] == pytest.approx(10 * 120 / 2.0)
    assert result.row["median_ttft"] == pytest.approx(0.1)
    assert result.row["median_intvty"] == pytest.approx(100)
    assert result.row["server"] == {"output_tokens": 200.0}
    assert json.loads((tmp_path / "out" / "result-c1.json").read_text())["row"] == result.row
    phases = [step.phase for step in steps]
    assert phases == ["preflight", "start", "ready", "measure", "collect", "teardown"]


SERVER_FAULTS = {
    "exits at once": ("--exit-after 0", "benchmark", "ready", "server-0 exited with code 7"),
    "never ready": ("--never-ready", "benchmark", "ready", "was not ready within 5 s"),
    "serves another model": ("--wrong-model", "benchmark", "ready", "was not ready within 5 s"),
    "dies on the first request": ("--die-on-request 1", "benchmark", "ready", "server-0 exited with code 3"),
    "dies while measured": ("--die-on-request 2", "benchmark", "measure", "server-0 exited with code 3"),
    "answers without tokens": ("--no-tokens", "benchmark", "ready", "the first request was answered 200"),
    "fails the first request": ("--fail-every 1", "benchmark", "ready", "the first request was answered 500"),
}


@pytest.mark.parametrize("fault", SERVER_FAULTS)
def test_a_faulty_server(repository: FakeRepository, tmp_path: Path, fault: str) -> None:
    arguments, kind, phase, message = SERVER_FAULTS[fault]
    repository.serve(arguments)
    (result,) = run(repository, tmp_path / "out", client="slow" if fault == "dies while measured" else "ok")
    assert result.status == "failed"
    assert result.row is None
    assert result.failure is not None
    assert (result.failure.kind, result.failure.phase) == (kind, phase)
    assert message in result.failure.message
    assert "server-server-0.log" in result.failure.detail


def test_the_end_of_the_log_is_in_the_error(repository: FakeRepository, tmp_path: Path) -> None:
    repository.serve("--die-on-request 1")
    (result,) = run(repository, tmp_path / "out")
    assert result.failure is not None
    assert result.failure.detail.splitlines()[-1] == "fatal: out of memory"


def test_a_log_of_100_mb_is_bounded(repository: FakeRepository, tmp_path: Path) -> None:
    repository.serve("--chatty 100")
    (result,) = run(repository, tmp_path / "out")
    assert result.status == "valid"
    log = tmp_path / "out" / "server-server-0.log"
    assert log.stat().st_size < 11_000_000
    text = log.read_text()
    assert text.startswith("noise")
    assert text.endswith("the server is up\n")
    assert "bytes left out by SweepGate" in text


def test_a_daemon_that_left_the_process_group_is_ended(repository: FakeRepository, tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    repository.serve(f"--daemon {pidfile}")
    (result,) = run(repository, tmp_path / "out")
    assert result.status == "valid"
    assert not psutil.pid_exists(int(pidfile.read_text()))


CLIENT_FAULTS = {
    "crash": ("failed", "infrastructure", "aiperf exited with code 139"),
    "hang": ("failed", "infrastructure", "aiperf took over 4 s"),
    "no-summary": ("failed", "infrastructure", "profile_export_aiperf.json is missing"),
    "half": ("failed", "infrastructure", "profile_export.jsonl line 10 is not a request record"),
    "errors": ("invalid", None, "50.0% of requests failed, at most 0% may (5 × Internal Server Error 500)"),
    "short-output": ("invalid", None, "outputs are -20.0% off the length asked for"),
    "nan": ("invalid", None, "impossible TTFT"),
    "negative": ("invalid", None, "impossible TTFT"),
    "zero-tokens": ("invalid", None, "10 of 10 requests have no output tokens"),
    "silent": ("invalid", None, "the server counted 0 output tokens, the client 200"),
}


@pytest.mark.parametrize("fault", CLIENT_FAULTS)
def test_a_faulty_client(repository: FakeRepository, tmp_path: Path, fault: str) -> None:
    status, kind, message = CLIENT_FAULTS[fault]
    (result,) = run(repository, tmp_path / "out", client=fault)
    assert result.status == status
    assert message in "; ".join(result.reasons)
    assert (result.failure.kind if result.failure else None) == kind
    # What was measured is kept, whatever came of it.
    kept = json.loads((tmp_path / "out" / "result-c1.json").read_text())
    assert kept["status"] == status
    if status == "invalid":
        assert (tmp_path / "out" / "client-c1" / "profile_export.jsonl").is_file()


def test_a_restart_inside_the_window(repository: FakeRepository, tmp_path: Path) -> None:
    repository.serve("--reset-counters")
    (result,) = run(repository, tmp_path / "out", client="silent")
    assert result.status == "invalid"
    assert "the server restarted while it was measured" in result.reasons[0]


def test_a_missing_client(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()
    settings = repository.settings()
    settings = type(settings)(settings.repository, settings.fleets, ("/nonexistent/aiperf",), None)
    (result,) = run_job(plan.jobs[0], settings, tmp_path / "out", lambda step: None)
    assert result.failure is not None
    assert result.failure.message == "aiperf exited with code 127"
    assert "cannot start /nonexistent/aiperf: No such file or directory" in result.failure.detail


def test_a_port_already_taken(repository: FakeRepository, tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("", 0))
        holder.listen()
        port = holder.getsockname()[1]
        (result,) = run(repository, tmp_path / "out", port=port)
    assert result.failure is not None
    assert result.failure.kind == "infrastructure"
    assert result.failure.message == f"port {port} is taken by pid {os.getpid()} ({psutil.Process().name()})"


BAD_RECIPES = {
    "missing": (None, 0o755, "recipe is missing"),
    "not executable": ("#!/usr/bin/env bash\nexec true\n", 0o644, "recipe is not executable"),
}


@pytest.mark.parametrize("fault", BAD_RECIPES)
def test_a_bad_recipe_is_refused_before_anything_starts(repository: FakeRepository, tmp_path: Path, fault: str) -> None:
    text, mode, message = BAD_RECIPES[fault]
    plan = repository.plan()
    if text is None:
        (repository.path / "benchmarks" / "fake.sh").unlink()
    else:
        repository.recipe(text, mode)
    with pytest.raises(InputError, match=message):
        run_job(plan.jobs[0], repository.settings(), tmp_path / "out", lambda step: None)


IMPURE = "#!/usr/bin/env bash\nexec server $(date)\n"
UNFORCED = "#!/usr/bin/env bash\nexec server\n"
REFUSED = {
    "an impure recipe": (IMPURE, {}, "line 2: the recipe is impure"),
    "nothing committed": (UNFORCED, {"spec_decoding": "mtp", "draft_tokens": 3, "thinking": "on"}, "no golden accept"),
    "an engine that cannot be told": (
        UNFORCED,
        {"spec_decoding": "mtp", "framework": "dynamo-mocker"},
        "cannot be told",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_not_known_beforehand_never_starts(repository: FakeRepository, tmp_path: Path, fault: str) -> None:
    recipe, changes, message = REFUSED[fault]
    job = repository.plan().jobs[0]
    repository.recipe(recipe)
    agentic = {"isl": None, "osl": None, "scenario_type": "agentic-coding", "duration": 900} if changes else {}
    spoilt = job.model_copy(update={"row": job.row.model_copy(update={**agentic, **changes})})
    with pytest.raises(InputError, match=message.removeprefix("line 2: ")):
        run_job(spoilt, repository.settings(), tmp_path / "out", lambda step: None)


SPECULATING = """\
#!/usr/bin/env bash
set -euo pipefail
config="{{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":$DRAFT_TOKENS{more}}}"
exec {python} {server} "$PORT" "$MODEL" {arguments} vllm serve --speculative-config "$config"
"""
CURVE = """\
model:
  model-prefix: fake
  method: mtp
  source-run: https://x/1
  measured-with: { engine: vllm, gpu: b300, dataset: speed-bench, category: coding, output-tokens: 4096 }
  sampling: { thinking_on: { temperature: 1.0 } }
  thinking_on: { 3: 2.5 }
"""


def speculate(repository: FakeRepository, arguments: str = "", agentic: bool = True, more: str = "") -> None:
    """Make the entry a speculative one, and commit a curve for it."""
    catalogue = (repository.path / "master-config.yaml").read_text()
    space = "{ tp: 1, spec-decoding: mtp, draft-tokens: 3, thinking: 'on', conc-list: [1] }"
    if agentic:
        head = catalogue.split("    fixed-seq-len:")[0]
        catalogue = f"{head}    agentic-coding:\n    - duration: 1000\n      search-space:\n      - {space}\n"
    else:
        catalogue = catalogue.replace("{ tp: 1, conc-list: [1, 2] }", space)
    repository.catalogue(catalogue)
    folder = repository.path / "golden_al_distribution"
    folder.mkdir()
    (folder / "fake_mtp.yaml").write_text(CURVE)
    server = Path(__file__).parents[1] / "fakes" / "server.py"
    repository.recipe(SPECULATING.format(python=sys.executable, server=server, arguments=arguments, more=more))


def test_an_agentic_point_is_forced_and_proven(repository: FakeRepository, tmp_path: Path) -> None:
    """The length that the server is told is in its own counters afterwards."""
    speculate(repository)
    (result,) = run(repository, tmp_path / "out")
    assert (result.status, result.reasons) == ("valid", [])
    assert result.row is not None
    assert (result.row["golden_al"], result.row["measured_al"]) == (2.5, 2.5)
    assert result.row["acceptance"]["rates"] == [1.0, 0.5, 0.0]
    assert result.row["warnings"] == []
    assert '"synthetic_acceptance_length":2.5' in (tmp_path / "out" / "launch-server-0.sh").read_text()


def test_a_server_that_ignores_its_forcing(repository: FakeRepository, tmp_path: Path) -> None:
    speculate(repository, "--really-accept 2.6")
    (result,) = run(repository, tmp_path / "out")
    assert result.status == "invalid"
    assert "acceptance length 2.600 was measured, 2.5 is due" in result.reasons[0]
    assert result.row is not None


def test_fixed_sequences_are_not_forced(repository: FakeRepository, tmp_path: Path) -> None:
    speculate(repository, agentic=False)
    (result,) = run(repository, tmp_path / "out")
    assert (result.status, result.reasons) == ("valid", [])
    assert result.row is not None
    assert (result.row["golden_al"], result.row["measured_al"]) == (None, 1.0)
    assert "synthetic" not in (tmp_path / "out" / "launch-server-0.sh").read_text()


def test_fixed_sequences_that_were_forced_all_the_same(repository: FakeRepository, tmp_path: Path) -> None:
    speculate(repository, "--really-accept 2.5", agentic=False)
    (result,) = run(repository, tmp_path / "out")
    assert result.status == "invalid"
    assert "acceptance looks forced" in result.reasons[0]


def test_an_interrupt_leaves_nothing(repository: FakeRepository, tmp_path: Path) -> None:
    plan = repository.plan()

    def interrupt(step: Step) -> None:
        if step.phase == "collect":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_job(plan.jobs[0], repository.settings(), tmp_path / "out", interrupt)
