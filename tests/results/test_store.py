"""Files are whole or absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sweepgate.errors import InputError
from sweepgate.files import write_json, write_text
from sweepgate.results.store import PointResult, read_result


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    result = PointResult(job="j", conc=4, fingerprint="f", status="invalid", reasons=["×"], row={"p99.9_ttft": 1.5})
    write_json(tmp_path / "r.json", json.loads(result.model_dump_json(by_alias=True)))
    assert read_result(tmp_path / "r.json") == result
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_refused_and_the_old_file_stays(tmp_path: Path, value: float) -> None:
    write_json(tmp_path / "r.json", {"x": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "r.json", {"x": value})
    assert json.loads((tmp_path / "r.json").read_text()) == {"x": 1}


def test_a_failing_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text(tmp_path / "r", "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(tmp_path / "r", "new")
    assert (tmp_path / "r").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


GOOD: dict[str, Any] = {"job": "j", "conc": 4, "fingerprint": "f", "status": "valid"}


@pytest.mark.parametrize(
    "text", ["", "{", "null", json.dumps({**GOOD, "extra": 1}), json.dumps({**GOOD, "status": "ok"})]
)
def test_a_file_that_is_no_result(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(InputError, match="not a result of this version"):
        read_result(tmp_path / "r.json")
