"""Where and how jobs run on this machine."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from sweepgate.config.fleets import Fleets, LocalLaunch
from sweepgate.errors import InputError, Problem
from sweepgate.plan.pins import pinned_version


@dataclass(frozen=True)
class Settings:
    """`client` is the command that stands before aiperf's arguments; `port` is fixed, or None for a free one."""

    repository: Path
    fleets: Fleets
    client: tuple[str, ...]
    port: int | None = None

    @property
    def benchmarks(self) -> Path:
        """The folder of recipes and traces."""
        return self.repository / "benchmarks"

    def launch(self, runner: str) -> LocalLaunch:
        """Return how to launch on a fleet. Raises InputError when runners.yaml does not say."""
        launch = self.fleets.launch.get(runner)
        if launch is None:
            allowed = ", ".join(sorted(self.fleets.launch)) or "none"
            hint = "run it where its runners are, or give the fleet a `launch:` block"
            raise InputError(
                Problem("this fleet cannot be reached from here", "runners.yaml", None, "launch", runner, allowed, hint)
            )
        return launch

    def hf_home(self, launch: LocalLaunch) -> Path:
        """Return the absolute hub cache folder of a fleet."""
        return (self.repository / launch.hf_home).absolute()


def installed_client(repository: Path) -> tuple[str, ...]:
    """Return the client command of this Python's environment.

    Raises InputError when aiperf is missing or is not the pinned version, since numbers of two versions differ.
    """
    pinned = pinned_version(repository, "aiperf")
    hint = "make setup"
    try:
        version = importlib.metadata.version("aiperf")
    except importlib.metadata.PackageNotFoundError as error:
        raise InputError(Problem("aiperf is not installed", allowed=f"aiperf {pinned}", hint=hint)) from error
    if version != pinned:
        raise InputError(Problem("aiperf is not the pinned version", None, None, None, version, pinned, hint))
    command = Path(sys.executable).parent / "aiperf"
    if not os.access(command, os.X_OK):
        raise InputError(Problem("aiperf's command is missing", str(command), hint=hint))
    return (str(command),)
