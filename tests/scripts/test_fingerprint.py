"""fingerprint.py explain: what went into a fingerprint, and what differs from a revision."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import CATALOGUE, PROJECT
from histories import TWO, History


def explain(history: History, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "scripts" / "fingerprint.py"), "explain", *arguments]
    command += ["--repository", str(history.path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_every_input_is_shown(history: History) -> None:
    done = explain(history, "fake")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "fake.100x20.tp1.c1"
    fingerprints = history.repository.plan("fake").jobs[0].fingerprints
    assert f"  fingerprint at concurrency 1: {fingerprints['1']}" in lines
    for line in ("  recipe: pure, so the resolved commands count and its bytes do not", "  row.image: example/vllm:v1"):
        assert line in lines
    assert any(line.startswith("  servers.server-0.argv: ") and line.endswith("8000 example/model") for line in lines)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("exec server $(nproc)\n", "recipe: impure"),
        ('source "$WHERE/lib.sh"\nexec server\n', "recipe: its whole folder counts, since benchmarks/fake.sh:1"),
    ],
)
def test_an_impure_recipe_says_so(history: History, recipe: str, words: str) -> None:
    history.repository.recipe(recipe)
    assert words in explain(history, "fake").stdout


def test_only_what_differs_from_a_revision(history: History) -> None:
    history.repository.catalogue(CATALOGUE.replace("vllm:v1", "vllm:v2").replace("[1, 2]", "[2, 4]"))
    done = explain(history, "*", "--base", "main")
    assert done.stdout.splitlines() == [
        "fake.100x20.tp1.c2: different fingerprint",
        "  row.image: example/vllm:v1 → example/vllm:v2",
        "fake.100x20.tp1.c4: new, the base has no such job",
        "fake.100x20.tp1.c1: gone, only main has this job",
    ]


def test_nothing_differs(history: History) -> None:
    history.repository.catalogue("# hello\n" + TWO)
    done = explain(history, "other", "--base", "HEAD")
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == ["same fingerprint"] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "no entry has this key"),
        (["fake", "--base", "nope"], "is no commit of this checkout"),
        (["fake", "--base", "HEAD~1"], "HEAD~1:master-config.yaml:13: fake.scenarios.fixed-seq-len"),
    ],
)
def test_what_cannot_be_explained(history: History, arguments: list[str], message: str) -> None:
    history.commit(history.write("master-config.yaml", TWO.replace("osl: 20", "osl: none", 1)))
    history.commit(history.write("master-config.yaml", TWO))
    done = explain(history, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
