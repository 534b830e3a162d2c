"""sweep-manifest.json: what a sweep planned and which of it is valid. Later sweeps read it to reuse and to estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from sweepgate.config.model import Strict, parse
from sweepgate.files import read_json
from sweepgate.plan.plan import Mode


class ManifestPoint(Strict):
    """One planned point and its outcome; `seconds` is how long it held its GPUs."""

    job: str
    conc: int
    fingerprint: str
    status: Literal["valid", "invalid", "failed", "missing"]
    reasons: list[str]
    seconds: float


class Manifest(Strict):
    """One sweep."""

    version: Literal[1] = 1
    mode: Mode
    commit: str
    passed: bool
    planned: int
    valid: int
    points: list[ManifestPoint]


def read_manifests(paths: Sequence[Path]) -> list[Manifest]:
    """Return the manifests in the order given. Raises InputError for a file that is missing or none."""
    return [parse(Manifest, read_json(path, "manifest"), path) for path in paths]


def reusable(manifests: Iterable[Manifest]) -> dict[str, str]:
    """Return fingerprint → commit of the newest full sweep that has a valid result for it, last manifest first."""
    sources: dict[str, str] = {}
    for manifest in manifests:
        if manifest.mode == "full":
            sources.update({point.fingerprint: manifest.commit for point in manifest.points if point.status == "valid"})
    return sources


def recorded_seconds(manifests: Iterable[Manifest]) -> dict[tuple[str, int], float]:
    """Return (job id, concurrency) → how long the point last took, from valid points only."""
    return {
        (point.job, point.conc): point.seconds
        for manifest in manifests
        for point in manifest.points
        if point.status == "valid" and point.seconds > 0
    }
