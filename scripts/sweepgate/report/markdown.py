"""summary.md: the verdict first, then what is missing, then the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sweepgate.gate.verdict import Verdict
from sweepgate.report.columns import COLUMNS, Row, sorted_rows

_MAX_NAMED = 8
_LINK = re.compile(r"(https://[A-Za-z0-9._~:/-]+[A-Za-z0-9/])")


def summary(verdict: Verdict, rows: list[Row], commit: str) -> str:
    """Return the summary as GitHub-flavoured Markdown. Text from logs and clients is escaped."""
    mark = "✅" if verdict.passed else "❌"
    lines = [f"## {mark} {verdict.headline}", ""]
    for cause, shortfalls in verdict.groups():
        named = [f"`{item.job}` at concurrency {item.conc}" for item in shortfalls[:_MAX_NAMED]]
        more = f" and {len(shortfalls) - _MAX_NAMED} more" if len(shortfalls) > _MAX_NAMED else ""
        lines.append(f"- **{len(shortfalls)}** × {escape(cause)} — {', '.join(named)}{more}")
    if verdict.shortfalls:
        lines.append("")
    if rows:
        lines += [
            table_line(column.heading for column in COLUMNS),
            table_line("---:" if column.numeric else "---" for column in COLUMNS),
        ]
        lines += [table_line(escape(column.value(row)) for column in COLUMNS) for row in sorted_rows(rows)]
        lines.append("")
    bound = sum(bool(row["client"]["bound"]) for row in rows)
    if bound:
        lines += [f"{bound} points are client-bound: the client, not the server, limited them.", ""]
    warned = [
        f"- `{row['job']}` at concurrency {row['conc']}: {escape(text)}" for row in rows for text in row["warnings"]
    ]
    if warned:
        lines += [*warned, ""]
    lines.append(
        f"Commit `{escape(commit)}`. Latencies are over requests of the measured window; throughput counts input and "
        "output tokens."
    )
    return "\n".join(lines) + "\n"


def table_line(cells: Iterable[str]) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def escape(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no links, markup, HTML, mentions or table breaks."""
    return _escaped(" ".join(text.split()))


def escape_linked(text: str) -> str:
    """Return `text` escaped, except that addresses in it stay links: a backslash inside one would break it."""
    flat = " ".join(text.split())
    return "".join(f"<{part}>" if _LINK.fullmatch(part) else _escaped(part) for part in _LINK.split(flat))


def _escaped(text: str) -> str:
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|~" else c for c in text)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
