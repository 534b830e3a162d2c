#!/usr/bin/env python3
"""Run the default sweep and print where its time goes: the load itself, the client around it, and our own share.

example: tests/perf/sweep_speed.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET_SECONDS = 180


def main() -> int:
    """Run, print, and return the sweep's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        begun = time.monotonic()
        command = [sys.executable, str(ROOT / "scripts" / "sweep.py"), "--out", str(out)]
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        wall = time.monotonic() - begun
        rows = json.loads((out / "agg_bmk.json").read_text())
        manifest = json.loads((out / "sweep-manifest.json").read_text())
        load = sum(row["benchmark_duration"] for row in rows)
        client = sum(client_seconds(path) for path in out.glob("jobs/*/metrics-before-c*.prom"))
    points = manifest["planned"]
    print(f"points            {points:6d}   {manifest['valid']} valid")
    print(f"wall clock        {wall:6.1f} s   {wall / BUDGET_SECONDS:.2f} of the budget, {wall / points:.1f} s a point")
    print(f"measured load     {load:6.1f} s   {load / wall:.0%}")
    print(f"aiperf around it  {client - load:6.1f} s   {(client - load) / wall:.0%}")
    print(f"everything else   {wall - client:6.1f} s   {(wall - client) / wall:.0%}")
    return done.returncode


def client_seconds(before: Path) -> float:
    """Return how long a client ran: metrics are scraped right before it starts and right after it ends."""
    after = before.with_name(before.name.replace("before", "after"))
    return after.stat().st_mtime - before.stat().st_mtime


if __name__ == "__main__":
    sys.exit(main())
