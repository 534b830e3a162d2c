"""Recipes of this project and of others against the committed lengths, without running anything.

Agentic throughput runs at the golden length; evals, fixed sequences and acceptance collection at the real one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sweepgate.errors import InputError, Problem
from sweepgate.golden.command import ATOM_RATE, CommandSpeculation
from sweepgate.golden.curves import CommittedCurve
from sweepgate.golden.families import base_name, family_of
from sweepgate.golden.lookup import DEFAULT_DRAFT_SAMPLING, Golden, Speculation, lookup
from sweepgate.golden.render import render
from sweepgate.golden.static.recipe_yaml import sites_of_yaml
from sweepgate.golden.static.script import sites_of_script
from sweepgate.golden.static.site import Site, UnreadableError

Scenario = Literal["agentic", "fixed-seq-len", "speedbench"]
Severity = Literal["ok", "warning", "error"]

MAX_BYTES = 4_000_000
# The most telling folder of a path is its last; what a file does counts where its path says nothing.
_FOLDERS: tuple[tuple[Scenario, str], ...] = (
    ("agentic", r"agent(?:ic|x)(?:[-_].*)?"),
    ("fixed-seq-len", r"fixed[-_]seq(?:[-_]len)?|\d+k\d+k|isl\w+"),
    ("speedbench", r"speed[-_]?bench"),
)
_CONTENT: tuple[tuple[Scenario, str], ...] = (
    ("agentic", r"agentic|agentx|weka_trace|trace[-_ ]replay"),
    ("speedbench", r"speed[-_]bench"),
    ("fixed-seq-len", r"run_benchmark_serving|sa-bench|random-input-len|(?m:^\s*isl:)"),
)
_DROP = "drop it: the harness renders the golden length"
_OWN = re.compile(r"\$\{?DRAFT_TOKENS\b")
_SETS_OWN = re.compile(r"(?m)^\s*(?:export\s+)?DRAFT_TOKENS=")


@dataclass(frozen=True)
class Checked:
    """What was found at one server of a file; `problem.allowed` is the value that is due."""

    severity: Severity
    problem: Problem

    @property
    def ok(self) -> bool:
        """Whether the server may run as it stands."""
        return self.severity != "error"


@dataclass(frozen=True)
class _File:
    """What a file is checked as."""

    name: str
    scenario: Scenario
    thinking: str
    model: str | None
    takes_draft_tokens: bool
    harness_forces: bool


def check_file(
    path: Path,
    curves: Sequence[CommittedCurve],
    scenario: Scenario | None = None,
    thinking: str = "on",
    model: str | None = None,
    name: str | None = None,
    harness_forces: bool = False,
    known: Mapping[str, str] | None = None,
) -> list[Checked]:
    """Return one finding for each way in which a file's servers speculate; none when nothing does.

    `scenario` None: taken from the path, else from the content, else agentic. `model`: where neither the file's name
    nor its content says. `name`: how findings name the file. `harness_forces`: an unforced server of an agentic recipe
    is right, since the harness forces it; otherwise only where it takes DRAFT_TOKENS from the harness. `known`:
    variables that a script is sure to be given.

    Raises InputError for a file that cannot be read.
    """
    source = _read(path)
    name = name or str(path)
    own = bool(_OWN.search(source)) and not _SETS_OWN.search(source)
    file = _File(name, scenario or scenario_of(path, source), thinking, model, own, harness_forces or own)
    try:
        if path.suffix in (".yaml", ".yml"):
            sites = sites_of_yaml(source, path.parent)
        else:
            sites = sites_of_script(source.encode(), path.parent, known)
    except UnreadableError as error:
        return [Checked("error", Problem(f"{error.what}, so nothing can be said about its length", name, error.line))]
    found = [_check(file, path, site, curves) for site in sites]
    return _distinct(found)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem(f"is larger than {MAX_BYTES:,} bytes", str(path)))
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(path))) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem("is not UTF-8 text", str(path))) from error


def _distinct(found: Sequence[Checked]) -> list[Checked]:
    return sorted(dict.fromkeys(found), key=lambda item: (item.problem.line or 0, item.problem.render()))


def scenario_of(path: Path, source: str) -> Scenario:
    """Return what a recipe is for: by the last telling part of its path, else by its content, else agentic."""
    for part in reversed(path.resolve().parts):
        for scenario, pattern in _FOLDERS:
            if re.fullmatch(pattern, part.lower()):
                return scenario
    return next((scenario for scenario, pattern in _CONTENT if re.search(pattern, source.lower())), "agentic")


def _check(file: _File, path: Path, site: Site, curves: Sequence[CommittedCurve]) -> Checked:
    forced = site.speculation.forced
    real = _why_real(file, site)
    if real is not None:
        if forced is None:
            return _found(file, site.line, "ok", f"real acceptance, as due: {real}", _asked(site.speculation))
        hint = "drop it there: forced text is wrong by construction"
        return _found(file, site.forced_line, "error", f"forces acceptance in {real}", _typed(site), "not forced", hint)
    if forced is None and file.harness_forces:
        message = "the harness forces it" if file.takes_draft_tokens else "the harness forces it to the row's length"
        return _found(file, site.line, "ok", message, _asked(site.speculation))
    line = site.forced_line if forced is not None else site.line
    try:
        golden = _due(file, path, site, curves)
    except InputError as error:
        problem = error.problems[0]
        return Checked("error", replace(problem, file=file.name, line=line))
    return _compare(file, site, golden)


def _why_real(file: _File, site: Site) -> str | None:
    """Return what makes a server's acceptance real; None for agentic throughput."""
    if file.scenario == "fixed-seq-len":
        return "a fixed-sequence recipe"
    if file.scenario == "speedbench":
        return "a collection of acceptance lengths"
    return "an eval" if site.is_eval else None


def _compare(file: _File, site: Site, golden: Golden) -> Checked:
    found, forced = site.speculation, site.speculation.forced
    due = f"{golden.text} ({golden.place})"
    hint = _DROP if file.harness_forces else f"set {_settings(found, golden)}"
    if forced is None:
        message = "agentic speculation runs with real acceptance"
        return _found(file, site.line, "error", message, _asked(found), due, hint)
    if found.flaw or forced.flaw:
        text = found.flaw or f"{forced.knob} {forced.flaw}"
        return _found(file, site.forced_line, "error", text, _typed(site), due, hint)
    if forced.length is None:
        message = "types a length that is no number before the recipe runs"
        return _found(file, site.forced_line, "error", message, _typed(site), due, hint)
    tolerance = 0.005 / max(golden.draft_tokens, 1) if forced.knob == ATOM_RATE else 0.0
    if abs(forced.length - golden.length) > max(tolerance, 1e-6):
        message = f"acceptance is forced to {forced.length:g}, not to the golden length"
        return _found(file, site.forced_line, "error", message, _typed(site), due, hint)
    if file.harness_forces:
        return _found(file, site.forced_line, "warning", "types the golden length itself", _typed(site), due, hint)
    return _found(file, site.forced_line, "ok", "forced to the golden length", _typed(site), due)


def _found(
    file: _File,
    line: int | None,
    severity: Severity,
    message: str,
    found: str,
    due: str | None = None,
    hint: str | None = None,
) -> Checked:
    return Checked(severity, Problem(message, file.name, line, None, found, due, hint))


# ---- what is due ----


def _due(file: _File, path: Path, site: Site, curves: Sequence[CommittedCurve]) -> Golden:
    found = site.speculation
    if found.method is None or (found.draft_tokens is None and not found.open_names):
        message = found.flaw or "forces acceptance without saying what drafts, and how many tokens"
        raise InputError(Problem(message, found=_asked(found) or _typed(site)))
    if found.draft_tokens is None:
        names = ", ".join(found.open_names)
        message = (
            "the number of draft tokens is not known before the recipe runs, so no length is due that could be checked"
        )
        hint = _DROP
        if not file.takes_draft_tokens:
            hint = "write the number, or take DRAFT_TOKENS from the harness"
        raise InputError(Problem(message, found=names, hint=hint))
    prefix, model = _target(file, path, site, curves)
    wanted = Speculation(
        method=found.method,
        thinking=file.thinking,
        draft_tokens=found.draft_tokens,
        prefix=prefix,
        model=model,
        draft_sample_method=found.draft_sample_method or DEFAULT_DRAFT_SAMPLING,
        rejection_sample_method=found.rejection_sample_method,
        draft_model=_separate_draft(found, model),
    )
    try:
        return lookup(curves, wanted)
    except InputError:
        # Only vLLM has a switch for how drafts are sampled; elsewhere the head's own way is the only one.
        if found.engine == "vllm" or DEFAULT_DRAFT_SAMPLING == "probabilistic":
            raise
        try:
            return lookup(curves, replace(wanted, draft_sample_method="probabilistic"))
        except InputError:
            pass
        raise


def _target(file: _File, path: Path, site: Site, curves: Sequence[CommittedCurve]) -> tuple[str | None, str | None]:
    """Return the model prefix and the model of a server, as far as the file's name and its content say."""
    prefixes = {item.curve.model_prefix for item in curves}
    families = {family_of(item.model) for item in curves}
    named = [prefix for prefix in prefixes if re.match(rf"{re.escape(prefix)}[-_.]", path.name)]
    prefix = max(named, key=len, default=None)
    model = file.model or site.model
    if model is not None and family_of(model) in families:
        return prefix, model
    alias = None if model is None else next((one for one in prefixes if family_of(model) == one), None)
    if alias is not None:
        return alias, None
    if model is not None and (file.model or re.fullmatch(r"[\w.-]+/[\w.-]+", model)):
        return prefix, model
    folders = [part for part in path.resolve().parts if part in prefixes]
    prefix = prefix or next(iter(reversed(folders)), None)
    if prefix is None:
        raise InputError(
            Problem(
                "the model is not known, so no length is due that could be checked",
                found=model or "no model name before the recipe runs",
                allowed=f"a file name that starts with one of {', '.join(sorted(prefixes))}, or a model id",
                hint="name it with --model",
            )
        )
    return prefix, None


def _separate_draft(found: CommandSpeculation, model: str | None) -> str | None:
    if found.draft_model is None or (model is not None and base_name(found.draft_model) == base_name(model)):
        return None
    return found.draft_model


# ---- words ----


def _asked(found: CommandSpeculation) -> str:
    parts = [
        found.engine,
        found.method or "",
        f"{found.draft_tokens} draft tokens" if found.draft_tokens is not None else "",
        f"{found.draft_sample_method} drafts" if found.draft_sample_method else "",
    ]
    return ", ".join(part for part in parts if part)


def _typed(site: Site) -> str:
    forced = site.speculation.forced
    return _asked(site.speculation) if forced is None else f"{forced.knob} {forced.text}"


def _settings(found: CommandSpeculation, golden: Golden) -> str:
    rendered = render(found.engine, golden.length, golden.draft_tokens)
    config = [f'"{key}": {value!r}'.replace("'", '"') for key, value in rendered.speculative_config.items()]
    variables = [f"{name}={text}" for name, text in rendered.environment.items()]
    return " ".join([*variables, ", ".join(config), *rendered.arguments]).strip()
