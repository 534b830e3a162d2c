"""Every speculative agentic row has a golden acceptance length."""

from __future__ import annotations

from sweepgate.config.yaml_file import load
from sweepgate.errors import InputError, Problem
from sweepgate.golden.curves import FOLDER, golden_value
from sweepgate.plan.build import CATALOGUE_FILE
from sweepgate.rules.finding import Checkout, Finding, Rule


def _check(checkout: Checkout) -> list[Finding]:
    findings: dict[tuple[str, str], Finding] = {}
    for job in checkout.jobs:
        row = job.row
        if not row.is_agentic or row.spec_decoding == "none":
            continue
        wanted = f"{row.model_prefix}, {row.spec_decoding}, thinking {row.thinking}, draft-tokens {row.draft_tokens}"
        try:
            if golden_value(checkout.root, row) is not None:
                continue
        except InputError as error:
            findings.update({(problem.render(), ""): Finding(problem) for problem in error.problems})
            continue
        hint = f"set thinking and draft-tokens to a value in {FOLDER}/{row.model_prefix}_{row.spec_decoding}.yaml"
        line = load(checkout.root / CATALOGUE_FILE).line((job.key,))
        problem = Problem("no golden acceptance length is committed", CATALOGUE_FILE, line, job.key, wanted, None, hint)
        findings[job.key, wanted] = Finding(problem)
    return list(findings.values())


RULE = Rule("golden", "each speculative agentic row has a value in golden_al_distribution/", _check)
