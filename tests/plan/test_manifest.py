"""What earlier sweeps are good for."""

from __future__ import annotations

from sweepgate.plan.manifest import Manifest, recorded_seconds, reusable


def manifest(mode: str, status: str, fingerprint: str) -> Manifest:
    point = {"job": "j", "conc": 1, "fingerprint": fingerprint, "status": status, "reasons": [], "seconds": 3.0}
    commit = f"{mode}-{status}"
    data = {"mode": mode, "commit": commit, "passed": True, "planned": 1, "valid": 1, "points": [point]}
    return Manifest.model_validate(data)


def test_only_valid_points_of_full_sweeps_are_reused() -> None:
    found = [manifest("full", "valid", "a"), manifest("trimmed", "valid", "b"), manifest("full", "failed", "c")]
    assert reusable(found) == {"a": "full-valid"}
    assert recorded_seconds(found) == {("j", 1): 3.0}


def test_the_last_of_several_sweeps_counts() -> None:
    older, newer = manifest("full", "valid", "a"), manifest("full", "valid", "a")
    newer = newer.model_copy(update={"commit": "newer"})
    assert reusable([older, newer]) == {"a": "newer"}
