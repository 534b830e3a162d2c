"""Inner timeouts end before outer ones, so that a slow job ends with its own words and not by GitHub's axe."""

from __future__ import annotations

from typing import Any

from sweepgate.config.yaml_file import load
from sweepgate.errors import InputError, Problem
from sweepgate.plan.build import FLEETS_FILE
from sweepgate.plan.plan import Job
from sweepgate.rules.finding import Checkout, Finding, Rule

JOB_WORKFLOW = ".github/workflows/benchmark-job.yml"
# GitHub's limit for a job that states none.
DEFAULT_MINUTES = 360


def _check(checkout: Checkout) -> list[Finding]:
    if checkout.tree is None:
        return []
    minutes = _outer_minutes(checkout)
    findings = []
    for label, launch in checkout.tree.fleets.launch.items():
        inner = {
            job.id: _longest(job, launch.ready_timeout, launch.client_timeout)
            for job in checkout.jobs
            if job.runs_on == label
        }
        slowest = max(inner, key=lambda name: inner[name], default=None)
        if slowest is not None and inner[slowest] >= minutes * 60:
            found = f"{inner[slowest] / 60:.0f} min for {slowest}"
            hint = "lower ready-timeout or client-timeout, or measure fewer concurrencies in one row"
            message = "a job may take longer than the workflow lets it run"
            problem = Problem(message, FLEETS_FILE, None, f"launch.{label}", found, f"under {minutes} min", hint)
            findings.append(Finding(problem))
    return findings


def _longest(job: Job, ready_timeout: int, client_timeout: int) -> int:
    """Return how long a job can take (s) before its own timeouts end it."""
    return ready_timeout + len(job.concurrencies) * ((job.row.duration or 0) + client_timeout)


def _outer_minutes(checkout: Checkout) -> int:
    try:
        data: Any = load(checkout.root / JOB_WORKFLOW).data
        stated = [job["timeout-minutes"] for job in data["jobs"].values() if "timeout-minutes" in job]
    except (InputError, KeyError, TypeError, AttributeError):
        return DEFAULT_MINUTES
    return min([minutes for minutes in stated if isinstance(minutes, int)], default=DEFAULT_MINUTES)


RULE = Rule("timeouts", "a job's own timeouts end before the workflow's", _check)
