"""Every path in CODEOWNERS matches a file: an owner of nothing guards nothing."""

from __future__ import annotations

from codeowners import CodeOwners

from sweepgate.errors import Problem
from sweepgate.rules.finding import Checkout, Finding, Rule

# Where GitHub looks, in its order.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")


def _check(checkout: Checkout) -> list[Finding]:
    place = next((name for name in PLACES if (checkout.root / name).is_file()), None)
    if place is None:
        hint = "without it nobody has to sign a change off"
        return [Finding(Problem("is missing", PLACES[0], hint=hint), "warning")]
    owners = CodeOwners((checkout.root / place).read_text(encoding="utf-8", errors="replace"))
    findings = []
    for regex, pattern, names, line, _ in owners.paths:
        if not any(regex.search(name) for name in checkout.files):
            hint = "fix the path, or remove the line"
            findings.append(Finding(Problem("matches no file", place, line, found=pattern, hint=hint)))
        elif not names:
            findings.append(Finding(Problem("has no owner", place, line, found=pattern), "warning"))
    return sorted(findings, key=lambda finding: finding.problem.line or 0)


RULE = Rule("codeowners", "each CODEOWNERS path matches a tracked file", _check)
