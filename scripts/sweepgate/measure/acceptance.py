"""Acceptance as the server counted it: how many tokens a verification step really gave, inside the measured window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sweepgate.measure.server_metrics import Scrape, increase, increase_by

_VLLM = {
    "drafts": ("vllm:spec_decode_num_drafts_total",),
    "accepted": ("vllm:spec_decode_num_accepted_tokens_total",),
}
_VLLM_POSITIONS = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
_SGLANG = {
    "calls": ("sglang:spec_verify_calls_total",),
    "tokens": ("sglang:generation_tokens_total",),
    "requests": ("sglang:num_requests_total",),
}
# With a true rate of 0.95, 200 drafts in a row are all accepted in one of 28,000 cases.
MIN_DRAFTS_TO_TELL = 200
MIN_RATE_TO_TELL = 0.05


@dataclass(frozen=True)
class Acceptance:
    """What the counters say. `length` is tokens a step, the target's own included, None without any step.

    `drafts` counts verifications, one a request and step; `draws` the independent ones among them, which a standard
    error goes with. `rates` are the shares of drafts whose 1st, 2nd, ... token was accepted; None where the engine does
    not count them.
    """

    length: float | None
    drafts: int
    draws: float
    rates: list[float] | None
    source: str

    @property
    def standard_error(self) -> float | None:
        """The standard error of `length` from the rates, for independent draws; None without rates or drafts.

        With N the accepted tokens of a draft and r_i its rates, E[N²] = Σ (2 i - 1) r_i.
        """
        if not self.rates or not self.draws:
            return None
        mean = sum(self.rates)
        square = sum((2 * position - 1) * rate for position, rate in enumerate(self.rates, 1))
        return math.sqrt(max(square - mean**2, 0.0) / self.draws)


def read_acceptance(before: Scrape, after: Scrape, conc: int) -> Acceptance | None:
    """Return the acceptance between two scrapes, over all workers; None when the server counts none.

    Raises CounterResetError when a worker restarted between them.
    """
    for read in (_vllm, _sglang):
        found = read(before, after, conc)
        if found is not None:
            return found
    return None


def _vllm(before: Scrape, after: Scrape, _conc: int) -> Acceptance | None:
    """AL = 1 + Δaccepted / Δdrafts. vLLM draws for each request and step."""
    grown = increase(before, after, _VLLM)
    if len(grown) < len(_VLLM):
        return None
    drafts = grown["drafts"]
    positions = increase_by(before, after, _VLLM_POSITIONS, "position")
    rates = [positions[name] / drafts for name in sorted(positions, key=int)] if positions and drafts else None
    length = 1 + grown["accepted"] / drafts if drafts else None
    return Acceptance(length, int(drafts), drafts, rates, "vllm:spec_decode_* counters")


def _sglang(before: Scrape, after: Scrape, conc: int) -> Acceptance | None:
    """AL from verify calls and generated tokens; the gauge `sglang:spec_accept_length` holds its last interval only.

    A request's first token comes from its prefill, and its last step is cut at the request's length, on average by
    (AL - 1) / 2: with T tokens, R requests and C calls, AL C = T - R + R (AL - 1) / 2.

    SGLang draws one length a step for the whole batch, so the draws are the steps: at least C / concurrency.
    """
    grown = increase(before, after, _SGLANG)
    if "calls" not in grown or "tokens" not in grown:
        return None
    calls, requests = grown["calls"], grown.get("requests", 0.0)
    length = (grown["tokens"] - 1.5 * requests) / (calls - requests / 2) if calls > requests / 2 else None
    return Acceptance(length, int(calls), calls / max(conc, 1), None, "sglang:spec_verify_calls and generated tokens")


def schedule(length: float, positions: int) -> list[float]:
    """Return the rates of the minimum-variance schedule: AL 2.49 over 3 positions → 1, 0.49, 0."""
    return [min(max(length - 1 - position, 0.0), 1.0) for position in range(positions)]


def schedule_error(length: float, draws: float) -> float:
    """Return the standard error of a forced length over `draws` independent draws: each gives one of two whole numbers
    of tokens, so its variance is f (1 - f) with f the fraction of the length."""
    fraction = length - math.floor(length)
    return math.sqrt(fraction * (1 - fraction) / draws) if draws else math.inf


def looks_forced(rates: Sequence[float] | None, drafts: int) -> bool:
    """Whether rates are those of a minimum-variance schedule, which real drafts do not give.

    Some positions are accepted always or never, and at most one lies between; real acceptance falls from position to
    position, and over `MIN_DRAFTS_TO_TELL` drafts neither stays at 1 nor drops to exactly 0 at once.
    """
    if not rates or drafts < MIN_DRAFTS_TO_TELL:
        return False
    always = sum(rate == 1 for rate in rates)
    never = sum(rate == 0 for rate in rates)
    ordered = all(first >= second for first, second in pairwise(rates))
    if not ordered or len(rates) - always - never > 1:
        return False
    # Random weights accept almost nothing at the first position and nothing after it, without being forced.
    return always > 0 or (never > 0 and rates[0] > MIN_RATE_TO_TELL)
