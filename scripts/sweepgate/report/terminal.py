"""The verdict and the table at the end of a sweep, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sweepgate.gate.verdict import Verdict
from sweepgate.report.columns import COLUMNS, Row, sorted_rows


def print_verdict(verdict: Verdict, rows: list[Row], console: Console) -> None:
    """Print the verdict, every shortfall, and the table of valid points."""
    console.print(Text(verdict.headline, style="bold green" if verdict.passed else "bold red"))
    for cause, shortfalls in verdict.groups():
        named = ", ".join(f"{item.job} c{item.conc}" for item in shortfalls)
        console.print(Text(f"  {len(shortfalls)} × {cause}: {named}", style="yellow"))
    if rows:
        console.print(_table(rows))
    bound = [row for row in rows if row["client"]["bound"]]
    if bound:
        first = "; ".join(bound[0]["client"]["bound"])
        console.print(Text(f"{len(bound)} client-bound: the client limited these points, not the server ({first})", style="yellow"))


def _table(rows: list[Row]) -> Table:
    table = Table(header_style="bold", row_styles=["", "dim"], pad_edge=False)
    for column in COLUMNS:
        heading = f"{column.title}\n{column.unit}" if column.unit else column.title
        table.add_column(heading, justify="right" if column.numeric else "left", no_wrap=column.numeric)
    for row in sorted_rows(rows):
        table.add_row(*[Text(column.value(row)) for column in COLUMNS])
    return table
