"""runners.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepgate.config.fleets import gpu_of, load_fleets
from sweepgate.errors import InputError

GOOD = """\
labels:
  h100: [a, b]
  cluster:local: [c]
hardware:
  h100: { available-cpu-dram-mib: 2_000_000, gpus-per-node: 8 }
launch:
  cluster:local: { kind: local, ready-timeout: 60 }
"""


def test_good(tmp_path: Path) -> None:
    path = tmp_path / "runners.yaml"
    path.write_text(GOOD)
    fleets = load_fleets(path)
    assert fleets.hardware["h100"].available_cpu_dram_mib == 2_000_000
    assert fleets.launch["cluster:local"].client_timeout == 1800


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("[a, b]", "[]", 2, "at least 1 item"),
        ("kind: local", "kind: lokal", 7, "is not an allowed value"),
        ("ready-timeout", "ready-timeot", 7, "unknown key"),
        ("  cluster:local: {", "  cluster:lokal: {", 1, "which labels does not have"),
        ("gpus-per-node: 8", "gpus-per-node: 0", 5, "greater than or equal to 1"),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    path = tmp_path / "runners.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_fleets(path)
    assert [problem.line for problem in caught.value.problems] == [line]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("runner", "gpu"),
    [("cluster:h100-dgxc", "h100"), ("b200-multinode", "b200"), ("h200", "h200"), ("cluster:local", "local")],
)
def test_gpu_of(runner: str, gpu: str) -> None:
    assert gpu_of(runner) == gpu
