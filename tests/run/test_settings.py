"""The client that runs is the client that is pinned."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, FakeRepository

from sweepgate.errors import InputError
from sweepgate.run.settings import installed_client


def test_the_installed_client_is_the_pinned_one() -> None:
    assert installed_client(PROJECT) == (str(Path(sys.executable).parent / "aiperf"),)


def test_a_missing_client_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    with pytest.raises(InputError, match="aiperf is not installed") as caught:
        installed_client(PROJECT)
    assert "make setup" in str(caught.value)


def test_a_client_without_its_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python3"))
    with pytest.raises(InputError, match="aiperf's command is missing"):
        installed_client(PROJECT)


def test_a_fleet_without_launch_settings(repository: FakeRepository) -> None:
    with pytest.raises(InputError, match="cannot be reached from here"):
        repository.settings().launch("cluster:h100-dgxc")
