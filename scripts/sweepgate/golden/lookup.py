"""The golden acceptance length that is due: one committed value, or a refusal that says what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sweepgate.errors import InputError, Problem
from sweepgate.golden.curves import FOLDER, CommittedCurve
from sweepgate.golden.families import base_name, family_of
from sweepgate.matrix.row import Row

# What vLLM does when nothing is said, and so what a curve's silence means.
DEFAULT_DRAFT_SAMPLING = "greedy"


@dataclass(frozen=True)
class Speculation:
    """Everything that a golden length depends on. `prefix` or `model` may be None, not both.

    `rejection_sample_method` and `draft_model` None: any, as long as that leaves one curve.
    """

    method: str
    thinking: str | None
    draft_tokens: int | None
    prefix: str | None = None
    model: str | None = None
    draft_sample_method: str = DEFAULT_DRAFT_SAMPLING
    rejection_sample_method: str | None = None
    draft_model: str | None = None

    def describe(self) -> str:
        """Return the lookup in one line."""
        parts = [
            self.model if self.model and not self.prefix else (self.prefix or ""),
            self.method,
            f"{self.draft_sample_method} drafts",
            self.draft_model and f"drafted by {self.draft_model}",
            self.rejection_sample_method and f"{self.rejection_sample_method} rejection",
            f"thinking {self.thinking or 'not given'}",
            f"draft tokens {self.draft_tokens if self.draft_tokens is not None else 'not given'}",
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Golden:
    """A committed acceptance length, and where it stands."""

    length: float
    draft_tokens: int
    thinking: str
    source: CommittedCurve

    @property
    def text(self) -> str:
        """The length with two decimals, as it is committed."""
        return f"{self.length:.2f}"

    @property
    def place(self) -> str:
        """Where the value is committed: file, model, mode and draft tokens."""
        return f"{self.source.file} {self.source.model} thinking_{self.thinking} {self.draft_tokens}"


def of_row(row: Row) -> Speculation:
    """Return what the golden length of a speculative row depends on."""
    return Speculation(
        method=row.spec_decoding,
        thinking=row.thinking,
        draft_tokens=row.draft_tokens,
        prefix=row.model_prefix,
        model=row.model,
        draft_sample_method=row.draft_sample_method or DEFAULT_DRAFT_SAMPLING,
        draft_model=row.draft_model,
    )


def is_forced(row: Row) -> bool:
    """Whether the harness forces the row's acceptance: agentic throughput with speculation, and nothing else.

    Evals are never forced, since forced text is wrong by construction, nor are fixed sequences: their acceptance is
    real, through the chat template.
    """
    return row.is_agentic and row.spec_decoding != "none" and not row.eval_only


def lookup(curves: Sequence[CommittedCurve], wanted: Speculation) -> Golden:
    """Return the one value that is committed for `wanted`.

    Raises InputError where none or more than one fits: never a neighbour's value, never an interpolation. The error
    says at which step the search ended, and what is committed there.
    """
    found = list(curves)
    for name, value, read in _steps(wanted):
        kept = [item for item in found if read(item) == value]
        if not kept:
            allowed = _distinct(read(item) for item in found)
            raise _refusal(f"no curve is committed for {name} {value}", wanted, f"{name}: {allowed or 'none'}")
        found = kept
    if len(found) > 1:
        raise _refusal("several curves fit", wanted, _distinguish(found), "name the draft model or the sampling")
    return _value(found[0], wanted)


_Step = tuple[str, str, Callable[[CommittedCurve], str]]


def _steps(wanted: Speculation) -> list[_Step]:
    """Return (name, wanted value, how to read it from a curve), in the order in which curves are sifted."""
    steps: list[_Step] = []
    if wanted.prefix is not None:
        steps.append(("model prefix", wanted.prefix, lambda item: item.curve.model_prefix))
    steps.append(("method", wanted.method, lambda item: item.curve.method))
    if wanted.model is not None:
        steps.append(("model", family_of(wanted.model), lambda item: family_of(item.model)))
    if wanted.draft_model is not None:
        steps.append(
            ("draft model", base_name(wanted.draft_model), lambda item: base_name(item.curve.draft_model or ""))
        )
    steps.append(("draft sampling", wanted.draft_sample_method, lambda item: item.curve.draft_sample_method))
    if wanted.rejection_sample_method is not None:
        rejection = wanted.rejection_sample_method
        steps.append(("rejection sampling", rejection, lambda item: item.curve.rejection_sample_method))
    return steps


def _value(item: CommittedCurve, wanted: Speculation) -> Golden:
    if wanted.thinking is None or wanted.draft_tokens is None:
        missing = "thinking" if wanted.thinking is None else "draft tokens"
        raise _refusal(f"{missing} must be given", wanted, f"see {item.file}")
    lengths = item.curve.lengths(wanted.thinking)
    if not lengths:
        other = "off" if wanted.thinking == "on" else "on"
        raise _refusal(f"thinking {wanted.thinking} is not measured", wanted, f"thinking {other} in {item.file}")
    if wanted.draft_tokens not in lengths:
        allowed = f"{', '.join(map(str, lengths))} in {item.file}"
        raise _refusal(f"{wanted.draft_tokens} draft tokens are not measured", wanted, allowed)
    return Golden(lengths[wanted.draft_tokens], wanted.draft_tokens, wanted.thinking, item)


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(sorted({value or "(built in)" for value in values}))


def _distinguish(found: Sequence[CommittedCurve]) -> str:
    return "; ".join(
        f"{item.file} (draft model {item.curve.draft_model or 'built in'}, {item.curve.draft_sample_method} drafts, "
        f"{item.curve.rejection_sample_method} rejection)"
        for item in found
    )


def _refusal(message: str, wanted: Speculation, allowed: str, hint: str | None = None) -> InputError:
    hint = hint or f"use what {FOLDER}/ holds, or commit the curve that is missing"
    problem = Problem(f"no golden acceptance length: {message}", None, None, None, wanted.describe(), allowed, hint)
    return InputError(problem)
