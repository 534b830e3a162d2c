"""The summary of a collection: verdict, lengths beside the committed ones, a plot of each thinking mode, and faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sweepgate.report.markdown import escape, table_line
from sweepgate.speedbench.cells import AcceptancePlan, Cell
from sweepgate.speedbench.merge import Merged, new_cells
from sweepgate.speedbench.result import CellResult

# A change beyond this many standard errors of the new value, and at least this much, is worth a reviewer's look.
NOTABLE_ERRORS = 3.0
NOTABLE_CHANGE = 0.03


def headline(plan: AcceptancePlan, results: Mapping[str, CellResult]) -> str:
    """Return the verdict in one line."""
    valid = sum(result.status == "valid" for result in results.values())
    verdict = "PASS" if valid == len(plan.cells) else "INCOMPLETE" if valid else "FAIL"
    return f"{verdict}: {valid} of {len(plan.cells)} acceptance lengths of {plan.name} are valid"


def acceptance_summary(
    plan: AcceptancePlan, results: Mapping[str, CellResult], merged: Merged | None, source_run: str
) -> str:
    """Return the summary as GitHub-flavoured Markdown, with Mermaid plots. Text from servers is escaped."""
    collection = plan.collection
    passed = all(cell.id in results and results[cell.id].status == "valid" for cell in plan.cells)
    lines = [f"## {'✅' if passed else '❌'} {escape(headline(plan, results))}", ""]
    lines += [*_faults(plan, results), ""]
    if merged is not None:
        lines += [*_table(results, merged), ""]
        for mode in ("on", "off"):
            lines += _plot(merged, mode)
    lines.append(
        f"{escape(collection.model)} · {collection.method} · {escape(collection.image)} · SPEED-Bench {plan.category}, "
        f"up to {plan.output_tokens:,} output tokens, {collection.conc} at a time · "
        f"[source run]({source_run})"
    )
    if merged is not None and merged.kept:
        lines += ["", f"{len(merged.kept)} committed values are kept from earlier runs: {', '.join(merged.kept)}."]
    return "\n".join(lines) + "\n"


def _faults(plan: AcceptancePlan, results: Mapping[str, CellResult]) -> list[str]:
    found = []
    for cell in plan.cells:
        result = results.get(cell.id)
        if result is None:
            found.append(f"- `{cell.id}` has no result: run its job again")
        elif result.status != "valid":
            found.append(f"- `{cell.id}` is {result.status}: {escape('; '.join(result.reasons))}")
    return found


def _table(results: Mapping[str, CellResult], merged: Merged) -> list[str]:
    heads = ("thinking", "draft tokens", "committed", "now", "standard error", "change", "drafts", "cut", "note")
    lines = [table_line(heads), table_line(("---", *["---:"] * 7, "---"))]
    for thinking, number, before, now in new_cells(merged):
        cell_id = Cell(thinking="on" if thinking == "on" else "off", draft_tokens=number).id
        result = results.get(cell_id)
        cells = [thinking, str(number), "" if before is None else f"{before:.2f}"]
        if result is None or result.length is None or result.counted is None:
            lines.append(table_line([*cells, f"{now:.2f}", "", "", "", "", "kept"]))
            continue
        counted = result.counted
        error = counted.standard_error
        change = None if before is None else now - before
        lines.append(
            table_line(
                [
                    *cells,
                    f"**{now:.2f}**",
                    "" if error is None else f"{error:.3f}" + ("" if counted.block_error else " †"),
                    "" if change is None else f"{change:+.2f}",
                    f"{counted.drafts:,}",
                    f"{counted.truncated} of {counted.answers}",
                    _note(change, error),
                ]
            )
        )
    if any("†" in line for line in lines):
        lines += ["", "† from rates alone, as if drafts were independent: too small."]
    return lines


def _note(change: float | None, error: float | None) -> str:
    if change is None:
        return "new"
    beyond = abs(change) >= NOTABLE_CHANGE and abs(change) > NOTABLE_ERRORS * (error or 0.0)
    return "⚠ changed" if beyond else ""


def _plot(merged: Merged, mode: str) -> list[str]:
    """Return a plot of one thinking mode: bars are committed lengths, the line is this curve."""
    found = [(number, before, now) for thinking, number, before, now in new_cells(merged) if thinking == mode]
    if not found:
        return []
    top = max(max(now, before or 0.0) for _, before, now in found)
    chart = [
        "```mermaid",
        "xychart-beta",
        f'    title "Thinking {mode}: line now, bars committed before"',
        f'    x-axis "draft tokens" [{_joined([str(number) for number, _, _ in found])}]',
        f'    y-axis "acceptance length (tokens a step)" 1 --> {top + 0.5:.1f}',
    ]
    if any(before is not None for _, before, _ in found):
        # A bar for a value that was not committed stands on the axis, with no height.
        chart.append(f"    bar [{_joined([f'{before or 1:.2f}' for _, before, _ in found])}]")
    chart.append(f"    line [{_joined([f'{now:.2f}' for _, _, now in found])}]")
    return [*chart, "```", ""]


def _joined(values: Sequence[str]) -> str:
    return ", ".join(values)


def pull_request_body(summary: str, merged: Merged) -> str:
    """Return the body of the pull request that commits a curve: its source run on the first line."""
    return f"Source run: {merged.new.source_run}\n\n{summary}"
