"""Fixtures: a small repository of its own with a recipe that serves a stand-in engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from sweepgate.config.fleets import load_fleets
from sweepgate.plan.build import FLEETS_FILE, build_plan
from sweepgate.plan.plan import Plan
from sweepgate.run.settings import Settings

if TYPE_CHECKING:
    from acceptance_bench import Bench
    from histories import History

FAKES = Path(__file__).parent / "fakes"
PROJECT = Path(__file__).parents[1]

RECIPE = """\
#!/usr/bin/env bash
set -euo pipefail
exec {python} {server} "$PORT" "$MODEL" {arguments}
"""

CATALOGUE = """\
fake:
  image: example/vllm:v1
  model: example/model
  model-prefix: fake
  runner: cluster:local
  precision: fp8
  framework: vllm
  recipe: fake.sh
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 100
      osl: 20
      search-space:
      - { tp: 1, conc-list: [1, 2] }
"""

FLEETS = """\
labels:
  cluster:local: [local_00]
launch:
  cluster:local: { kind: local, ready-timeout: 5, client-timeout: 4 }
"""


@dataclass(frozen=True)
class FakeRepository:
    """A repository in a temporary folder."""

    path: Path

    def serve(self, arguments: str = "") -> None:
        """Let the recipe start the stand-in server with these arguments."""
        self.recipe(RECIPE.format(python=sys.executable, server=FAKES / "server.py", arguments=arguments))

    def recipe(self, text: str, mode: int = 0o755) -> None:
        """Write the recipe."""
        path = self.path / "benchmarks" / "fake.sh"
        path.write_text(text)
        path.chmod(mode)

    def catalogue(self, text: str) -> None:
        """Replace the catalogue."""
        (self.path / "master-config.yaml").write_text(text)

    def plan(self, *keys: str) -> Plan:
        """Plan entries of the catalogue."""
        return build_plan(self.path, keys or ["*"])

    def settings(self, client: str = "ok", port: int | None = None) -> Settings:
        """Settings whose client is the stand-in in `client` mode."""
        command = (sys.executable, str(FAKES / "client.py"), client)
        return Settings(self.path, load_fleets(self.path / FLEETS_FILE), command, port)


@pytest.fixture
def repository(tmp_path: Path) -> FakeRepository:
    """A repository with one entry of two points, served by the stand-in."""
    path = tmp_path / "repository"
    (path / "benchmarks").mkdir(parents=True)
    (path / "master-config.yaml").write_text(CATALOGUE)
    (path / "runners.yaml").write_text(FLEETS)
    (path / "requirements.txt").write_text("aiperf==0.13.0\n")
    fake = FakeRepository(path)
    fake.serve()
    return fake


@pytest.fixture
def history(repository: FakeRepository) -> History:
    """A repository with history: two entries of two points, committed."""
    from histories import TWO, History

    made = History(repository)
    repository.catalogue(TWO)
    made.commit()
    return made


@pytest.fixture
def bench(repository: FakeRepository) -> Bench:
    """A repository with one collection of acceptance lengths, served by the stand-in."""
    from acceptance_bench import make_bench

    return make_bench(repository)


@pytest.fixture
def no_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Fail the test if a process or a scratch folder that it started is left when it ends."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    before = {process.pid for process in psutil.process_iter()}

    def check() -> None:
        started = [p for p in psutil.process_iter(["cmdline", "status"]) if p.pid not in before]
        ours = [
            p
            for p in started
            if str(FAKES) in " ".join(p.info["cmdline"] or []) or "guard.py" in " ".join(p.info["cmdline"] or [])
        ]
        assert ours == []
        assert list(temporary.glob("sweepgate-*")) == []

    yield check
    check()
