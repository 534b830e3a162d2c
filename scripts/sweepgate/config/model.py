"""The base of every schema, and the translation of pydantic's errors into ours."""

from __future__ import annotations

import difflib
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from sweepgate.config.yaml_file import KeyPath, YamlFile
from sweepgate.errors import InputError, Problem


def kebab(name: str) -> str:
    """Return the YAML spelling of a Python field name: `draft_tokens` → `draft-tokens`."""
    return name.replace("_", "-")


class Strict(BaseModel):
    """Unknown keys are refused and nothing is coerced: `"8"` is not 8 and `true` is not 1."""

    model_config = ConfigDict(
        extra="forbid",
        defer_build=True,
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        alias_generator=kebab,
        populate_by_name=True,
        protected_namespaces=(),
    )


M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], data: Any, source: YamlFile | Path, keys: KeyPath = ()) -> M:
    """Validate `data`, found at `keys` of `source`, as `model`.

    Raises InputError with one problem per mistake: file, line (for YAML sources), key, found, allowed.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError([_problem(model, item, source, keys) for item in error.errors(include_url=False)]) from error


def _problem(model: type[BaseModel], error: ErrorDetails, source: YamlFile | Path, keys: KeyPath) -> Problem:
    where = keys + tuple(error["loc"])
    file = source.path if isinstance(source, YamlFile) else source
    line = source.line(where) if isinstance(source, YamlFile) else None
    message, found, allowed, hint = _words(model, error)
    return Problem(message, str(file), line, dotted(where), found, allowed, hint)


def _words(model: type[BaseModel], error: ErrorDetails) -> tuple[str, str | None, str | None, str | None]:
    """Return (message, found, allowed, hint) for one pydantic error."""
    context = error.get("ctx", {})
    found = _short(error["input"])
    kind = error["type"]
    if kind == "extra_forbidden":
        name = str(error["loc"][-1])
        allowed = _keys_at(model, tuple(error["loc"][:-1]))
        return "unknown key", name, ", ".join(allowed), suggestion(name, allowed)
    if kind == "missing":
        return "required key is missing", None, None, f"add `{error['loc'][-1]}:`"
    if kind in ("literal_error", "enum"):
        allowed_text = str(context["expected"]).replace(" or ", ", ")
        options = [option.strip("' ") for option in allowed_text.split(",")]
        return "is not an allowed value", found, ", ".join(options), suggestion(str(error["input"]), options)
    if kind == "value_error":
        return str(context["error"]), None, None, None
    return error["msg"].removeprefix("Input "), found, None, None


def _keys_at(model: type[BaseModel], loc: KeyPath) -> list[str]:
    """Return the keys that the schema allows at `loc`."""
    current: Any = model
    for step in loc:
        if isinstance(current, type) and issubclass(current, BaseModel):
            fields = {field.alias or name: field.annotation for name, field in current.model_fields.items()}
            current = _unwrap(fields.get(str(step)))
        else:
            arguments = typing.get_args(current)
            current = _unwrap(arguments[-1] if arguments else None)
    if isinstance(current, type) and issubclass(current, BaseModel):
        return sorted(field.alias or name for name, field in current.model_fields.items())
    return []


def _unwrap(annotation: Any) -> Any:
    """Return the one interesting member of `X | None`."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [item for item in typing.get_args(annotation) if item is not type(None)]
        return members[0]
    return annotation


def suggestion(word: str, options: list[str]) -> str | None:
    """Return "did you mean `X`?" for the nearest of `options`, or None when none is near."""
    near = difflib.get_close_matches(word, options, n=1)
    return f"did you mean `{near[0]}`?" if near else None


def dotted(keys: KeyPath) -> str:
    """Return `a.b[0].c` for ("a", "b", 0, "c")."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}"
    return text.removeprefix(".")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
