"""GitHub annotations: findings shown beside the line that they are about."""

from __future__ import annotations

from sweepgate.errors import Problem


def annotation(severity: str, title: str, problem: Problem) -> str:
    """Return one workflow command. Text is encoded as GitHub asks, so that no file name or value can end it early."""
    properties = {"file": problem.file, "line": problem.line, "title": title}
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
    details = (("found", problem.found), ("allowed", problem.allowed), ("next", problem.hint))
    message = ": ".join(part for part in (problem.key, problem.message) if part)
    message += "".join(f"\n{name}: {value}" for name, value in details if value is not None)
    return f"::{severity} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
