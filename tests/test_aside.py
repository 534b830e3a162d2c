"""Work in a second process: its result, and its errors, appear here."""

from __future__ import annotations

import os

import pytest

from sweepgate.aside import aside


def test_a_result_is_waited_for_and_kept() -> None:
    wait = aside(lambda: {"pid": os.getpid(), "large": "x" * 1_000_000})
    first = wait()
    assert first["pid"] != os.getpid()
    assert len(first["large"]) == 1_000_000
    assert wait() is first


def test_an_error_is_raised_here() -> None:
    wait = aside(lambda: int("no number"))
    with pytest.raises(ValueError, match="no number"):
        wait()


def test_what_is_not_json_is_worked_out_here() -> None:
    assert aside(lambda: {os.getpid()})() == {os.getpid()}


def test_a_process_that_dies_is_made_up_for() -> None:
    here = os.getpid()

    def work() -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), 9)
        return 1

    assert aside(work)() == 1
