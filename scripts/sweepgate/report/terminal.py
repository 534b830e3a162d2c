"""The verdict and the table at the end of a sweep, on a terminal."""

from __future__ import annotations

from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sweepgate.gate.verdict import Verdict
from sweepgate.report.columns import COLUMNS, Row, scenario, series, sorted_rows


def print_verdict(verdict: Verdict, rows: list[Row], console: Console) -> None:
    """Print the verdict, every shortfall, and the table of valid points."""
    console.print(Text(verdict.headline, style="bold green" if verdict.passed else "bold red"))
    for cause, shortfalls in verdict.groups():
        named = ", ".join(f"{item.job} c{item.conc}" for item in shortfalls)
        console.print(Text(f"  {len(shortfalls)} × {cause}: {named}", style="yellow"), soft_wrap=True)
    if rows:
        console.print(_table(rows))
    bound = [row for row in rows if row["client"]["bound"]]
    if bound:
        first = "; ".join(bound[0]["client"]["bound"])
        console.print(
            Text(
                f"{len(bound)} client-bound: the client limited these points, not the server ({first})", style="yellow"
            ),
            soft_wrap=True,
        )


def _table(rows: list[Row]) -> Table:
    columns = [column for column in COLUMNS if not column.wide]
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        heading = f"{column.title}\n{column.unit}" if column.unit else column.title
        table.add_column(heading, justify="right" if column.numeric else "left", no_wrap=True)
    for title, group in groupby(sorted_rows(rows), key=lambda row: f"{scenario(row)} · {series(row)}"):
        if table.row_count:
            table.add_section()
        table.add_row(Text(title, style="bold cyan", overflow="ignore"))
        for row in group:
            table.add_row(*[Text(column.value(row)) for column in columns])
    return table
