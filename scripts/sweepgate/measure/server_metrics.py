"""The server's own counters, before and after a point: Prometheus text, scraped and compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

_TIMEOUT_SECONDS = 10.0

Totals = dict[str, float]


class CounterResetError(Exception):
    """A counter went backwards: the server restarted inside the measured window."""


def scrape(urls: Sequence[str], raw: Path) -> Totals:
    """Return every counter's total over all `urls` and label sets, and keep the raw text in `raw`.

    Raises httpx.HTTPError when an endpoint does not answer, ValueError when it answers with no Prometheus text.
    """
    pages = []
    with httpx.Client(timeout=_TIMEOUT_SECONDS, trust_env=False) as client:
        for url in urls:
            answer = client.get(url)
            answer.raise_for_status()
            pages.append(f"# scraped from {url}\n{answer.text}\n")
    raw.write_text("".join(pages))
    return totals(pages)


def totals(pages: Iterable[str]) -> Totals:
    """Return the sum of every counter sample (and histogram sum and count) over all pages and labels."""
    result: Totals = defaultdict(float)
    for page in pages:
        for family in text_string_to_metric_families(page):
            if family.type not in ("counter", "histogram", "summary", "unknown"):
                continue
            for sample in family.samples:
                if not sample.name.endswith(("_bucket", "_created")):
                    result[sample.name] += sample.value
    return dict(result)


def increase(before: Totals, after: Totals, counters: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how much each quantity grew; `counters` names the Prometheus counters that may hold it, best first.

    Quantities that the server does not count are left out. Raises CounterResetError when a counter shrank.
    """
    grown = {}
    for quantity, names in counters.items():
        name = next((name for name in names if name in after), None)
        if name is None:
            continue
        change = after[name] - before.get(name, 0.0)
        if change < 0:
            raise CounterResetError(f"{name} fell from {before[name]:g} to {after[name]:g}")
        grown[quantity] = change
    return grown
