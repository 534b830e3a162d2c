"""The real thing: Dynamo's mocker, aiperf and scripts/sweep.py, interrupted, killed, and resumed to a full report."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import PROJECT

pytestmark = pytest.mark.timeout(300)
SWEEP = [sys.executable, str(PROJECT / "scripts" / "sweep.py")]


class Run:
    """A sweep in a process of its own, and what it has said so far."""

    def __init__(self, out: Path, *arguments: str) -> None:
        self.scratch = out.parent / "tmp"
        self.scratch.mkdir(exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(self.scratch)}
        self.process = subprocess.Popen(
            [*SWEEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def wait_for(self, pattern: str, seconds: float = 90.0) -> None:
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text):
            assert self.process.poll() is None, self.text
            assert time.monotonic() < deadline, self.text
            time.sleep(0.1)

    def end(self) -> int:
        code = self.process.wait(timeout=240)
        self.reader.join(timeout=10)
        return code


def servers_and_clients() -> list[int]:
    """The guards of every launched process, wherever they run."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if any(word.endswith("launch/guard.py") for word in process.info["cmdline"] or []):
            found.append(process.pid)
    return found


def assert_nothing_left(run: Run, before: set[int]) -> None:
    deadline = time.monotonic() + 30
    while set(servers_and_clients()) - before:
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.1)
    listening = {c.laddr.port for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    used = set(map(int, re.findall(r"PORT=(\d+)", ports_of(run))))
    assert not used & listening


def ports_of(run: Run) -> str:
    out = run.scratch.parent / "out"
    return "".join(path.read_text() for path in out.glob("jobs/*/job-*.sh"))


def test_interrupted_killed_resumed_and_reported(tmp_path: Path) -> None:
    # A short path, as sockets need one; pytest's own is long.
    with tempfile.TemporaryDirectory(prefix="sg-") as short:
        out = Path(short) / "out"
        before = set(servers_and_clients())

        first = Run(out, "tiny-*", "--conc", "1", "2", "--out", str(out))
        first.wait_for(r"1/4 valid")
        first.wait_for(r"512x64\.tp1\.c2: measure")
        time.sleep(3)
        first.process.send_signal(signal.SIGINT)
        assert first.end() == 130, first.text
        assert_nothing_left(first, before)
        assert list(first.scratch.glob("sweepgate-*")) == []
        assert "FAIL: 1 of 4 points are valid (3 missing)" in first.text
        assert f"--resume {out}" in first.text
        manifest = json.loads((out / "sweep-manifest.json").read_text())
        assert [point["status"] for point in manifest["points"]].count("valid") == 1
        kept = next(out.glob("jobs/*/result-c1.json"))
        measured_first = kept.read_bytes()

        second = Run(out, "--resume", str(out))
        second.wait_for(r"512x64\.tp1\.c2: measure")
        time.sleep(1)
        second.process.kill()
        second.end()
        assert_nothing_left(second, before)

        last = Run(out, "--resume", str(out))
        assert last.end() == 0, last.text
        assert_nothing_left(last, before)
        # The scratch folder of the killed run went with the next one's preflight.
        assert list(last.scratch.glob("sweepgate-*")) == []
        assert kept.read_bytes() == measured_first
        assert "4 points in 4 jobs, 1 measured before" in last.text
        assert "PASS: 4 of 4 points are valid" in last.text
        check_rows(json.loads((out / "agg_bmk.json").read_text()))
        report = (out / "report.html").read_text()
        assert "PASS: 4 of 4 points are valid" in report
        assert (out / "summary.md").read_text().startswith("## ✅ PASS: 4 of 4 points are valid")


def check_rows(rows: list[dict[str, Any]]) -> None:
    assert [row["conc"] for row in rows] == [1, 2, 2, 2]
    for row in rows:
        fixed = row["scenario_type"] == "fixed-seq-len"
        assert row["errors"] == 0
        # The mocker takes milliseconds for a token: anything else is a wrong unit, not a slow machine.
        assert 1e-4 < row["median_tpot"] < 1
        assert 1e-3 < row["median_ttft"] < 10
        if fixed:
            assert row["requests"] == 10 * row["conc"]
            assert row["prefix_cache_hit"] < 0.05
        else:
            assert row["prefix_cache_hit"] > 0.3
            assert row["client"]["submission_valid"] is False
    pooled = [row for row in rows if row["is_multinode"]]
    assert [(row["num_prefill_gpu"], row["num_decode_gpu"], row["num_gpu"]) for row in pooled] == [(1, 1, 2)]
