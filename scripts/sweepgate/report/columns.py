"""The columns of a result table, shared by terminal, Markdown and HTML so that all three say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A heading with its unit, and how a result row fills it.

    `numeric` cells are aligned right; `wide` columns are left out of the terminal table, which has titles instead.
    """

    title: str
    unit: str
    value: Callable[[Row], str]
    numeric: bool = True
    wide: bool = False

    @property
    def heading(self) -> str:
        """Title and unit in one line."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def scenario(row: Row) -> str:
    """Return what was loaded: `512 in / 64 out`, or `agentic replay`."""
    if row["scenario_type"] == "fixed-seq-len":
        return f"{row['isl']} in / {row['osl']} out"
    return "agentic replay"


def shape(row: Row) -> str:
    """Return what served: `TP8 EP8`, or `1×TP1 prefill + 1×TP1 decode`."""
    if not row["is_multinode"]:
        return _parallelism(row["tp"], row["ep"], row["dp_attention"])
    parts = []
    for pool in ("prefill", "decode"):
        size = _parallelism(row[f"{pool}_tp"], row[f"{pool}_ep"], row[f"{pool}_dp_attention"])
        if row[f"{pool}_num_workers"]:
            parts.append(f"{row[f'{pool}_num_workers']}×{size} {pool}")
    return " + ".join(parts)


def series(row: Row) -> str:
    """Return the name of the curve that a point belongs to: what serves, without load and concurrency."""
    spec = "" if row["spec_decoding"] == "none" else f", {row['spec_decoding']}"
    offload = "" if row["kv_offloading"] == "none" else f", KV to {row['kv_offloading']}"
    hardware = row["hw"].upper() if row["hw"] != "local" else "local"
    return f"{row['infmax_model_prefix']} {row['precision']} {row['framework']} {hardware}, {shape(row)}{spec}{offload}"


def _parallelism(tp: int, ep: int, dp_attention: bool) -> str:
    return f"TP{tp}" + (f" EP{ep}" if ep > 1 else "") + (" DPA" if dp_attention else "")


def _milliseconds(name: str, digits: int) -> Callable[[Row], str]:
    return lambda row: f"{row[name] * 1000:,.{digits}f}"


def _number(name: str, digits: int) -> Callable[[Row], str]:
    return lambda row: f"{row[name]:,.{digits}f}"


def acceptance(row: Row) -> str:
    """Return the golden and the measured acceptance length, `2.49 / 2.490`; nothing without speculation."""
    if row["spec_decoding"] == "none":
        return ""
    golden = "real" if row["golden_al"] is None else f"{row['golden_al']:.2f}"
    return f"{golden} / " + ("?" if row["measured_al"] is None else f"{row['measured_al']:.3f}")


def note(row: Row) -> str:
    """Return "client-bound" for a point whose numbers the client limited, "warning" for one with warnings."""
    return ", ".join(["client-bound"] * bool(row["client"]["bound"]) + ["warning"] * bool(row["warnings"]))


def remarks(row: Row) -> list[str]:
    """Return what stands behind a row's note."""
    return [*row["client"]["bound"], *row["warnings"]]


COLUMNS = (
    Column("scenario", "", scenario, numeric=False, wide=True),
    Column("served by", "", shape, numeric=False, wide=True),
    Column("conc", "", lambda row: str(row["conc"])),
    Column("TTFT p50", "ms", _milliseconds("median_ttft", 1)),
    Column("TTFT p99", "ms", _milliseconds("p99_ttft", 1)),
    Column("TPOT p50", "ms", _milliseconds("median_tpot", 2)),
    Column("interactivity", "tok/s/user", _number("median_intvty", 1)),
    Column("throughput", "tok/s/GPU", _number("tput_per_gpu", 0)),
    Column("output", "tok/s/GPU", _number("output_tput_per_gpu", 0), wide=True),
    Column("prefix hit", "%", lambda row: f"{row['prefix_cache_hit'] * 100:.0f}"),
    Column("requests", "", lambda row: str(row["requests"]), wide=True),
    Column("AL golden / measured", "", acceptance, wide=True),
    Column("errors", "", lambda row: str(row["errors"])),
    Column("note", "", note, numeric=False),
)


def sorted_rows(rows: list[Row]) -> list[Row]:
    """Return rows by load, then by curve, then by concurrency."""
    return sorted(
        rows, key=lambda row: (row["scenario_type"] != "fixed-seq-len", scenario(row), series(row), row["conc"])
    )
