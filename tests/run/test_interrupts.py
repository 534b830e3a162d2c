"""Signals come once, and not in the middle of what must be whole."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import PROJECT

SETUP = f"""
import os, signal, sys
sys.path.insert(0, {str(PROJECT / "scripts")!r})
from sweepgate.run.interrupts import end_cleanly_on_signals, uninterrupted
end_cleanly_on_signals()
"""
TWICE = """
try:
    os.kill(os.getpid(), signal.{name})
    print("not reached")
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    print("cleaned up")
"""
HELD = """
try:
    with uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        print("whole")
    print("not reached")
except KeyboardInterrupt:
    print("then interrupted")
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (TWICE.format(name="SIGINT"), "cleaned up\n"),
        (TWICE.format(name="SIGTERM"), "cleaned up\n"),
        (HELD, "whole\nthen interrupted\n"),
    ],
)
def test_signals(code: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", SETUP + code], capture_output=True, text=True, check=True)
    assert done.stdout == said
