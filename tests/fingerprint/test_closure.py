"""Impure recipes: the bytes of every file they reach, and of the whole folder where a path cannot be known."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepgate.fingerprint.closure import Closure, closure_of

FILES = {
    "benchmarks/lib.sh": "#!/bin/bash\nhelp() { cat data/table.json; }\n",
    "benchmarks/single/more.sh": "source ../lib.sh\n",
    "benchmarks/single/other.txt": "other\n",
    "benchmarks/single/data/table.json": "{}",
    "benchmarks/tools/patch.py": "import helper\n",
    "benchmarks/tools/helper.py": "x = 1\n",
    "scripts/unrelated.py": "",
}


def closure(folder: Path, body: str) -> Closure:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    recipe = folder / "benchmarks" / "single" / "recipe.sh"
    recipe.write_text("#!/usr/bin/env bash\n" + body + "\nexec server $(nproc)\n")
    return closure_of(recipe, folder / "benchmarks")


NAMED = {
    "nproc": [],
    "cat other.txt": ["single/other.txt"],
    "source benchmarks/lib.sh": ["lib.sh", "single/data/table.json"],
    'source "$(dirname "$0")/more.sh"': ["lib.sh", "single/data/table.json", "single/more.sh"],
    'source "${BASH_SOURCE%/*}/more.sh"': ["lib.sh", "single/data/table.json", "single/more.sh"],
    'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n. "$here/../lib.sh"': ["lib.sh", "single/data/table.json"],
    "bash -c 'source benchmarks/lib.sh; help'": ["lib.sh", "single/data/table.json"],
    "python3 benchmarks/tools/patch.py": ["tools/helper.py", "tools/patch.py"],
    "cp -r data /tmp": ["single/data/table.json"],
    "cat <<END\nsingle/other.txt\nEND": ["single/other.txt"],
    'ls "$SCRATCH/x" "$HF_HOME/y"': [],
    "cat /etc/passwd ../../../outside": [],
}


@pytest.mark.parametrize("body", NAMED)
def test_files_that_are_named(tmp_path: Path, body: str) -> None:
    found = closure(tmp_path, body)
    assert found.whole_folder is None
    assert sorted(found.files) == sorted(
        ["benchmarks/single/recipe.sh", *(f"benchmarks/{name}" for name in NAMED[body])]
    )


UNKNOWN = {
    'source "$NAME"': "recipe.sh:2: has a path that is not known before it runs",
    'source "$(pick)/lib.sh"': "not known before",
    'cat "$DIR/other.txt"': "not known before",
    'bash "$(find . -name x)"': "not known before",
    'eval "$CODE"': "not known before",
    '"$TOOL" --run': "computes the name of a command",
    'source "$(dirname "$0")/$NAME"': "not known before",
    "if [[ x": "is not bash that the parser understands",
}


@pytest.mark.parametrize("body", UNKNOWN)
def test_paths_that_cannot_be_known(tmp_path: Path, body: str) -> None:
    found = closure(tmp_path, body)
    assert found.whole_folder is not None
    assert UNKNOWN[body] in found.whole_folder
    assert {"benchmarks/single/other.txt", "benchmarks/single/more.sh", "benchmarks/single/data/table.json"} <= set(
        found.files
    )


def test_links_that_leave_the_repository_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.sh").write_text("secret\n")
    (tmp_path / "r" / "benchmarks" / "single").mkdir(parents=True)
    (tmp_path / "r" / "benchmarks" / "single" / "link.sh").symlink_to(tmp_path / "outside.sh")
    found = closure(tmp_path / "r", "source link.sh")
    assert list(found.files) == ["benchmarks/single/recipe.sh"]


def test_a_change_in_a_reached_file_changes_the_hash(tmp_path: Path) -> None:
    before = closure(tmp_path, "source more.sh").files
    (tmp_path / "benchmarks" / "lib.sh").write_text("changed\n")
    after = closure_of(tmp_path / "benchmarks" / "single" / "recipe.sh", tmp_path / "benchmarks").files
    assert {name for name in after if after[name] != before[name]} == {"benchmarks/lib.sh"}
