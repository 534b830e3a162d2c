"""The committed acceptance lengths of golden_al_distribution/."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel

from sweepgate.config.model import parse
from sweepgate.config.yaml_file import load
from sweepgate.matrix.row import Row

FOLDER = "golden_al_distribution"
# An accepted step is at least the target's own token.
Length = Annotated[float, Field(ge=1)]


class Curves(RootModel[dict[str, dict[str, dict[str, Length]]]]):
    """model → thinking_on or thinking_off → draft tokens → acceptance length."""


def golden_value(root: Path, row: Row) -> float | None:
    """Return the acceptance length that is committed for a speculative row, None when there is none.

    Never a neighbour's value: model prefix, draft method, thinking and draft tokens must all be there. Raises
    InputError for a curve file that does not validate.
    """
    path = root / FOLDER / f"{row.model_prefix}_{row.spec_decoding}.yaml"
    if not path.is_file() or row.thinking is None or row.draft_tokens is None:
        return None
    source = load(path)
    curves = parse(Curves, source.data, source).root
    values = {modes.get(f"thinking_{row.thinking}", {}).get(str(row.draft_tokens)) for modes in curves.values()}
    return values.pop() if len(values) == 1 else None
