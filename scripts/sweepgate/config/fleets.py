"""runners.yaml: where rows run — labels, hardware facts, and how to launch on each fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from sweepgate.config.model import Strict, parse
from sweepgate.config.yaml_file import Reader, load

Seconds = Annotated[int, Field(ge=1)]
# Labels reach `runs-on:` and comments, so nothing else may be in them.
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$", max_length=100)]


class Hardware(Strict):
    """Facts of one node: memory in MiB that a job may offload into, and its GPUs."""

    available_cpu_dram_mib: Annotated[int, Field(ge=1)]
    gpus_per_node: Annotated[int, Field(ge=1)]


class LocalLaunch(Strict):
    """Run on this very machine, without a scheduler.

    `hf-home` is relative to the repository; `ready-timeout` bounds start-up and `client-timeout` what the client may
    take beyond the load it was asked for (both seconds).
    """

    kind: Literal["local"]
    hf_home: str = ".cache/huggingface"
    ready_timeout: Seconds = 1800
    client_timeout: Seconds = 1800


class Planning(Strict):
    """What an estimate assumes of a fleet while nothing is recorded: seconds until a server is ready, seconds a point
    of fixed sequences (an agentic one takes its duration), and the price, where there is one.
    """

    startup_seconds: Seconds = 900
    point_seconds: Seconds = 300
    usd_per_gpu_hour: Annotated[float, Field(gt=0)] | None = None


class Limits(Strict):
    """What one requester may hold: sweeps at a time, and GPU-hours asked for within 24 hours."""

    concurrent_sweeps: Annotated[int, Field(ge=1)] | None = None
    gpu_hours_per_day: Annotated[float, Field(gt=0)] | None = None


class Fleets(Strict):
    """The whole of runners.yaml."""

    labels: dict[Label, Annotated[list[Label], Field(min_length=1)]]
    hardware: dict[str, Hardware] = Field(default_factory=dict)
    launch: dict[str, LocalLaunch] = Field(default_factory=dict)
    planning: dict[str, Planning] = Field(default_factory=dict)
    limits: Limits = Limits()

    @model_validator(mode="after")
    def named_labels_exist(self) -> Fleets:
        """Refuse a launch or planning block for a label that no runner has."""
        for block, names in (("launch", self.launch), ("planning", self.planning)):
            unknown = [label for label in names if label not in self.labels]
            if unknown:
                raise ValueError(f"{block} names {', '.join(unknown)}, which labels does not have")
        return self


def load_fleets(file: Path, read: Reader = load) -> Fleets:
    """Return the fleets of `file`. Raises InputError with file, line and key of every mistake."""
    source = read(file)
    return parse(Fleets, source.data, source)


def gpu_of(runner: str) -> str:
    """Return the GPU name inside a runner label: `cluster:h100-dgxc` → `h100`, `b200-multinode` → `b200`."""
    return runner.removeprefix("cluster:").split("-")[0]
