"""validate.py: for each rule a repository that keeps it, and one or more that break it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acceptance_bench import COLLECTIONS
from conftest import CATALOGUE, FLEETS, PROJECT, FakeRepository

from sweepgate.errors import Problem
from sweepgate.report.annotations import annotation
from sweepgate.rules.finding import Checkout
from sweepgate.rules.registry import RULES

AGENTIC = CATALOGUE.replace(
    "    fixed-seq-len:\n    - isl: 100\n      osl: 20\n      search-space:\n      - { tp: 1, conc-list: [1, 2] }",
    "    agentic-coding:\n    - search-space:\n"
    "      - { tp: 1, spec-decoding: mtp, draft-tokens: 3, thinking: 'on', conc-list: [1] }",
)
CURVE = """\
model:
  model-prefix: fake
  method: mtp
  source-run: https://x/1
  measured-with: { engine: vllm, gpu: b300, dataset: speed-bench, category: coding, output-tokens: 4096 }
  sampling: { thinking_on: { temperature: 1.0 } }
  thinking_on: { 3: 2.5 }
"""
TABLE = """\
<!-- table: made by scripts/golden_al.py table -->
| model | method | draft model | draft, rejection sampling | thinking | 1 | 2 | 3 | source |
| --- | --- | --- | --- | --- | ---: | ---: | ---: | --- |
| [model](fake_mtp.yaml) | mtp | built in | greedy, standard | on |  |  | 2.50 | [run](https://x/1) |
<!-- end of table -->
"""
SPECULATING = """\
#!/bin/bash
config="{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":$DRAFT_TOKENS}"
exec vllm serve "$MODEL" --speculative-config "$config"
"""
TYPED = """\
#!/bin/bash
config="{{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":$DRAFT_TOKENS,\\
\\"rejection_sample_method\\":\\"synthetic\\",\\"synthetic_acceptance_length\\":{}}}"
exec vllm serve "$MODEL" --speculative-config "$config"
"""
COLLECTOR = "benchmarks/single_node/speedbench/fake.sh"
FRAGMENT = "config-keys: [fake]\ndescription: [d]\npr-link: https://github.com/o/r/pull/1\n"
Files = dict[str, str]
GOLDEN: Files = {
    "master-config.yaml": AGENTIC,
    "golden_al_distribution/fake_mtp.yaml": CURVE,
    "golden_al_distribution/README.md": TABLE,
    "benchmarks/fake.sh": SPECULATING,
}

# rule → files that break it → (severity, file, line, words)
BROKEN: list[tuple[str, Files, tuple[str, str, int | None, str]]] = [
    ("conflicts", {"x.txt": "a\n<<<<<<< HEAD\nb\n"}, ("error", "x.txt", 2, "merge conflict mark")),
    ("conflicts", {"x.txt": "a\n>>>>>>> branch\n"}, ("error", "x.txt", 2, "merge conflict mark")),
    ("schemas", {"master-config.yaml": CATALOGUE.replace("fp8", "[1]")}, ("error", "master-config.yaml", 6, "string")),
    ("schemas", {"runners.yaml": "labels: 3\n"}, ("error", "runners.yaml", 1, "dictionary")),
    ("schemas", {"requirements.txt": "x\n"}, ("error", "requirements.txt", None, "not pinned")),
    (
        "rows",
        {"master-config.yaml": CATALOGUE.replace("fake.sh", "no.sh")},
        ("error", "benchmarks/no.sh", None, "miss"),
    ),
    ("rows", {"runners.yaml": "labels: {x: [a]}\n"}, ("error", "master-config.yaml", None, "unknown runner")),
    (
        "rows",
        {"benchmarks/fake.sh": "#!/bin/bash\nexit 1\n"},
        ("error", "benchmarks/fake.sh", None, "ended with code 1"),
    ),
    (
        "purity",
        {"benchmarks/fake.sh": "#!/bin/bash\nx=1\nexec a $(b)\n"},
        ("warning", "benchmarks/fake.sh", 3, "impure"),
    ),
    ("rows", {"master-config.yaml": AGENTIC}, ("error", "master-config.yaml", 1, "no golden acceptance length")),
    (
        "rows",
        {**GOLDEN, "golden_al_distribution/fake_mtp.yaml": CURVE.replace("3:", "2:")},
        ("error", "master-config.yaml", 1, "3 draft tokens are not measured"),
    ),
    (
        "rows",
        {**GOLDEN, "benchmarks/fake.sh": SPECULATING.replace("DRAFT_TOKENS", "TP")},
        ("error", "benchmarks/fake.sh", None, "draft tokens differs from the row's"),
    ),
    (
        "rows",
        {**GOLDEN, "benchmarks/fake.sh": "#!/bin/bash\nexec vllm serve m\n"},
        ("error", "master-config.yaml", 1, "no server process speculates"),
    ),
    (
        "golden",
        {"golden_al_distribution/fake_mtp.yaml": CURVE.replace("2.5", "0.5")},
        ("error", "golden_al_distribution/fake_mtp.yaml", 7, "greater than or equal to 1"),
    ),
    (
        "golden",
        {**GOLDEN, "golden_al_distribution/fake_mtp.yaml": CURVE.replace("2.5", "2.6")},
        ("error", "golden_al_distribution/README.md", None, "the table of lengths is not"),
    ),
    (
        "typed-lengths",
        {**GOLDEN, "benchmarks/fake.sh": TYPED.format("2.49")},
        ("error", "benchmarks/fake.sh", 3, "acceptance is forced to 2.49, not to the golden length"),
    ),
    (
        "typed-lengths",
        {**GOLDEN, "benchmarks/fake.sh": TYPED.format("2.5")},
        ("warning", "benchmarks/fake.sh", 3, "drop it: the harness renders the golden length"),
    ),
    (
        "typed-lengths",
        {**GOLDEN, "benchmarks/unused.sh": TYPED.format("2.5")},
        ("error", "benchmarks/unused.sh", 3, "drop it: the harness renders the golden length"),
    ),
    (
        "typed-lengths",
        {**GOLDEN, "benchmarks/single_node/fixed_seq_len/fake_x.sh": TYPED.format("2.5")},
        ("error", "benchmarks/single_node/fixed_seq_len/fake_x.sh", 3, "forces acceptance in a fixed-sequence recipe"),
    ),
    (
        "knobs",
        {**GOLDEN, "master-config.yaml": AGENTIC.replace("example/vllm:v1", "example/vllm:nightly")},
        ("warning", "master-config.yaml", None, "example/vllm:nightly does not say whether it reads synthetic_"),
    ),
    (
        "collections",
        {"speedbench-config.yaml": COLLECTIONS, COLLECTOR: "#!/bin/bash\nexit 1\n"},
        ("error", COLLECTOR, None, "ended with code 1"),
    ),
    (
        "collections",
        {"speedbench-config.yaml": COLLECTIONS, COLLECTOR: TYPED.format("1.5")},
        ("error", COLLECTOR, None, "types an acceptance length in a fixed-sequence row"),
    ),
    (
        "collections",
        {"speedbench-config.yaml": COLLECTIONS},
        ("error", "speedbench-config.yaml", 1, "recipe is missing"),
    ),
    (
        "timeouts",
        {"runners.yaml": FLEETS.replace("client-timeout: 4", "client-timeout: 30000")},
        ("error", "runners.yaml", None, "may take longer"),
    ),
    (
        "timeouts",
        {
            ".github/workflows/benchmark-job.yml": "jobs: { run: { timeout-minutes: 5 } }\n",
            "runners.yaml": FLEETS.replace("client-timeout: 4", "client-timeout: 300"),
        },
        ("error", "runners.yaml", None, "may take longer"),
    ),
    (
        "fragments",
        {"perf-changelog/1.yaml": FRAGMENT.replace("[d]", "[]")},
        ("error", "perf-changelog/1.yaml", 2, "at least 1"),
    ),
    ("fragments", {"perf-changelog/1.yaml": FRAGMENT + "x: 1\n"}, ("error", "perf-changelog/1.yaml", 4, "unknown key")),
    ("fragments", {"perf-changelog/1.txt": "x\n"}, ("error", "perf-changelog/1.txt", None, "is not a fragment")),
    (
        "fragments",
        {"perf-changelog/1.yaml": FRAGMENT.replace("fake", "gone")},
        ("warning", "perf-changelog/1.yaml", None, "no entry has this key"),
    ),
    (
        "codeowners",
        {".github/CODEOWNERS": "* @o/all\n\n/nowhere/ @o/a\n"},
        ("error", ".github/CODEOWNERS", 3, "matches no file"),
    ),
    ("codeowners", {".github/CODEOWNERS": "benchmarks/\n"}, ("warning", ".github/CODEOWNERS", 1, "has no owner")),
    ("codeowners", {}, ("warning", ".github/CODEOWNERS", None, "is missing")),
]
KEPT: list[tuple[str, Files]] = [
    ("conflicts", {"x.txt": "=======\n<<<<<<<<\n a <<<<<<< b\n"}),
    ("golden", GOLDEN),
    ("typed-lengths", GOLDEN),
    ("collections", {"speedbench-config.yaml": COLLECTIONS, COLLECTOR: SPECULATING}),
    ("knobs", {**GOLDEN, "master-config.yaml": AGENTIC.replace("vllm:v1", "vllm:v0.20.0")}),
    ("knobs", {**GOLDEN, "master-config.yaml": AGENTIC.replace("vllm:v1", "vllm:v0.19.1")}),
    ("rows", GOLDEN),
    ("timeouts", {".github/workflows/benchmark-job.yml": "jobs: { run: { timeout-minutes: 5 } }\n"}),
    ("fragments", {"perf-changelog/1.yaml": FRAGMENT, "perf-changelog/README.md": "x\n"}),
    ("codeowners", {".github/CODEOWNERS": "* @o/all\n/benchmarks/ @o/a a@b.c\n*.yaml @o/b\n"}),
    *((name, {}) for name in ("schemas", "rows", "purity")),
]

Make = Callable[[Files], Path]


@pytest.fixture
def make(repository: FakeRepository) -> Make:
    """Write files into a repository that keeps every rule, and track them."""

    def write(files: Files) -> Path:
        for name, text in files.items():
            path = repository.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", "-C", str(repository.path), *command], check=True)
        return repository.path

    return write


def findings(root: Path, name: str) -> list[tuple[str, str | None, int | None, str]]:
    checkout = Checkout(root)
    rule = next(rule for rule in RULES if rule.name == name)
    found = [(finding.severity, checkout.relative(finding.problem)) for finding in rule.check(checkout)]
    return [(severity, problem.file, problem.line, problem.render()) for severity, problem in found]


@pytest.mark.parametrize(("name", "files", "expected"), BROKEN)
def test_broken_rules(make: Make, name: str, files: Files, expected: tuple[Any, ...]) -> None:
    (found,) = findings(make(files), name)
    assert found[:3] == expected[:3]
    assert expected[3] in found[3]


@pytest.mark.parametrize(("name", "files"), KEPT)
def test_rules_that_are_kept(make: Make, name: str, files: Files) -> None:
    assert findings(make(files), name) == []


def test_every_rule_has_both_fixtures() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert {case[0] for case in BROKEN} == {case[0] for case in KEPT} == set(names)


def validate(root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "scripts" / "validate.py"), "--repository", str(root)]
    outside = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**outside, **environment}
    )


def test_the_command(make: Make) -> None:
    root = make({})
    done = validate(root)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"PASS: {len(RULES)} rules, 0 broken"
    make({"x.txt": "<<<<<<< HEAD\n", "master-config.yaml": CATALOGUE.replace("fp8", "[1]")})
    done = validate(root, GITHUB_ACTIONS="true")
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == f"FAIL: {len(RULES)} rules, 2 broken"
    assert "::error file=x.txt,line=1,title=conflicts::holds a merge conflict mark%0A" in done.stdout
    assert "error: schemas: master-config.yaml:6: fake.precision" in done.stderr
    assert "Traceback" not in done.stderr


def test_this_repository_keeps_its_rules() -> None:
    assert validate(PROJECT).returncode == 0


def test_an_annotation_cannot_be_ended_early() -> None:
    hostile = Problem("bad\n::set-output name=x::y", "a,b:c\r\nd", 3, found="100%")
    line = annotation("error", "t:u", hostile)
    assert "\n" not in line
    assert line == ("::error file=a%2Cb%3Ac%0D%0Ad,line=3,title=t%3Au::bad%0A::set-output name=x::y%0Afound: 100%25")
