"""What went into the fingerprints of an entry, and what differs from another revision, for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sweepgate.fingerprint.point import Fingerprinter, Inputs, digest
from sweepgate.fingerprint.syntax import ImpureError
from sweepgate.plan.plan import Job


def explain_job(job: Job, fingerprinter: Fingerprinter) -> Iterator[str]:
    """Yield lines: fingerprints, whether the recipe is pure, and every input with its value."""
    yield f"{job.id}"
    for conc in job.concurrencies:
        yield f"  fingerprint at concurrency {conc}: {job.fingerprint(conc)}"
    yield from _purity(job, fingerprinter)
    for name, value in flatten(fingerprinter.point_inputs(job.row, job.concurrencies[0])).items():
        yield f"  {name}: {value}"


def _purity(job: Job, fingerprinter: Fingerprinter) -> Iterator[str]:
    servers = fingerprinter.servers(job.row)
    if not isinstance(servers, ImpureError):
        yield "  recipe: pure, so the resolved commands count and its bytes do not"
        return
    yield f"  recipe: impure ({servers}), so the bytes of every file that it reaches count"
    why = fingerprinter.closure(job.row).whole_folder
    if why is not None:
        yield f"  recipe: its whole folder counts, since {why}"


def differences(before: Inputs, after: Inputs) -> Iterator[str]:
    """Yield one line for each input that two points do not share: its name, and both values."""
    old, new = flatten(before), flatten(after)
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            yield f"{name}: {old.get(name, '(absent)')} → {new.get(name, '(absent)')}"


def flatten(inputs: Inputs) -> dict[str, str]:
    """Return dotted name → value as text; a command line is one value, and a worker's row too."""
    flat: dict[str, str] = {}

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                add(f"{name}.{key}" if name else str(key), item)
        elif isinstance(value, list):
            flat[name] = " ".join(item if isinstance(item, str) and item else json.dumps(item) for item in value)
        else:
            flat[name] = value if isinstance(value, str) else json.dumps(value)

    add("", inputs)
    return flat


def compare_jobs(before: tuple[Job, Inputs] | None, after: tuple[Job, Inputs]) -> Iterator[str]:
    """Yield how a job differs from the job of the same id at the other revision."""
    job, inputs = after
    if before is None:
        yield f"{job.id}: new, the base has no such job"
        return
    lines = list(differences(before[1], inputs))
    same = digest(before[1]) == digest(inputs)
    yield f"{job.id}: {'same fingerprint' if same else 'different fingerprint'}"
    yield from (f"  {line}" for line in lines)
