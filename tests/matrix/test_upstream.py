"""Our rows against those that the public generator printed, where its catalogue lies beside the repository."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from typing import Any

import pytest
from conftest import PROJECT

from sweepgate.matrix.row import Row

UPSTREAM = PROJECT.parent / "shared" / "data" / "upstream"
if not UPSTREAM.is_dir():
    pytest.skip("no copy of the public catalogue here", allow_module_level=True)
CASES: list[dict[str, Any]] = json.loads((UPSTREAM / "cases.json").read_text())
FILES = ["--config-files", "nvidia-master.yaml", "amd-master.yaml", "--runner-config", "runners.yaml"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case["arguments"]))
def test_every_row_in_order(case: dict[str, Any]) -> None:
    command = [sys.executable, str(PROJECT / "scripts" / "generate_sweep_configs.py"), *case["arguments"], *FILES]
    done = subprocess.run(command, cwd=UPSTREAM, capture_output=True, text=True, check=True)
    ours = json.loads(done.stdout)
    theirs = json.loads(gzip.decompress((UPSTREAM / case["file"]).read_bytes()))
    assert len(ours) == len(theirs) == case["rows"]
    for our, their in zip(ours, theirs, strict=True):
        assert {name: our.get(name) for name in their} == their
        Row.model_validate(our)
