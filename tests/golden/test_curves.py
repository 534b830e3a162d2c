"""The committed curves: their values, their schema, and every way in which a curve file can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from conftest import PROJECT

from sweepgate.errors import InputError
from sweepgate.golden.curves import FOLDER, load_curves
from sweepgate.report.golden_table import END, START, lengths_table, with_table

PUBLISHED = PROJECT.parent / "shared" / "data" / "golden"

# file → (model, thinking, lengths for 1 to 8 draft tokens), typed from the public curves.
VALUES = {
    "dsv4-pro-0813-dspark": [("deepseek-v4-pro-0813", "on", "1.84 2.51 3.01 3.36 3.61 3.77 3.73 3.47")],
    "dsv4_mtp": [
        ("deepseek-v4-pro", "on", "1.79 2.27 2.49 2.54 2.55 2.55 2.54 2.58"),
        ("deepseek-v4-pro", "off", "1.92 2.61 2.97 3.00 3.10 3.16 3.00 3.11"),
    ],
    "glm5.2_mtp": [("glm-5.2-fp8", "on", "1.84 2.50 2.99 3.33 3.61 3.78 3.91 4.06")],
    "kimik2.5_eagle3": [
        ("kimi-k2.5-nvfp4", "on", "1.83 2.43 2.88 3.24 3.46 3.62 3.71 3.77"),
        ("kimi-k2.5-nvfp4", "off", "1.80 2.33 2.75 3.06 3.25 3.43 3.46 3.51"),
    ],
    "kimik3_dspark": [("kimi-k3", "on", "1.84 2.45 2.87 3.22 3.44 3.54 3.78 3.88")],
    "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method": [
        ("kimi-k3", "on", "1.85 2.51 3.00 3.36 3.62 3.75 3.84 4.00")
    ],
    "minimaxm3_eagle3": [
        ("minimax-m3", "on", "1.78 2.38 2.83 3.11 3.35 3.45 3.53 3.74"),
        ("minimax-m3", "off", "1.84 2.52 2.93 3.41 3.59 3.57 3.85 4.06"),
    ],
    "minimaxm3_eagle3_gqa": [
        ("minimax-m3", "on", "1.79 2.39 2.78 3.02 3.21 3.30 3.52 3.51"),
        ("minimax-m3", "off", "1.83 2.46 2.97 3.29 3.72 3.76 3.75 3.93"),
    ],
    "qwen3.5_mtp": [
        ("qwen3.5-397b-a17b-nvfp4", "on", "1.93 2.73 3.39 3.97 4.41 4.80 5.04 5.21"),
        ("qwen3.5-397b-a17b-nvfp4", "off", "1.92 2.70 3.33 3.83 4.20 4.48 4.73 4.71"),
    ],
}
GOOD = """\
m-1:
  model-prefix: m
  method: mtp
  source-run: https://github.com/o/r/actions/runs/1
  measured-with: { engine: vllm, gpu: b300, dataset: speed-bench, category: coding, output-tokens: 4096 }
  sampling: { thinking_on: { temperature: 1.0 } }
  thinking_on: { 1: 1.5, 2: 2.0 }
"""


def test_every_committed_value() -> None:
    committed = {
        (Path(item.file).stem, item.model, thinking): item.curve.lengths(thinking)
        for item in load_curves(PROJECT)
        for thinking in ("on", "off")
        if item.curve.lengths(thinking)
    }
    expected = {
        (name, model, thinking): {tokens: float(text) for tokens, text in enumerate(lengths.split(), 1)}
        for name, modes in VALUES.items()
        for model, thinking, lengths in modes
    }
    assert committed == expected


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published curves are not on this machine")
def test_a_plain_yaml_reader_sees_the_published_values() -> None:
    for path in PUBLISHED.glob("*.yaml"):
        ours = yaml.safe_load((PROJECT / FOLDER / path.name).read_text())
        for model, modes in yaml.safe_load(path.read_text()).items():
            for mode, lengths in modes.items():
                assert ours[model][mode] == lengths, (path.name, model, mode)


def write(root: Path, **files: str) -> Path:
    (root / FOLDER).mkdir()
    for name, text in files.items():
        (root / FOLDER / f"{name}.yaml").write_text(text)
    return root


def test_a_good_file(tmp_path: Path) -> None:
    (item,) = load_curves(write(tmp_path, m_mtp=GOOD))
    assert (item.file, item.model, item.curve.lengths("on")) == (f"{FOLDER}/m_mtp.yaml", "m-1", {1: 1.5, 2: 2.0})
    assert item.curve.draft_sample_method == "greedy"


BAD = {
    "below one": (GOOD.replace("1: 1.5", "1: 0.9"), 7, "greater than or equal to 1"),
    "above draft tokens + 1": (GOOD.replace("2: 2.0", "2: 3.01"), 1, "3.01 tokens a step are impossible with 2"),
    "zero draft tokens": (GOOD.replace("1: 1.5", "0: 1.0"), 7, "pattern"),
    "too many draft tokens": (GOOD.replace("1: 1.5", "17: 1.5"), 7, "pattern"),
    "not measured": (GOOD.replace("1: 1.5", "1: N/A"), 7, "valid number"),
    "not finite": (GOOD.replace("1: 1.5", "1: .nan"), 7, "finite number"),
    "no sampling": (
        GOOD.replace("sampling: { thinking_on: { temperature: 1.0 } }", "sampling: {}"),
        1,
        "needs lengths",
    ),
    "sampling of another mode": (GOOD.replace("{ thinking_on: { temp", "{ thinking_off: { temp"), 1, "needs lengths"),
    "no length": (GOOD.replace("  thinking_on: { 1: 1.5, 2: 2.0 }\n", ""), 1, "needs lengths"),
    "no source": (GOOD.replace("  source-run: https://github.com/o/r/actions/runs/1\n", ""), 1, "required key"),
    "unknown method": (GOOD.replace("method: mtp", "method: medusa"), 3, "not an allowed value"),
    "unknown sampler": (GOOD.replace("  method", "  draft-sample-method: warm\n  method"), 3, "not an allowed value"),
    "unknown key": (GOOD.replace("  method", "  colour: red\n  method"), 3, "unknown key"),
    "not a mapping": ("- 1\n", None, "must be a mapping"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_file(tmp_path: Path, fault: str) -> None:
    text, line, words = BAD[fault]
    with pytest.raises(InputError) as error:
        load_curves(write(tmp_path, m_mtp=text))
    problem = error.value.problems[0]
    assert words in problem.message
    assert str(problem.file).endswith(f"{FOLDER}/m_mtp.yaml")
    assert problem.line == line


def test_two_curves_for_one_lookup_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"are in golden_al_distribution/a\.yaml"):
        load_curves(write(tmp_path, a=GOOD, b=GOOD))
    other = tmp_path / "other"
    other.mkdir()
    assert len(load_curves(write(other, a=GOOD, b=GOOD.replace("method: mtp", "method: eagle3")))) == 2


def test_the_table_is_made_from_the_files(tmp_path: Path) -> None:
    curves = load_curves(write(tmp_path, m_mtp=GOOD))
    assert lengths_table(curves).splitlines()[2] == (
        "| [m-1](m_mtp.yaml) | mtp | built in | greedy, standard | on | 1.50 | 2.00 | "
        "[run](https://github.com/o/r/actions/runs/1) |"
    )
    text = f"a\n{START}\nstale\n{END}\nb\n"
    once = with_table(text, curves)
    assert once.startswith("a\n")
    assert once.endswith("\nb\n")
    assert "stale" not in once
    assert with_table(once, curves) == once
