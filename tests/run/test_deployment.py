"""The script that starts a server: bash reads every value back as it was, and runs nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.fingerprint.statements import ResolvedCommand
from sweepgate.run.deployment import launch_script

HOSTILE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
PRINT = 'printf "%s\\0" "$MODEL" "$@"; ls -A'


def started(folder: Path, argument: str, value: str) -> bytes:
    command = ResolvedCommand(["/bin/bash", "-uc", PRINT, "x", argument], {"MODEL": value, "lower_case": value})
    (folder / "launch.sh").write_text(launch_script(command))
    done = subprocess.run(["/bin/bash", "launch.sh"], cwd=folder, capture_output=True, check=True, env={"PATH": "/bin"})
    assert done.stderr == b""
    return done.stdout


@settings(max_examples=60, deadline=None)
@given(argument=HOSTILE, value=HOSTILE)
def test_no_value_breaks_out(tmp_path_factory: pytest.TempPathFactory, argument: str, value: str) -> None:
    assert started(tmp_path_factory.mktemp("job"), argument, value) == f"{value}\0{argument}\0launch.sh\n".encode()


@pytest.mark.parametrize(
    "value", ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "a\ntouch pwned\n", "\\", "${IFS}", "!!"]
)
def test_known_ways_out_are_closed(tmp_path: Path, value: str) -> None:
    assert started(tmp_path, value, value) == f"{value}\0{value}\0launch.sh\n".encode()
