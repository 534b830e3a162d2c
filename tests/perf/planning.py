#!/usr/bin/env python3
"""Print how long a pull request on a catalogue of 20,000 rows takes to plan, as a whole process, cold.

example: tests/perf/planning.py

A repository of 1,000 entries with 20 concurrencies each is made up, with one commit for each kind of change.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "plan_sweep.py"
ENTRIES, POINTS = 1000, 20
RUNS = 3
RECIPE = """\
#!/usr/bin/env bash
set -euo pipefail
exec vllm serve "$MODEL" --tensor-parallel-size "$TP" --max-num-seqs "$MAX_CONC" --port "$PORT"
"""
EVENT = {
    "action": "labeled",
    "label": {"name": "full-sweep-fail-fast"},
    "sender": {"login": "someone", "type": "User"},
    "pull_request": {
        "number": 7,
        "state": "open",
        "draft": False,
        "mergeable": True,
        "labels": [{"name": "full-sweep-fail-fast"}],
        "head": {"sha": "0" * 40, "ref": "change", "repo": {"full_name": "o/r"}},
        "base": {"sha": "0" * 40, "ref": "main", "repo": {"full_name": "o/r"}},
    },
    "repository": {"full_name": "o/r", "default_branch": "main"},
}


def catalogue(images: int) -> str:
    """Return a catalogue whose first `images` entries have a newer image."""
    concurrencies = ", ".join(str(4 * (1 + index)) for index in range(POINTS))
    lines: list[str] = []
    for index in range(ENTRIES):
        version = 2 if index < images else 1
        lines += [f"entry-{index}:", f"  image: example/vllm:v{version}", f"  model: example/model-{index}"]
        lines += ["  model-prefix: ex", "  runner: cluster:h200", "  precision: fp8", "  framework: vllm"]
        lines += ["  multinode: false", "  scenarios:", "    fixed-seq-len:", "    - isl: 8192", "      osl: 1024"]
        lines += ["      search-space:", f"      - {{ tp: 8, conc-list: [{concurrencies}] }}"]
    return "\n".join(lines) + "\n"


def git(folder: Path, *arguments: str) -> None:
    """Run git in the made-up repository."""
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def made_up(folder: Path, images: int, recipe: str) -> None:
    """Write a repository whose last commit gives `images` entries a newer image and changes the recipe."""
    path = folder / "benchmarks" / "single_node" / "fixed_seq_len" / "ex_fp8_h200_vllm.sh"
    path.parent.mkdir(parents=True)
    (folder / "requirements.txt").write_text("aiperf==0.13.0\n")
    (folder / "runners.yaml").write_text("labels: { 'cluster:h200': [h200_00] }\n")
    for version, text in ((0, RECIPE), (images, recipe)):
        (folder / "master-config.yaml").write_text(catalogue(version))
        path.write_text(text)
        path.chmod(0o755)
        if version == 0:
            git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "change")


def measure(folder: Path, label: str) -> tuple[float, float, str]:
    """Return the shortest wall-clock time (s), the largest resident memory (MB, 10^6) and the last line said."""
    event = folder / "event.json"
    text = json.dumps(EVENT).replace("full-sweep-fail-fast", label)
    event.write_text(text)
    command = [sys.executable, str(SCRIPT), "--event", str(event), "--event-name", "pull_request", "--base", "HEAD~1"]
    command += ["--repository", str(folder), "--out", str(folder / "plan.json")]
    times, memory, said = [], 0.0, ""
    for _ in range(RUNS):
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout is not None
        said = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        times.append(time.monotonic() - begun)
        memory = max(memory, usage.ru_maxrss * 1024 / 10**6)
    return min(times), memory, said.strip().splitlines()[0][:150]


CHANGES = {
    "one image": (1, RECIPE, "full-sweep-fail-fast"),
    "a comment in the recipe": (0, RECIPE.replace("exec", "# why\nexec"), "full-sweep-fail-fast"),
    "100 images": (100, RECIPE, "full-sweep-fail-fast"),
    "every image, trimmed": (ENTRIES, RECIPE, "sweep-enabled"),
    "every image": (ENTRIES, RECIPE, "full-sweep-fail-fast"),
    "the recipe": (0, RECIPE.replace("--port", "--no-enable-prefix-caching --port"), "full-sweep-fail-fast"),
}


def main() -> None:
    """Measure and print."""
    print(f"{ENTRIES * POINTS:,} rows; change → time of the whole process, memory, what it said")
    for name, (images, recipe, label) in CHANGES.items():
        with tempfile.TemporaryDirectory() as folder:
            made_up(Path(folder), images, recipe)
            seconds, memory, said = measure(Path(folder), label)
        print(f"{name:24} {seconds:5.2f} s  {memory:4.0f} MB  {said}")


if __name__ == "__main__":
    main()
