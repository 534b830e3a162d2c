"""Images say by name that they read what forces acceptance; where they do not, only the counters can prove it."""

from __future__ import annotations

from sweepgate.errors import InputError, Problem
from sweepgate.golden.knobs import check_image
from sweepgate.golden.lookup import is_forced
from sweepgate.golden.render import ENGINE_OF
from sweepgate.plan.build import CATALOGUE_FILE
from sweepgate.rules.finding import Checkout, Finding, Rule


def _check(checkout: Checkout) -> list[Finding]:
    images = {
        (ENGINE_OF[row.framework], row.image) for row in checkout.rows if is_forced(row) and row.framework in ENGINE_OF
    }
    hint = "the point's counters must show the golden length, or it is invalid"
    notes = [_note(engine, image) for engine, image in sorted(images)]
    return [Finding(Problem(note, CATALOGUE_FILE, hint=hint), "warning") for note in notes if note is not None]


def _note(engine: str, image: str) -> str | None:
    try:
        return check_image(engine, image)
    except InputError:
        return None  # the `rows` rule says why


RULE = Rule("knobs", "images say that they read what forces acceptance (a warning where not)", _check)
