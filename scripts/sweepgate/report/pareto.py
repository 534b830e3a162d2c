"""The frontier of a trade-off."""

from __future__ import annotations

from collections.abc import Sequence


def frontier(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the indices of the points that no other beats in both coordinates (more is better), by rising x.

    Of equal points the first is kept.
    """
    order = sorted(range(len(points)), key=lambda index: (-points[index][0], -points[index][1], index))
    best = float("-inf")
    kept = []
    for index in order:
        if points[index][1] > best:
            best = points[index][1]
            kept.append(index)
    return kept[::-1]
