"""One cell of a collection: a thinking mode and a number of draft tokens, served by a clean server."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from sweepgate.config.catalogue import Name, Positive
from sweepgate.config.model import Strict, parse
from sweepgate.errors import InputError, Problem
from sweepgate.files import read_json, write_json
from sweepgate.golden.curves import MAX_DRAFT_TOKENS, Sampling, Thinking
from sweepgate.matrix.row import Row
from sweepgate.speedbench.collections import Collection

# The categories of SPEED-Bench's qualitative split, as aiperf's loaders name them; 80 prompts each.
CATEGORIES = (
    *("coding", "humanities", "math", "multilingual", "qa", "rag", "reasoning", "roleplay", "stem"),
    *("summarization", "writing"),
)
PLAN_FILE = "acceptance-plan.json"


class Cell(Strict):
    """One length to measure."""

    thinking: Thinking
    draft_tokens: Positive

    @property
    def id(self) -> str:
        """A name for files and jobs, such as `on-3`."""
        return f"{self.thinking}-{self.draft_tokens}"


class AcceptancePlan(Strict):
    """Everything that a run collects: the collection as it will be served, its cells, and what is asked.

    `output_tokens` bounds an answer.
    """

    version: Literal[1] = 1
    name: str
    collection: Collection
    cells: list[Cell]
    category: Name = "coding"
    output_tokens: Positive = 4096

    def cell(self, cell_id: str) -> Cell:
        """Return the cell of this id. Raises InputError."""
        for cell in self.cells:
            if cell.id == cell_id:
                return cell
        allowed = ", ".join(cell.id for cell in self.cells)
        raise InputError(Problem("the plan has no such cell", key="--cell", found=cell_id, allowed=allowed))

    def sampling(self, cell: Cell) -> Sampling:
        """Return how the target samples in a cell."""
        modes = self.collection.sampling
        sampling = modes.thinking_on if cell.thinking == "on" else modes.thinking_off
        assert sampling is not None
        return sampling


def make_plan(
    name: str, collection: Collection, draft_tokens: str, thinking: str, category: str, output_tokens: int
) -> AcceptancePlan:
    """Return the plan of a collection: `draft_tokens` such as `1-8` or `1,3`, `thinking` `on`, `off` or both.

    Raises InputError for numbers, modes and categories that cannot be collected, and for answers that leave no room
    for a prompt.
    """
    modes = [mode for mode in re.split(r"[\s,]+", thinking.strip()) if mode] or collection.thinking_modes
    unknown = [mode for mode in modes if mode not in collection.thinking_modes]
    if unknown:
        allowed = ", ".join(collection.thinking_modes)
        hint = "a mode needs its recommended sampling in the collection"
        raise InputError(Problem("thinking mode has no sampling", None, None, "--thinking", unknown[0], allowed, hint))
    if category not in CATEGORIES:
        raise InputError(Problem("unknown category", key="--category", found=category, allowed=", ".join(CATEGORIES)))
    if not 0 < output_tokens < collection.max_model_len:
        allowed = f"1 to {collection.max_model_len - 1}, below the collection's max-model-len"
        raise InputError(
            Problem("leaves no room for a prompt", None, None, "--output-tokens", str(output_tokens), allowed)
        )
    cells = [
        {"thinking": mode, "draft-tokens": number}
        for mode in dict.fromkeys(modes)
        for number in draft_lengths(draft_tokens)
    ]
    data = {
        "name": name,
        "collection": collection.model_dump(by_alias=True),
        "cells": cells,
        "category": category,
        "output-tokens": output_tokens,
    }
    return parse(AcceptancePlan, data, Path("command line"))


def draft_lengths(text: str) -> list[int]:
    """Return the numbers in `1-8`, `1,2,3` or `1 2 5-7`, in order. Raises InputError for anything else."""
    numbers: set[int] = set()
    for part in re.split(r"[\s,]+", text.strip()):
        found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last <= MAX_DRAFT_TOKENS:
            allowed = f"numbers from 1 to {MAX_DRAFT_TOKENS}, such as 1-8 or 1,3,5"
            raise InputError(Problem("is no list of draft lengths", key="--draft-tokens", found=text, allowed=allowed))
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def row_of(plan: AcceptancePlan, cell: Cell) -> Row:
    """Return the row that serves a cell: never forced, with room for an answer and for the longest prompt beside it."""
    collection = plan.collection
    return Row(
        image=collection.image,
        model=collection.model,
        model_prefix=collection.model_prefix,
        precision=collection.precision,
        framework=collection.framework,
        runner=collection.runner,
        exp_name=f"{plan.name}-{cell.id}",
        conc=collection.conc,
        spec_decoding=collection.method,
        isl=collection.max_model_len - plan.output_tokens,
        osl=plan.output_tokens,
        max_model_len=collection.max_model_len,
        recipe=collection.recipe,
        draft_tokens=cell.draft_tokens,
        draft_sample_method=collection.draft_sample_method,
        draft_model=collection.draft_model,
        thinking=cell.thinking,
        tp=collection.tp,
        ep=collection.ep,
        pp=1,
        dcp_size=1,
        pcp_size=1,
        dp_attn=False,
    )


def write_plan(folder: Path, plan: AcceptancePlan) -> Path:
    """Write the plan into `folder`; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / PLAN_FILE
    write_json(path, json.loads(plan.model_dump_json(by_alias=True)))
    return path


def read_plan(path: Path) -> AcceptancePlan:
    """Return a plan. Raises InputError for a file that is not one."""
    hint = "make it with collect_acceptance.py plan"
    text = json.dumps(read_json(path, "the plan", hint))
    try:
        return AcceptancePlan.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            Problem(f"not a plan of this version: {str(error).splitlines()[0]}", str(path), hint=hint)
        ) from error


def matrix(plan: AcceptancePlan, cells: Sequence[Cell]) -> list[dict[str, str]]:
    """Return what a workflow's matrix carries: id and runner label of each cell."""
    return [{"id": cell.id, "runs-on": plan.collection.runner} for cell in cells]
