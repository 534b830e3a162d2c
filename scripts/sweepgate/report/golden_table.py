"""The table of committed lengths in golden_al_distribution/README.md, made from the curve files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sweepgate.golden.curves import FOLDER, CommittedCurve
from sweepgate.report.markdown import table_line

START, END = "<!-- table: made by scripts/golden_al.py table -->", "<!-- end of table -->"
README = f"{FOLDER}/README.md"


def lengths_table(curves: Sequence[CommittedCurve]) -> str:
    """Return a Markdown table: a line each curve and thinking mode, a column each number of draft tokens."""
    widest = max((max(item.curve.lengths(mode), default=0) for item in curves for mode in ("on", "off")), default=0)
    columns = range(1, widest + 1)
    lines = []
    for item in curves:
        curve = item.curve
        name = item.file.removeprefix(f"{FOLDER}/")
        for thinking in ("on", "off"):
            lengths = curve.lengths(thinking)
            if lengths:
                values = [f"{lengths[tokens]:.2f}" if tokens in lengths else "" for tokens in columns]
                drafted = curve.draft_model or "built in"
                sampled = f"{curve.draft_sample_method}, {curve.rejection_sample_method}"
                link = f"[{item.model}]({name})"
                lines.append([link, curve.method, drafted, sampled, thinking, *values, f"[run]({curve.source_run})"])
    heads = ["model", "method", "draft model", "draft, rejection sampling", "thinking", *map(str, columns), "source"]
    rule = ["---:" if head.isdecimal() else "---" for head in heads]
    return "\n".join(table_line(cells) for cells in (heads, rule, *lines))


def with_table(text: str, curves: Sequence[CommittedCurve]) -> str:
    """Return the README with its table made anew. Raises ValueError when the marks are missing."""
    start, end = text.index(START) + len(START), text.index(END)
    return f"{text[:start]}\n{lengths_table(curves)}\n{text[end:]}"


def is_current(root: Path, curves: Sequence[CommittedCurve]) -> bool:
    """Whether the README's table is what the curve files say."""
    path = root / README
    try:
        text = path.read_text(encoding="utf-8")
        return with_table(text, curves) == text
    except (OSError, ValueError):
        return False
