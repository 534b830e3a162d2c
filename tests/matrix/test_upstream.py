"""Our rows against those that the public generator printed, where its catalogue lies beside the repository."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sweepgate.config.catalogue import load_catalogue
from sweepgate.config.fleets import load_fleets
from sweepgate.matrix.evals import mark_evals
from sweepgate.matrix.expand import expand
from sweepgate.matrix.row import Row

UPSTREAM = Path(__file__).parents[3] / "shared" / "data" / "upstream"
pytestmark = pytest.mark.skipif(not UPSTREAM.is_dir(), reason="no copy of the public catalogue here")


def test_every_row_of_the_full_sweep() -> None:
    catalogue = load_catalogue([UPSTREAM / "nvidia-master.yaml", UPSTREAM / "amd-master.yaml"])
    ours = expand(catalogue, load_fleets(UPSTREAM / "runners.yaml"))
    mark_evals(ours)
    theirs = json.loads(gzip.decompress((UPSTREAM / "full-sweep.json.gz").read_bytes()))
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        assert {name: our.get(name) for name in their} == their
        Row.model_validate(our)
