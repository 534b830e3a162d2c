"""Ctrl-C and SIGTERM: one clean end, never in the middle of a start or a teardown."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_cleanly_on_signals() -> None:
    """Turn the first Ctrl-C or SIGTERM into KeyboardInterrupt; later ones wait for the clean end that it starts."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold signals back until the block is done: a process that was started is known, one that ends is waited for."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
