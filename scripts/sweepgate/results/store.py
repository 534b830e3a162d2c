"""Results on disk: written whole or not at all, and read back through a schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from sweepgate.config.model import Strict
from sweepgate.errors import InputError, Problem

Status = Literal["valid", "invalid", "failed"]


class Failure(Strict):
    """Why a job ended early. An infrastructure failure never counts against the change."""

    kind: Literal["benchmark", "infrastructure"]
    phase: str
    message: str
    detail: str = ""

    @property
    def signature(self) -> str:
        """What failures of the same kind share: kind, phase and message."""
        return f"{self.kind}/{self.phase}: {self.message}"


class PointResult(Strict):
    """The outcome of one point: a row when it was measured, reasons when it is not valid."""

    job: str
    conc: int
    fingerprint: str
    status: Status
    reasons: list[str] = Field(default_factory=list)
    row: dict[str, Any] | None = None
    failure: Failure | None = None
    seconds: float = 0.0


def result_file(folder: Path, conc: int) -> Path:
    """Return where a job's folder keeps the result of one concurrency."""
    return folder / f"result-c{conc}.json"


def read_result(path: Path) -> PointResult:
    """Return a point's result. Raises InputError for a file that is not one (cut short, edited, another version)."""
    try:
        return PointResult.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError) as error:
        hint = "delete the file; the point runs again"
        raise InputError(
            Problem(f"not a result of this version: {str(error).splitlines()[0]}", str(path), hint=hint)
        ) from error
