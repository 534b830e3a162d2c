"""Measured cells into a curve file: the collected model's key is made anew, every other model is left as it stands."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from sweepgate.config.fleets import gpu_of
from sweepgate.config.model import parse
from sweepgate.config.yaml_file import load
from sweepgate.errors import InputError, Problem
from sweepgate.golden.curves import CommittedCurve, Curve, Sampling, load_curves
from sweepgate.golden.families import base_name, family_of
from sweepgate.speedbench.cells import AcceptancePlan
from sweepgate.speedbench.collections import curve_file
from sweepgate.speedbench.result import CellResult

_SOURCE = re.compile(r"\A# Source run: .*\n")
_MODES = ("thinking_on", "thinking_off")
_IDENTITY = ("model_prefix", "method", "draft_sample_method", "rejection_sample_method", "draft_model")


_Results = dict[tuple[str, int], CellResult]


@dataclass(frozen=True)
class Merged:
    """A curve before and after: `old` None where the model was not committed; `kept` cells are from earlier runs."""

    file: str
    model: str
    old: Curve | None
    new: Curve
    kept: list[str]


def merge(root: Path, plan: AcceptancePlan, results: Sequence[CellResult], source_run: str) -> Merged | None:
    """Return the curve of the plan's model with the valid results in it; None when no cell is valid.

    Raises InputError when the committed curve is another one: other samplers, another draft model, another checkpoint
    of the family; and when values that would be kept were sampled differently from those that are new.
    """
    lengths: _Results = {
        (result.thinking, result.draft_tokens): result for result in results if result.length is not None
    }
    if not lengths:
        return None
    file, model = curve_file(plan.name), base_name(plan.collection.model)
    committed = next((item for item in _committed(root, file) if item.model == model), None)
    old = committed.curve if committed is not None else None
    data = _head(plan, source_run)
    if old is not None:
        _check_identity(file, model, old, data)
    kept = _kept(old, lengths)
    _check_sampling(file, model, plan, old, {cell.split("-")[0] for cell in kept}, {mode for mode, _ in lengths})
    if kept and old is not None:
        runs = [run for run in dict.fromkeys([*(old.earlier_runs or []), old.source_run]) if run != source_run]
        data |= {"earlier-runs": runs} if runs else {}
    data |= _values(plan, old, lengths)
    return Merged(file, model, old, parse(Curve, data, Path(file), (model,)), kept)


def _committed(root: Path, file: str) -> list[CommittedCurve]:
    return [item for item in load_curves(root) if item.file == file]


def _head(plan: AcceptancePlan, source_run: str) -> dict[str, Any]:
    collection = plan.collection
    drafted = {"draft-model": collection.draft_model} if collection.draft_model else {}
    return {
        "model-prefix": collection.model_prefix,
        "method": collection.method,
        "draft-sample-method": collection.draft_sample_method,
        "rejection-sample-method": collection.rejection_sample_method,
        **drafted,
        "source-run": source_run,
        "measured-with": {
            "engine": collection.framework,
            "gpu": gpu_of(collection.runner),
            "dataset": "speed-bench",
            "category": plan.category,
            "output-tokens": plan.output_tokens,
            "image": collection.image,
        },
    }


def _check_identity(file: str, model: str, old: Curve, data: Mapping[str, Any]) -> None:
    for name in _IDENTITY:
        key = name.replace("_", "-")
        if getattr(old, name) != data.get(key):
            message = "the committed curve is another one, and would be overwritten"
            hint = "give the collection a name of its own"
            raise InputError(Problem(message, file, None, f"{model}.{key}", data.get(key), getattr(old, name), hint))


def _kept(old: Curve | None, lengths: _Results) -> list[str]:
    """Return the committed cells that this run has not measured."""
    if old is None:
        return []
    cells = [(mode, number) for mode in ("on", "off") for number in old.lengths(mode)]
    return [f"{mode}-{number}" for mode, number in cells if (mode, number) not in lengths]


def _check_sampling(
    file: str, model: str, plan: AcceptancePlan, old: Curve | None, kept: set[str], measured: set[str]
) -> None:
    for mode in sorted(kept & measured):
        name = f"thinking_{mode}"
        before, now = getattr(old and old.sampling, name, None), getattr(plan.collection.sampling, name)
        if before != now:
            hint = f"collect every committed number of draft tokens of {name} again"
            message = "values that are kept were sampled differently"
            raise InputError(
                Problem(message, file, None, f"{model}.sampling.{name}", str(_plain(now)), str(_plain(before)), hint)
            )


def _values(plan: AcceptancePlan, old: Curve | None, lengths: _Results) -> dict[str, Any]:
    """Return sampling, standard errors and lengths, new before old."""
    sampling: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for mode in ("on", "off"):
        name = f"thinking_{mode}"
        measured = {number: result for (found, number), result in lengths.items() if found == mode}
        numbers = sorted({*measured, *(old.lengths(mode) if old is not None else ())})
        if not numbers:
            continue
        given = plan.collection.sampling if measured or old is None else old.sampling
        sampling[name] = _plain(getattr(given, name))
        known = _errors(old, mode)
        known |= {number: _error(result) for number, result in measured.items()}
        errors[name] = {str(number): known[number] for number in numbers if known.get(number) is not None}
        values[name] = {
            str(number): measured[number].length if number in measured else (old and old.lengths(mode)[number])
            for number in numbers
        }
    shown = {name: found for name, found in errors.items() if found}
    return {"sampling": sampling, **({"standard-error": shown} if shown else {}), **values}


def _errors(old: Curve | None, mode: str) -> dict[int, float | None]:
    modes = old.standard_error if old is not None else None
    found = None if modes is None else modes.thinking_on if mode == "on" else modes.thinking_off
    return {int(number): error for number, error in (found or {}).items()}


def _error(result: CellResult) -> float | None:
    error = result.counted.standard_error if result.counted is not None else None
    return None if error is None else round(error, 3)


def _plain(sampling: Sampling | None) -> dict[str, Any]:
    found = {} if sampling is None else sampling.model_dump(by_alias=True, exclude_none=True)
    return {name: value for name, value in found.items() if value != {}}


# ---- the file ----


def merged_text(root: Path, merged: Merged) -> str:
    """Return the curve file with the merged model in it; every line of other models stays as it is."""
    path = root / merged.file
    block = _block(merged)
    head = f"# Source run: {merged.new.source_run}\n"
    if not path.is_file():
        return f"{head}# {merged.model}: mean tokens accepted in a step, the target's own token included.\n{block}"
    source = load(path)
    _check_family(merged, source.data)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    start = (source.line((merged.model,)) or 0) - 1 if merged.model in source.data else len(lines)
    # A model's lines are indented: the next line that is not ends them.
    end = next((index for index in range(start + 1, len(lines)) if lines[index][:1].strip()), len(lines))
    return head + _SOURCE.sub("", "".join([*lines[:start], block, *lines[end:]]), count=1)


def _block(merged: Merged) -> str:
    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(
        _TwoDecimals, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:float", f"{value:.2f}")
    )
    text = io.StringIO()
    yaml.dump({merged.model: _node(merged.new.model_dump(by_alias=True, exclude_none=True))}, text)
    return text.getvalue()


def _check_family(merged: Merged, data: Mapping[str, Any]) -> None:
    same = [name for name in data if name != merged.model and family_of(name) == family_of(merged.model)]
    if same:
        message = "another checkpoint of this family is committed, and both would fit one lookup"
        hint = "collect with that checkpoint, or rename its key in the file first"
        raise InputError(Problem(message, merged.file, None, merged.model, merged.model, ", ".join(same), hint))


class _TwoDecimals(float):
    """A length as it is committed: 3.00, not 3.0."""


def _node(content: Mapping[str, Any]) -> CommentedMap:
    """Return a model's mapping: one line a key, everything below it in one line."""
    node = CommentedMap()
    for key, value in content.items():
        if value in ({}, []):
            continue
        node[key] = _flow(_lengths(value) if key in _MODES else value, block=key in ("sampling", "standard-error"))
    return node


def _lengths(values: Mapping[str, float]) -> dict[int, float]:
    return {int(number): _TwoDecimals(value) for number, value in values.items()}


def _flow(value: Any, block: bool = False) -> Any:
    if not isinstance(value, Mapping):
        return value
    node = CommentedMap((_key(key), _flow(item)) for key, item in value.items() if item != {})
    if not block:
        node.fa.set_flow_style()
    return node


def _key(key: Any) -> Any:
    return int(key) if isinstance(key, str) and key.isdecimal() else key


def new_cells(merged: Merged) -> Iterator[tuple[str, int, float | None, float]]:
    """Yield (thinking, draft tokens, committed before, now) for every cell of the merged curve."""
    for mode in ("on", "off"):
        before = merged.old.lengths(mode) if merged.old is not None else {}
        for number, length in merged.new.lengths(mode).items():
            yield mode, number, before.get(number), length
