"""The outcome of one cell, and when its length may be committed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from sweepgate.config.model import Strict
from sweepgate.files import write_json
from sweepgate.golden.curves import Thinking
from sweepgate.measure.acceptance import Acceptance, looks_forced
from sweepgate.measure.records import Measurement
from sweepgate.results.store import Failure, Status
from sweepgate.speedbench.cells import Cell
from sweepgate.speedbench.prompts import Prompts

# Models that think do so on nearly every coding question, and a template that forbids it leaves none.
MIN_THINKING_SHARE = 0.9
MAX_NOT_THINKING_SHARE = 0.02


class Counted(Strict):
    """What a cell gave: tokens a step with its standard error, drafts verified, acceptance rates by position, and
    of its answers: how many, empty ones, those that held reasoning, those cut at the bound. `seconds` of asking.

    `block_error` says that the error is from blocks of the run; from rates alone it is too small.
    """

    length: float
    standard_error: float | None = None
    block_error: bool = False
    drafts: int
    rates: list[float] | None = None
    source: str
    answers: int
    empty: int
    reasoned: int
    truncated: int
    seconds: float
    client: str


class CellResult(Strict):
    """The outcome of one cell. `fingerprint` covers everything that decides its length, prompts included."""

    name: str
    thinking: Thinking
    draft_tokens: int
    fingerprint: str
    status: Status
    reasons: list[str] = Field(default_factory=list)
    counted: Counted | None = None
    failure: Failure | None = None

    @property
    def id(self) -> str:
        """The cell's id, such as `on-3`."""
        return f"{self.thinking}-{self.draft_tokens}"

    @property
    def length(self) -> float | None:
        """The length to commit, two decimals; None unless the cell is valid."""
        return round(self.counted.length, 2) if self.status == "valid" and self.counted is not None else None


def reasons_against(cell: Cell, seen: Acceptance | None, asked: Prompts, measured: Measurement) -> list[str]:
    """Return why a cell's length must not be committed; empty when it may be."""
    if seen is None:
        return ["the server does not count acceptance"]
    if seen.length is None:
        return ["the server verified no draft"]
    reasons = _incomplete(asked, measured)
    if not 1 <= seen.length <= cell.draft_tokens + 1:
        reasons.append(f"{seen.length:.3f} tokens a step are impossible with {cell.draft_tokens} draft tokens")
    if looks_forced(seen.rates, seen.drafts):
        shown = ", ".join(f"{rate:.3g}" for rate in seen.rates or [])
        reasons.append(f"acceptance looks forced (rates by position {shown})")
    return reasons + _wrong_thinking(cell, measured)


def _incomplete(asked: Prompts, measured: Measurement) -> list[str]:
    reasons = []
    answers = len(measured.requests)
    if measured.errors:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in measured.error_kinds.items())
        reasons.append(f"{measured.errors} of {asked.requests} requests failed ({kinds})")
    elif answers != asked.requests or not measured.complete:
        reasons.append(f"{answers} of {asked.requests} requests were answered")
    empty = sum(not request.output_tokens for request in measured.requests)
    if empty:
        reasons.append(f"{empty} of {answers} answers are empty")
    return reasons


def _wrong_thinking(cell: Cell, measured: Measurement) -> list[str]:
    answers = len(measured.requests)
    reasoned = sum(request.reasoning_tokens > 0 for request in measured.requests)
    if cell.thinking == "on" and reasoned < MIN_THINKING_SHARE * answers:
        hint = "does the recipe give the server its reasoning parser, and the collection the template's switch?"
        return [f"thinking is on, and only {reasoned} of {answers} answers hold reasoning: {hint}"]
    if cell.thinking == "off" and reasoned > MAX_NOT_THINKING_SHARE * answers:
        return [f"thinking is off, and {reasoned} of {answers} answers hold reasoning"]
    return []


def result_file(folder: Path, cell_id: str) -> Path:
    """Return where a cell's result is kept."""
    return folder / f"cell-{cell_id}.json"


def write_result(folder: Path, result: CellResult) -> None:
    """Write a result. Raises OSError."""
    write_json(result_file(folder, result.id), json.loads(result.model_dump_json(by_alias=True)))


def read_result(path: Path) -> CellResult | None:
    """Return a cell's result; None where there is none that this version wrote whole."""
    try:
        return CellResult.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def read_results(folder: Path, cells: Sequence[Cell]) -> dict[str, CellResult]:
    """Return cell id → result of those cells that have one, in `folder` or in a folder below it named like the cell."""
    found = {}
    for cell in cells:
        places = (result_file(folder, cell.id), result_file(folder / cell.id, cell.id))
        results = [result for result in map(read_result, places) if result is not None and result.id == cell.id]
        if results:
            found[cell.id] = results[0]
    return found
