"""Contracts for any catalogue: what validates expands, always the same, and an edit touches its own points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from conftest import PROJECT
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.config.catalogue import load_catalogue
from sweepgate.config.fleets import load_fleets
from sweepgate.matrix.evals import mark_evals
from sweepgate.matrix.expand import expand
from sweepgate.matrix.row import Row
from sweepgate.plan.build import read_repository

FLEETS = "labels: {cluster:x: [x_0, x_1], cluster:y: [y_0]}\n"
SIZES = st.sampled_from([1, 2, 4, 8])
concurrencies = st.one_of(
    st.builds(
        lambda start, more: {"conc-start": start, "conc-end": start + more}, st.integers(1, 64), st.integers(0, 200)
    ),
    st.lists(st.integers(1, 512), min_size=1, max_size=5, unique=True).map(lambda values: {"conc-list": values}),
)
speculation = st.sampled_from([{}, {}, {"spec-decoding": "mtp", "draft-tokens": 3, "thinking": "on"}])
workers = st.fixed_dictionaries({"num-worker": st.integers(1, 3), "tp": SIZES}, optional={"ep": SIZES})
single = st.builds(
    lambda conc, spec, shape: {**conc, **spec, **shape},
    concurrencies,
    speculation,
    st.fixed_dictionaries({"tp": SIZES}, optional={"ep": SIZES, "dp-attn": st.booleans()}),
)
multi = st.builds(
    lambda conc, prefill, decode: {**conc, "prefill": prefill, "decode": decode}, concurrencies, workers, workers
)


def scenarios(space: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    spaces = st.lists(space, min_size=1, max_size=3)
    lengths = st.sampled_from([1024, 8192, 512])
    fixed = st.fixed_dictionaries({"isl": lengths, "osl": st.sampled_from([1024, 64]), "search-space": spaces})
    replay = st.fixed_dictionaries({"search-space": spaces}, optional={"duration": st.integers(60, 3600)})
    both = {"fixed-seq-len": st.lists(fixed, min_size=1, max_size=2), "agentic-coding": st.lists(replay, max_size=1)}
    return st.fixed_dictionaries(both)


def entry(multinode: bool) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "image": st.sampled_from(["i/a:1", "i/b:2"]),
            "model": st.just("m/m"),
            "model-prefix": st.sampled_from(["m", "n"]),
            "runner": st.sampled_from(["cluster:x", "cluster:y"]),
            "precision": st.sampled_from(["fp8", "fp4"]),
            "framework": st.just("dynamo-vllm"),
            "recipe": st.just("recipe.sh"),
            "multinode": st.just(multinode),
            "scenarios": scenarios(multi if multinode else single),
        }
    )


catalogues = st.lists(st.one_of(entry(False), entry(True)), min_size=1, max_size=4).map(
    lambda entries: {f"entry-{index}": data for index, data in enumerate(entries)}
)
RECIPE = """\
#!/usr/bin/env bash
set -euo pipefail
args=(--role "$ROLE" --model "$MODEL")
if [[ "$PRECISION" == fp8 ]]; then
  args+=(--fp8)
else
  args+=(--fp4)
fi
if [[ "$SPEC_DECODING" == mtp ]]; then
  args+=(--speculative-config "{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":$DRAFT_TOKENS}")
fi
exec vllm serve "${args[@]}" --tp "$TP"
"""
CURVE = {
    "model-prefix": "m",
    "method": "mtp",
    "source-run": "https://x/1",
    "measured-with": {"engine": "e", "gpu": "g", "dataset": "d", "category": "c", "output-tokens": 1},
    "sampling": {"thinking_on": {"temperature": 1.0}},
    "thinking_on": {"3": 2.5},
}


def repository(folder: Path, text: str, recipe: str = RECIPE) -> dict[tuple[str, int], str]:
    """Write a repository and return (job, concurrency) → fingerprint."""
    (folder / "benchmarks").mkdir(exist_ok=True)
    (folder / "master-config.yaml").write_text(text)
    (folder / "runners.yaml").write_text(FLEETS)
    (folder / "requirements.txt").write_text("aiperf==0.13.0\n")
    (folder / "golden_al_distribution").mkdir(exist_ok=True)
    for prefix in ("m", "n"):
        curve = json.dumps({"m": {**CURVE, "model-prefix": prefix}})
        (folder / "golden_al_distribution" / f"{prefix}_mtp.yaml").write_text(curve)
    (folder / "benchmarks" / "recipe.sh").write_text(recipe)
    (folder / "benchmarks" / "recipe.sh").chmod(0o755)
    tree = read_repository(folder)
    return {(job.id, conc): job.fingerprint(conc) for job in tree.jobs(tree.catalogue) for conc in job.concurrencies}


@settings(max_examples=60, deadline=None)
@given(catalogues)
def test_what_validates_expands_and_always_the_same(catalogue: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, fleets = Path(folder) / "c.yaml", Path(folder) / "r.yaml"
        path.write_text(json.dumps(catalogue))
        fleets.write_text(FLEETS)
        rows = expand(load_catalogue([path]), load_fleets(fleets))
        again = expand(load_catalogue([path]), load_fleets(fleets))
    mark_evals(rows)
    mark_evals(again)
    assert json.dumps(rows) == json.dumps(again)
    for row in rows:
        Row.model_validate(row)


@settings(max_examples=40, deadline=None)
@given(catalogues, st.data())
def test_edits_that_change_nothing_that_runs(catalogue: dict[str, Any], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = repository(Path(folder), yaml.safe_dump(catalogue, sort_keys=False))
        shuffled = {key: catalogue[key] for key in data.draw(st.permutations(list(catalogue)))}
        formatted = yaml.safe_dump(
            shuffled, sort_keys=data.draw(st.booleans()), default_flow_style=data.draw(st.booleans())
        )
        recipe = RECIPE.replace("exec vllm", "# a comment\n\nexec   vllm \\\n ").replace("; then", "\nthen")
        assert repository(Path(folder), "# hello\n" + formatted, recipe) == before


@settings(max_examples=40, deadline=None)
@given(catalogues, st.data())
def test_an_edit_changes_its_own_points_and_no_other(catalogue: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(list(catalogue)))
    name, value = data.draw(st.sampled_from([("image", "i/c:3"), ("model", "other/m-FP8"), ("precision", "int4")]))
    with tempfile.TemporaryDirectory() as folder:
        before = repository(Path(folder), yaml.safe_dump(catalogue))
        after = repository(Path(folder), yaml.safe_dump({**catalogue, key: {**catalogue[key], name: value}}))
        assert set(after) == set(before)
        assert {point for point in before if before[point] != after[point]} == {
            point for point in before if point[0].startswith(f"{key}.")
        }
        # one arm of the recipe: only the points that take it
        after = repository(Path(folder), yaml.safe_dump(catalogue), RECIPE.replace("--fp4", "--fp4 --more"))
        fp4 = tuple(f"{key}." for key in catalogue if catalogue[key]["precision"] == "fp4")
        assert {point for point in before if before[point] != after[point]} == {
            point for point in before if point[0].startswith(fp4)
        }


def test_the_same_tree_has_the_same_fingerprints_in_another_process_and_locale() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(PROJECT / 'scripts')!r})\n"
        "from pathlib import Path\nfrom sweepgate.plan.build import build_plan\n"
        f"print([job.fingerprints for job in build_plan(Path({str(PROJECT)!r}), ['*']).jobs])\n"
    )
    seen = set()
    for seed, locale in (("1", "C"), ("2", "tr_TR.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": f"UTC+{seed}", "HOME": f"/{seed}"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        seen.add(done.stdout)
    assert len(seen) == 1
