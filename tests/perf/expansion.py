#!/usr/bin/env python3
"""Print how long a cold full-sweep expansion takes, against the public generator's 1.6 s and this machine's YAML speed.

example: tests/perf/expansion.py nvidia-master.yaml amd-master.yaml --runner-config runners.yaml

Without files, a catalogue of about the public one's size (10,000 lines, 1,820 rows) is made up. The yardstick is
PyYAML's pure-Python loader on the same files, which the public generator runs before anything else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "generate_sweep_configs.py"
# Measured for the public generator, whole process, 1,820 rows.
PUBLIC_SECONDS = 1.6
RUNS = 7
YARDSTICK = "import sys, yaml\nfor name in sys.argv[1:]: yaml.load(open(name), yaml.SafeLoader)"


def made_up(folder: Path) -> tuple[list[Path], Path]:
    """Write a catalogue of 260 entries, 7 rows each, and its fleets."""
    lines: list[str] = []
    for index in range(260):
        lines += [f"entry-{index}:", f"  image: example/vllm:v{index}", "  model: example/model", "  model-prefix: ex"]
        lines += ["  runner: h200", "  precision: fp8", "  framework: vllm", "  multinode: false", "  scenarios:"]
        lines += ["    fixed-seq-len:", "    - isl: 8192", "      osl: 1024", "      search-space:"]
        for conc in range(1, 8):
            lines += ["      - tp: 8", "        ep: 8", f"        conc-list: [{conc}]", "        spec-decoding: none"]
    (folder / "catalogue.yaml").write_text("\n".join(lines) + "\n")
    (folder / "runners.yaml").write_text("labels: { h200: [h200_00] }\n")
    return [folder / "catalogue.yaml"], folder / "runners.yaml"


def best(command: list[str]) -> tuple[float, float]:
    """Return the shortest wall-clock time (s) and the largest resident memory (MB, 10^6) of some runs."""
    times, memory = [], 0.0
    for _ in range(RUNS):
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        times.append(time.monotonic() - begun)
        assert status == 0, command
        memory = max(memory, usage.ru_maxrss * 1024 / 10**6)
    return min(times), memory


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runner-config", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files, runners = arguments.files, arguments.runner_config
        if not files:
            files, runners = made_up(Path(folder))
        options = ["--config-files", *map(str, files), "--runner-config", str(runners)]
        key = next(line for line in files[0].read_text().splitlines() if line[:1].isalpha()).rstrip(":")
        full, memory = best([sys.executable, str(SCRIPT), "full-sweep", *options])
        one, _ = best([sys.executable, str(SCRIPT), "test-config", "--config-keys", key, *options])
        yardstick, _ = best([sys.executable, "-c", YARDSTICK, *map(str, files), str(runners)])
    print(
        f"full-sweep          {full:5.2f} s   public generator / this: {PUBLIC_SECONDS / full:4.1f}   {memory:.0f} MB"
    )
    print(f"test-config, 1 key  {one:5.2f} s   public generator / this: {PUBLIC_SECONDS / one:4.1f}")
    print(f"YAML yardstick      {yardstick:5.2f} s   yardstick / full-sweep:  {yardstick / full:4.1f}")


if __name__ == "__main__":
    main()
