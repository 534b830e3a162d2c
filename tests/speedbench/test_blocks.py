"""The standard error of a real length: right for independent drafts, larger where prompts differ."""

from __future__ import annotations

import random
import statistics

import pytest

from sweepgate.speedbench.blocks import BLOCKS, MIN_BLOCKS, Growth, block_error


def sample(seed: int, spread: float) -> list[Growth]:
    """400 stretches of 100 drafts; each stretch's rate differs by up to `spread`."""
    draw = random.Random(seed)
    growths = []
    for _ in range(400):
        rate = 0.5 + draw.uniform(-spread, spread)
        growths.append(Growth(100, sum(draw.random() < rate for _ in range(100))))
    return growths


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_errors_are_what_repeated_runs_scatter(spread: float) -> None:
    runs = [sample(seed, spread) for seed in range(60)]
    lengths = [sum(g.accepted for g in run) / sum(g.drafts for g in run) for run in runs]
    errors = [block_error(run) or 0.0 for run in runs]
    assert statistics.mean(errors) == pytest.approx(statistics.stdev(lengths), rel=0.25)


def test_few_blocks_give_none() -> None:
    assert block_error([]) is None
    assert block_error([Growth(10, 5)] * (MIN_BLOCKS - 1)) is None
    assert block_error([Growth(0, 0)] * 50) is None
    assert block_error([Growth(10, 5)] * BLOCKS) == 0.0


def test_one_huge_stretch_is_one_block() -> None:
    assert block_error([Growth(1_000_000, 5), *[Growth(1, 1)] * 100]) is None
