"""The harness's side: the golden length of a row, put into the commands of the servers that verify drafts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.statements import ResolvedCommand
from sweepgate.golden.command import CommandSpeculation, read_command
from sweepgate.golden.curves import CommittedCurve
from sweepgate.golden.families import base_name
from sweepgate.golden.knobs import check_image
from sweepgate.golden.lookup import Golden, is_forced, lookup, of_row
from sweepgate.golden.render import ENGINE_OF, apply, render
from sweepgate.matrix.row import Row


def golden_of(row: Row, curves: Sequence[CommittedCurve]) -> Golden | None:
    """Return the length that the row is forced to; None for rows that are never forced.

    Raises InputError for a row that must be forced and cannot be: nothing is committed, the engine has no way, or the
    image is too old.
    """
    if not is_forced(row):
        return None
    engine = ENGINE_OF.get(row.framework)
    if engine is None:
        message = "agentic speculation runs at a golden acceptance length, which this framework cannot be told"
        allowed = ", ".join(sorted(ENGINE_OF))
        raise InputError(Problem(message, None, None, "framework", row.framework, allowed))
    golden = lookup(curves, of_row(row))
    check_image(engine, row.image)
    return golden


def force(row: Row, command: ResolvedCommand, golden: Golden | None) -> tuple[ResolvedCommand, bool]:
    """Return one server command as it is run, forced where golden says so, and whether it verifies drafts.

    Raises InputError for a command that speculates differently from what its row says, since another length would be
    due, and for one that types a length that is not the golden one, or types one where none may be.
    """
    engine = ENGINE_OF.get(row.framework)
    found = read_command(engine, command.argv, command.environment) if engine else None
    _check_typed(row, found, golden)
    # TensorRT-LLM's speculation stands in a file that its command names, so every process is told.
    if golden is None or engine is None or (found is None and engine != "trtllm"):
        return command, False
    if found is not None:
        _check_agreement(row, found, golden)
    return apply(command, render(engine, golden.length, golden.draft_tokens)), True


def check_speculation(row: Row, golden: Golden | None, speculating: Iterable[bool]) -> None:
    """Refuse a forced row of which no process verifies drafts."""
    if golden is not None and not any(speculating):
        raise _mistake(
            "no server process speculates", None, f"{row.spec_decoding} with {row.draft_tokens} draft tokens"
        )


def _check_typed(row: Row, found: CommandSpeculation | None, golden: Golden | None) -> None:
    """Refuse a typed length where none may be, and one that is not the golden one."""
    typed = found.forced if found is not None else None
    if typed is None:
        return
    if golden is None:
        kind = "an eval" if row.eval_only else "a fixed-sequence row" if not row.is_agentic else "a row without it"
        hint = "drop it: only agentic throughput rows with speculation are forced, and the harness does that"
        raise _mistake(f"types an acceptance length in {kind}", f"{typed.knob} {typed.text}", None, hint)
    if typed.length is None or round(typed.length, 2) != golden.length:
        hint = "drop it: the harness renders the golden length"
        raise _mistake("types an acceptance length that is not the golden one", f"{typed.knob} {typed.text}",
                       f"{golden.text} ({golden.place})", hint)  # fmt: skip


def _check_agreement(row: Row, found: CommandSpeculation, golden: Golden) -> None:
    """Refuse a command whose method, draft tokens, samplers or draft model are not those of the row's curve."""
    if found.flaw is not None:
        raise _mistake(found.flaw, None, None)
    curve = golden.source.curve
    pairs = (
        ("method", found.method, row.spec_decoding),
        ("draft tokens", found.draft_tokens, row.draft_tokens),
        ("draft sampling", found.draft_sample_method or _default_sampling(found), curve.draft_sample_method),
        ("draft model", _own_draft(row, found), curve.draft_model and base_name(curve.draft_model)),
        ("rejection sampling", found.rejection_sample_method, curve.rejection_sample_method),
    )
    for name, given, due in pairs:
        if given is not None and given != due:
            hint = "the row and its recipe must agree, since another golden length would be due"
            raise _mistake(f"{name} differs from the row's", str(given), f"{due} ({golden.place})", hint)


def _own_draft(row: Row, found: CommandSpeculation) -> str | None:
    """Return the name of a separate draft model; a target that is named as its own draft has its heads built in."""
    if found.draft_model is None or base_name(found.draft_model) == base_name(row.model):
        return None
    return base_name(found.draft_model)


def _default_sampling(found: CommandSpeculation) -> str | None:
    """vLLM's silence means greedy drafts; the other engines have no such switch."""
    return "greedy" if found.engine == "vllm" else None


def _mistake(message: str, found: str | None, allowed: str | None, hint: str | None = None) -> InputError:
    return InputError(Problem(f"the recipe's server command: {message}", None, None, None, found, allowed, hint))
