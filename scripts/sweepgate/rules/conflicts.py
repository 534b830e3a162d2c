"""No tracked file holds the marks of a merge conflict."""

from __future__ import annotations

import re

from sweepgate.errors import Problem
from sweepgate.rules.finding import Checkout, Finding, Rule

_MARK = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)


def _check(checkout: Checkout) -> list[Finding]:
    findings = []
    for name in checkout.files:
        path = checkout.root / name
        if not path.is_file() or path.is_symlink():
            continue
        content = path.read_bytes()
        for mark in _MARK.finditer(content):
            line = content.count(b"\n", 0, mark.start()) + 1
            hint = "resolve the conflict and remove the marks"
            findings.append(Finding(Problem("holds a merge conflict mark", name, line, hint=hint)))
    return findings


RULE = Rule("conflicts", "no file holds merge conflict marks", _check)
