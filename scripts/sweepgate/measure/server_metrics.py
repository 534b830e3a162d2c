"""The server's own counters, before and after a point: Prometheus text, scraped and compared series by series.

Series are kept apart, since the growth of one worker would hide that another started anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

_TIMEOUT_SECONDS = 10.0
_COUNTED = ("counter", "histogram", "summary", "unknown")
# Says when the process behind a page started; a restarted counter may already be above its earlier value.
_STARTED = "process_start_time_seconds"


class CounterResetError(Exception):
    """A counter went backwards or vanished: the server restarted inside the measured window."""


@dataclass(frozen=True, order=True)
class Series:
    """One counter of one process: the page that it stood on, its name and its labels."""

    page: int
    name: str
    labels: tuple[tuple[str, str], ...] = ()


Scrape = dict[Series, float]


def scrape(urls: Sequence[str], raw: Path) -> Scrape:
    """Return every counter of all `urls`, and keep the raw text in `raw`.

    Raises httpx.HTTPError when an endpoint does not answer, ValueError when it answers with no Prometheus text.
    """
    pages = []
    with httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=False) as client:
        for url in urls:
            answer = client.get(url)
            answer.raise_for_status()
            pages.append(f"# scraped from {url}\n{answer.text}\n")
    raw.write_text("".join(pages))
    return read_pages(pages)


def read_pages(pages: Iterable[str]) -> Scrape:
    """Return every counter sample (histogram sums and counts too), and the start times of counters and processes."""
    found: Scrape = {}
    for index, page in enumerate(pages):
        for family in text_string_to_metric_families(page):
            for sample in family.samples:
                start = sample.name == _STARTED or sample.name.endswith("_created")
                if start or (family.type in _COUNTED and not sample.name.endswith("_bucket")):
                    found[Series(index, sample.name, tuple(sorted(sample.labels.items())))] = sample.value
    return found


def increase(before: Scrape, after: Scrape, counters: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how much each quantity grew, over all processes. `counters` names the Prometheus counters that may hold
    it, best first.

    Quantities that the server does not count are left out. Raises CounterResetError when a counter shrank or vanished,
    and when a process or counter is younger than it was.
    """
    grown = {}
    names = {series.name for series in after}
    for quantity, candidates in counters.items():
        name = next((name for name in candidates if name in names), None)
        if name is not None:
            grown[quantity] = sum(increase_by(before, after, name).values())
    return grown


def increase_by(before: Scrape, after: Scrape, name: str, label: str | None = None) -> dict[str, float]:
    """Return how much one counter grew, by the value of a label (all under "" without one).

    Raises CounterResetError as `increase` does.
    """
    _check_starts(before, after, name.removesuffix("_total"))
    grown: dict[str, float] = defaultdict(float)
    for series in {*before, *after}:
        if series.name != name:
            continue
        if series not in after:
            raise CounterResetError(f"{name} is gone from {_where(series)}")
        first, last = before.get(series, 0.0), after[series]
        if last < first:
            raise CounterResetError(f"{name} fell from {first:g} to {last:g} in {_where(series)}")
        grown[dict(series.labels).get(label, "") if label else ""] += last - first
    return dict(sorted(grown.items()))


def _check_starts(before: Scrape, after: Scrape, stem: str) -> None:
    for series, value in before.items():
        if series.name in (_STARTED, f"{stem}_created") and after.get(series, value) != value:
            raise CounterResetError(f"{series.name} changed in {_where(series)}")


def _where(series: Series) -> str:
    labels = ",".join(f"{name}={value}" for name, value in series.labels)
    return f"process {series.page}" + (f" ({labels})" if labels else "")
