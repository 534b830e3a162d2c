"""The static check against a corpus: each file says in its head what is due at which line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sweepgate.cli import REPOSITORY
from sweepgate.golden.check import check_file
from sweepgate.golden.curves import load_curves

CORPUS = Path(__file__).parent / "corpus"
CURVES = load_curves(REPOSITORY)
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


def expected(path: Path) -> list[tuple[int, str, str]]:
    """Return (line, severity, due value or a part of the message; - for neither) of each `# expect:` line."""
    lines = re.findall(r"(?m)^# expect: (\d+) (\w+) (.+)$", path.read_text())
    return sorted((int(line), severity, due) for line, severity, due in lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_finding_has_its_line_and_the_value_that_is_due(path):
    found = check_file(path, CURVES)
    wanted = expected(path)
    assert sorted((item.problem.line, item.severity) for item in found) == [item[:2] for item in wanted], [
        item.problem.render() for item in found
    ]
    for item, (_, _, due) in zip(
        sorted(found, key=lambda item: (item.problem.line, item.severity)), wanted, strict=True
    ):
        if re.fullmatch(r"\d\.\d\d", due):
            assert item.problem.allowed is not None
            assert item.problem.allowed.startswith(due), item.problem.render()
        elif due != "-":
            assert due in item.problem.render()
