#!/usr/bin/env python3
"""Print the CPU time that each script needs to say its --help, against the 150 ms that a workflow step may pay.

example: tests/perf/startup.py
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
BUDGET_MS = 150
RUNS = 5


def cpu_ms(command: list[str]) -> float:
    """Return the CPU time (user and system, milliseconds) of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    bare = min(cpu_ms([sys.executable, "-c", "pass"]) for _ in range(RUNS))
    print(f"{'python3 alone':<28} {bare:6.0f} ms")
    for script in sorted(SCRIPTS.glob("*.py")):
        used = min(cpu_ms([sys.executable, str(script), "--help"]) for _ in range(RUNS))
        print(f"{script.name:<28} {used:6.0f} ms   {used / BUDGET_MS:5.2f} of the budget")
