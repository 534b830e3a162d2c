"""The committed acceptance-length curves of golden_al_distribution/: their schema, and reading them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sweepgate.config.catalogue import Name, Text
from sweepgate.config.model import Strict, parse
from sweepgate.config.yaml_file import YamlFile, load
from sweepgate.errors import InputError, Problem

FOLDER = "golden_al_distribution"
MAX_DRAFT_TOKENS = 16

Method = Literal["mtp", "eagle3", "dspark", "draft_model"]
Thinking = Literal["on", "off"]
DraftSampling = Literal["greedy", "probabilistic"]
RejectionSampling = Literal["standard", "block"]
DraftTokens = Annotated[str, Field(pattern=r"^([1-9]|1[0-6])$")]
# An accepted step is at least the target's own token.
Length = Annotated[float, Field(ge=1)]
Lengths = dict[DraftTokens, Length]
Errors = dict[DraftTokens, Annotated[float, Field(ge=0)]]
Url = Annotated[str, Field(pattern=r"^https://\S+$", max_length=300)]


class MeasuredWith(Strict):
    """What a curve was measured on: engine, GPU, data set with its category, and the output length in tokens."""

    engine: Name
    gpu: Name
    dataset: Name
    category: Name
    output_tokens: Annotated[int, Field(ge=1)]
    image: Text | None = None


class Sampling(Strict):
    """How the target sampled, and what its chat template was told."""

    temperature: Annotated[float, Field(ge=0)]
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=1)] | None = None
    presence_penalty: float | None = None
    chat_template_kwargs: dict[str, bool | str] = Field(default_factory=dict)


class SamplingModes(Strict):
    """Sampling of each thinking mode; the public curve files spell these keys with an underscore."""

    thinking_on: Sampling | None = Field(default=None, alias="thinking_on")
    thinking_off: Sampling | None = Field(default=None, alias="thinking_off")


class ErrorModes(Strict):
    """Standard errors of the lengths of each thinking mode."""

    thinking_on: Errors | None = Field(default=None, alias="thinking_on")
    thinking_off: Errors | None = Field(default=None, alias="thinking_off")


class Curve(Strict):
    """Acceptance lengths of one model with one draft method, by thinking mode and number of draft tokens.

    A length is the mean number of tokens of a verification step, the target's own included: 1 to draft tokens + 1.
    Everything above `thinking_on` is what the length depends on, or how it was measured. `earlier-runs` measured the
    values which `source-run` did not.
    """

    model_prefix: Name
    method: Method
    draft_sample_method: DraftSampling = "greedy"
    rejection_sample_method: RejectionSampling = "standard"
    draft_model: Text | None = None
    source_run: Url
    earlier_runs: list[Url] | None = None
    measured_with: MeasuredWith
    sampling: SamplingModes
    standard_error: ErrorModes | None = None
    thinking_on: Lengths | None = Field(default=None, alias="thinking_on")
    thinking_off: Lengths | None = Field(default=None, alias="thinking_off")

    def lengths(self, thinking: str) -> dict[int, float]:
        """Return draft tokens → acceptance length of a thinking mode; empty when it was not measured."""
        found: Lengths | None = self.thinking_on if thinking == "on" else self.thinking_off
        return {int(draft_tokens): length for draft_tokens, length in (found or {}).items()}

    @model_validator(mode="after")
    def lengths_are_possible(self) -> Self:
        """Refuse a length above draft tokens + 1, a mode without its sampling, and a curve without any length."""
        for thinking in ("on", "off"):
            for draft_tokens, length in self.lengths(thinking).items():
                if length > draft_tokens + 1:
                    raise ValueError(
                        f"thinking_{thinking}: {length:g} tokens a step are impossible with {draft_tokens} draft tokens"
                    )
            sampling = self.sampling.thinking_on if thinking == "on" else self.sampling.thinking_off
            if (sampling is None) != (not self.lengths(thinking)):
                raise ValueError(f"thinking_{thinking} needs lengths and sampling, both or neither")
        if not self.lengths("on") and not self.lengths("off"):
            raise ValueError("has neither thinking_on nor thinking_off")
        return self


@dataclass(frozen=True)
class CommittedCurve:
    """A curve with the file (relative to the repository) and the model name under which it stands."""

    file: str
    model: str
    curve: Curve


def load_curves(root: Path) -> list[CommittedCurve]:
    """Return every committed curve, by file name.

    Raises InputError with every mistake: a file that does not validate, or two curves for the same lookup.
    """
    curves: list[CommittedCurve] = []
    problems: list[Problem] = []
    seen: dict[tuple[object, ...], str] = {}
    for path in sorted((root / FOLDER).glob("*.yaml")):
        source = load(path)
        data = source.data
        if not isinstance(data, dict):
            problems.append(Problem("must be a mapping of models", str(path), found=type(data).__name__))
            continue
        for model, content in data.items():
            try:
                found = CommittedCurve(f"{FOLDER}/{path.name}", model, parse(Curve, content, source, (model,)))
                _check_unique(found, seen, source)
                curves.append(found)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(problems)
    return curves


def _check_unique(found: CommittedCurve, seen: dict[tuple[object, ...], str], source: YamlFile) -> None:
    curve = found.curve
    samplers = curve.draft_sample_method, curve.rejection_sample_method
    key = found.model, curve.model_prefix, curve.method, samplers, curve.draft_model
    if key in seen:
        message = f"the same model, method, sampling and draft model are in {seen[key]}"
        raise InputError(Problem(message, str(source.path), source.line((found.model,)), found.model))
    seen[key] = found.file
