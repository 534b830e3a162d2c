"""The standard error of a real acceptance length, from how the counters grew while the prompts ran.

Drafts are no independent draws: an easy prompt accepts for a thousand steps. So the run is cut into blocks of about
equally many drafts, and the blocks are the sample (batch means of a ratio: Law, Simulation Modeling and Analysis).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Few blocks give a poor error, many are no longer independent; 20 is common for batch means.
BLOCKS = 20
MIN_BLOCKS = 5


@dataclass(frozen=True)
class Growth:
    """Drafts and accepted draft tokens of a stretch of time."""

    drafts: float
    accepted: float


def block_error(growths: Sequence[Growth]) -> float | None:
    """Return the standard error of 1 + accepted / drafts; None from fewer than `MIN_BLOCKS` blocks.

    With blocks (d_i, a_i) and r = Σa / Σd, Var(r) = n / (n - 1) · Σ (a_i - r d_i)² / (Σd)².
    """
    blocks = _merged([growth for growth in growths if growth.drafts > 0])
    if len(blocks) < MIN_BLOCKS:
        return None
    drafts = sum(block.drafts for block in blocks)
    ratio = sum(block.accepted for block in blocks) / drafts
    squares = sum((block.accepted - ratio * block.drafts) ** 2 for block in blocks)
    return math.sqrt(len(blocks) / (len(blocks) - 1) * squares) / drafts


def _merged(growths: Sequence[Growth]) -> list[Growth]:
    """Return neighbours put together into at most `BLOCKS` blocks of about equally many drafts."""
    share = sum(growth.drafts for growth in growths) / BLOCKS
    blocks: list[Growth] = []
    drafts = accepted = 0.0
    for growth in growths:
        drafts, accepted = drafts + growth.drafts, accepted + growth.accepted
        if drafts >= share:
            blocks.append(Growth(drafts, accepted))
            drafts = accepted = 0.0
    if drafts and blocks:
        blocks[-1] = Growth(blocks[-1].drafts + drafts, blocks[-1].accepted + accepted)
    return blocks
