"""The verdict and the tables at the end of a sweep, on a terminal of 80 columns."""

from __future__ import annotations

from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sweepgate.gate.verdict import Verdict
from sweepgate.report.columns import COLUMNS, Column, Row, scenario, series, sorted_rows


def print_verdict(verdict: Verdict, rows: list[Row], console: Console) -> None:
    """Print the verdict, every shortfall, and a table of valid points for each curve."""
    console.print(Text(verdict.headline, style="bold green" if verdict.passed else "bold red"))
    for cause, shortfalls in verdict.groups():
        named = ", ".join(f"{item.job} c{item.conc}" for item in shortfalls)
        console.print(Text(f"  {len(shortfalls)} × {cause}: {named}", style="yellow"), soft_wrap=True)
    columns = [column for column in COLUMNS if not column.wide]
    widths = [_width(column, rows) for column in columns]
    for title, group in groupby(sorted_rows(rows), key=lambda row: f"{scenario(row)} · {series(row)}"):
        console.print(Text(f"\n{title}", style="bold cyan"), soft_wrap=True)
        console.print(_table(columns, widths, list(group)))
    bound = [row for row in rows if row["client"]["bound"]]
    if bound:
        console.print(Text("client-bound: the client limited these points, not the server", style="yellow"))
        for row in bound:
            reasons = "; ".join(row["client"]["bound"])
            console.print(Text(f"  {row['job']} c{row['conc']}: {reasons}", style="yellow"), soft_wrap=True)
    for row in rows:
        for warning in row["warnings"]:
            console.print(Text(f"warning: {row['job']} c{row['conc']}: {warning}", style="yellow"), soft_wrap=True)


def _heading(column: Column) -> list[str]:
    """Return one word a line, so that columns are as narrow as their numbers."""
    return [*column.title.split(), *([column.unit] if column.unit else [])]


def _width(column: Column, rows: list[Row]) -> int:
    """Return one width for all tables, so that their numbers line up."""
    return max(len(text) for text in [*_heading(column), *(column.value(row) for row in rows)])


def _table(columns: list[Column], widths: list[int], rows: list[Row]) -> Table:
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, show_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            "\n".join(_heading(column)),
            justify="right" if column.numeric else "left",
            min_width=width,
            no_wrap=True,
            vertical="bottom",
        )
    for row in rows:
        table.add_row(*[Text(column.value(row)) for column in columns])
    return table
