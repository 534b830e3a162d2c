"""A fingerprint follows what would run, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CATALOGUE, PROJECT, FakeRepository

from sweepgate.errors import InputError
from sweepgate.plan.build import build_plan


def fingerprints(repository: FakeRepository) -> dict[int, str]:
    return {conc: job.fingerprint(conc) for job in repository.plan().jobs for conc in job.concurrencies}


def edit(name: str, old: str, new: str) -> Callable[[FakeRepository], None]:
    def apply(repository: FakeRepository) -> None:
        path = repository.path / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return apply


UNCHANGED = {
    "a comment in the catalogue": edit("master-config.yaml", "fake:\n", "# hello\nfake:\n"),
    "key order in the catalogue": edit(
        "master-config.yaml", "  precision: fp8\n  framework: vllm\n", "  framework: vllm\n  precision: fp8\n"
    ),
    "a range for a list": edit("master-config.yaml", "conc-list: [1, 2]", "conc-start: 1, conc-end: 2"),
    "a comment in the recipe": edit("benchmarks/fake.sh", "exec", "# hello\nexec"),
    "formatting of the recipe": edit("benchmarks/fake.sh", "exec ", "exec \\\n   "),
    "another fleet's launch": edit("runners.yaml", "ready-timeout: 5", "ready-timeout: 6"),
}
CHANGED = {
    "the image": edit("master-config.yaml", "vllm:v1", "vllm:v2"),
    "the precision": edit("master-config.yaml", "fp8", "fp4"),
    "the parallelism": edit("master-config.yaml", "tp: 1", "tp: 2"),
    "the output length": edit("master-config.yaml", "osl: 20", "osl: 21"),
    "a server argument": edit("benchmarks/fake.sh", '"$MODEL"', '"$MODEL" --new'),
    "an exported variable": edit("benchmarks/fake.sh", "exec", "export FLAG=1\nexec"),
    "the client's version": edit("requirements.txt", "0.13.0", "0.13.1"),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_would_not_change_a_number(repository: FakeRepository, name: str) -> None:
    before = fingerprints(repository)
    UNCHANGED[name](repository)
    assert fingerprints(repository) == before


@pytest.mark.parametrize("name", CHANGED)
def test_what_would_change_a_number(repository: FakeRepository, name: str) -> None:
    before = fingerprints(repository)
    CHANGED[name](repository)
    after = fingerprints(repository)
    assert set(after) == set(before)
    assert all(after[conc] != before[conc] for conc in before)


def test_one_arm_of_a_recipe_leaves_the_other_arms_alone(repository: FakeRepository) -> None:
    arms = '#!/usr/bin/env bash\nif [[ "$MAX_CONC" == 1 ]]; then exec one; fi\nexec two\n'
    repository.recipe(arms)
    before = fingerprints(repository)
    repository.recipe(arms.replace("exec one", "exec one --more"))
    after = fingerprints(repository)
    assert after[1] != before[1]
    assert after[2] == before[2]


IMPURE = '#!/usr/bin/env bash\nsource lib.sh\nexec server --threads $(nproc) "$PORT"\n'


def test_an_impure_recipe_counts_by_its_bytes_and_those_it_reaches(repository: FakeRepository) -> None:
    library = repository.path / "benchmarks" / "lib.sh"
    library.write_text("x=1\n")
    (repository.path / "benchmarks" / "other.sh").write_text("x=1\n")
    repository.recipe(IMPURE)
    seen = [fingerprints(repository)]
    (repository.path / "benchmarks" / "other.sh").write_text("x=2\n")
    assert fingerprints(repository) == seen[0]
    library.write_text("x=2\n")
    seen.append(fingerprints(repository))
    repository.recipe(IMPURE + "# a comment\n")
    seen.append(fingerprints(repository))
    assert len({found[1] for found in seen}) == len({found[2] for found in seen}) == 3


def test_a_recipe_that_would_fail_is_refused_by_name(repository: FakeRepository) -> None:
    repository.recipe("#!/usr/bin/env bash\nset -u\nexec server $NO_SUCH\n")
    with pytest.raises(InputError, match=r"benchmarks/fake.sh: .*recipe reads NO_SUCH"):
        fingerprints(repository)


def test_points_differ(repository: FakeRepository) -> None:
    repository.catalogue(CATALOGUE + CATALOGUE.replace("fake:", "other:").replace("fp8", "fp4"))
    found = [job.fingerprint(c) for job in repository.plan().jobs for c in job.concurrencies]
    assert len(set(found)) == len(found) == 4


def test_the_folder_a_checkout_lies_in_does_not_matter(tmp_path: Path) -> None:
    names = ["master-config.yaml", "runners.yaml", "requirements.txt"]
    plans = []
    for place in (tmp_path / "a", tmp_path / "elsewhere" / "b"):
        place.mkdir(parents=True)
        for name in names:
            shutil.copy(PROJECT / name, place / name)
        for name in ("benchmarks", "golden_al_distribution"):
            shutil.copytree(PROJECT / name, place / name)
        plans.append(build_plan(place, ["*"]))
    assert [job.fingerprints for job in plans[0].jobs] == [job.fingerprints for job in plans[1].jobs]


def test_traces_count(tmp_path: Path) -> None:
    for name in ["master-config.yaml", "runners.yaml", "requirements.txt"]:
        shutil.copy(PROJECT / name, tmp_path / name)
    for name in ("benchmarks", "golden_al_distribution"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    before = {job.id: job.fingerprints for job in build_plan(tmp_path, ["tiny-*"]).jobs}
    trace = tmp_path / "benchmarks" / "traces" / "sample" / "sample_00.json"
    trace.write_text(trace.read_text().replace('"out": 64', '"out": 65'))
    after = {job.id: job.fingerprints for job in build_plan(tmp_path, ["tiny-*"]).jobs}
    assert {job for job in before if before[job] != after[job]} == {job for job in before if "agentic" in job}
