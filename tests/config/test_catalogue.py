"""The catalogue's schema: good entries load, each mistake is named with file, line, key, found and allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sweepgate.config.catalogue import load_catalogue
from sweepgate.errors import InputError, Problem

SINGLE = """\
entry:
  image: example/vllm:v1
  model: example/model
  model-prefix: ex
  runner: cluster:h100-x
  precision: fp8
  framework: vllm
  multinode: false
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - { tp: 8, conc-start: 4, conc-end: 64 }
    agentic-coding:
    - dram-utilization: 0.8
      search-space:
      - { tp: 8, conc-list: [1, 4], kv-offloading: dram, kv-offload-backend: { name: native } }
"""
MULTI = """\
entry:
  image: example/vllm:v1
  model: example/model
  model-prefix: ex
  runner: h100-multinode
  precision: fp8
  framework: dynamo-vllm
  router: { name: dynamo-router, version: "1.0" }
  kv-p2p-transfer: nixl
  multinode: true
  disagg: true
  scenarios:
    fixed-seq-len:
    - isl: 1024
      osl: 1024
      search-space:
      - conc-list: [4, 8]
        prefill: { num-worker: 1, tp: 4 }
        decode: { num-worker: 2, tp: 4, ep: 4, dp-attn: true }
"""


def load(folder: Path, text: str) -> dict[str, object]:
    path = folder / "master-config.yaml"
    path.write_text(text)
    return dict(load_catalogue([path]))


@pytest.mark.parametrize("text", [SINGLE, MULTI])
def test_good_entries(tmp_path: Path, text: str) -> None:
    assert list(load(tmp_path, text)) == ["entry"]


# name → (text, what to replace, by what, line, key, part of the message, part of `allowed` or hint)
MISTAKES = {
    "a typo in a key": (
        SINGLE,
        "osl: 1024",
        "ols: 1024",
        12,
        "scenarios.fixed-seq-len[0].ols",
        "unknown key",
        "isl, osl",
    ),
    "a typo is guessed": (
        SINGLE,
        "conc-start: 4",
        "conc-strat: 4",
        14,
        "search-space[0].conc-strat",
        "unknown key",
        "did you mean `conc-start`?",
    ),
    "an unknown framework": (
        SINGLE,
        "framework: vllm",
        "framework: vlm",
        7,
        "entry.framework",
        "unknown framework 'vlm'",
        "did you mean `vllm`?",
    ),
    "a missing key": (
        SINGLE,
        "  image: example/vllm:v1\n",
        "",
        1,
        "entry.image",
        "required key is missing",
        "add `image:`",
    ),
    "text for a number": (
        SINGLE,
        "tp: 8, conc-start",
        'tp: "8", conc-start',
        14,
        "search-space[0].tp",
        "should be a valid integer",
        "",
    ),
    "true for a number": (
        SINGLE,
        "tp: 8, conc-start",
        "tp: true, conc-start",
        14,
        "search-space[0].tp",
        "should be a valid integer",
        "",
    ),
    "zero": (
        SINGLE,
        "tp: 8, conc-start",
        "tp: 0, conc-start",
        14,
        "search-space[0].tp",
        "greater than or equal to 1",
        "",
    ),
    "a number that no machine has": (
        SINGLE,
        "tp: 8, conc-start",
        "tp: 1000000001, conc-start",
        14,
        "search-space[0].tp",
        "less than or equal to",
        "",
    ),
    "more workers than a cluster has": (
        MULTI,
        "num-worker: 2",
        "num-worker: 20000",
        19,
        "search-space[0].decode.num-worker",
        "less than or equal to",
        "",
    ),
    "list and range": (SINGLE, "conc-end: 64", "conc-end: 64, conc-list: [1]", 14, "search-space[0]", "not both", ""),
    "neither list nor range": (
        SINGLE,
        ", conc-start: 4, conc-end: 64",
        "",
        14,
        "search-space[0]",
        "give conc-list, or both",
        "",
    ),
    "half a range": (SINGLE, ", conc-end: 64", "", 14, "search-space[0]", "give conc-list, or both", ""),
    "a backward range": (SINGLE, "conc-end: 64", "conc-end: 2", 14, "search-space[0]", "is above conc-end", ""),
    "a concurrency twice": (SINGLE, "[1, 4]", "[4, 4]", 18, "search-space[0]", "names a concurrency twice", ""),
    "an unknown speculation": (
        SINGLE,
        "conc-end: 64",
        "conc-end: 64, spec-decoding: mpt",
        14,
        "spec-decoding",
        "is not an allowed value",
        "mtp",
    ),
    "draft tokens alone": (
        SINGLE,
        "conc-end: 64",
        "conc-end: 64, draft-tokens: 3",
        14,
        "search-space[0]",
        "need spec-decoding",
        "",
    ),
    "dcp that does not divide": (
        SINGLE,
        "conc-end: 64",
        "conc-end: 64, dcp-size: 3",
        14,
        "search-space[0]",
        "dcp-size 3 does not divide tp 8",
        "",
    ),
    "offload without backend": (
        SINGLE,
        ", kv-offload-backend: { name: native }",
        "",
        18,
        "search-space[0]",
        "go together",
        "",
    ),
    "offload without utilization": (
        SINGLE,
        "    - dram-utilization: 0.8\n      search",
        "    - search",
        16,
        "agentic-coding[0]",
        "needs dram-utilization",
        "",
    ),
    "utilization over one": (SINGLE, "0.8", "1.8", 16, "dram-utilization", "less than or equal to 1", ""),
    "agentic off a cluster": (SINGLE, "cluster:h100-x", "h100", 5, "entry.runner", "need a `cluster:` runner", ""),
    "a recipe that climbs": (
        SINGLE,
        "multinode:",
        "recipe: a/../../x.sh\n  multinode:",
        8,
        "entry.recipe",
        "leaves the benchmarks folder",
        "",
    ),
    "a router image": (MULTI, '"1.0"', '"example/router:1.0"', 8, "router.version", "is an image reference", ""),
    "disagg without transfer": (MULTI, "  kv-p2p-transfer: nixl\n", "", 1, "entry", "disagg needs kv-p2p-transfer", ""),
    "one-sided hardware": (
        MULTI,
        "num-worker: 1, tp: 4",
        "num-worker: 1, tp: 4, hardware: h100",
        17,
        "search-space[0]",
        "hardware for both",
        "",
    ),
    "no workers": (
        MULTI,
        "num-worker: 1, tp: 4 }\n        decode: { num-worker: 2",
        "num-worker: 0, tp: 4 }\n        decode: { num-worker: 0",
        17,
        "search-space[0]",
        "no worker between them",
        "",
    ),
    "an odd key": (SINGLE, "entry:", '"en try":', 1, "en try", "is not a usable entry key", ""),
    "no scenario": (
        MULTI,
        MULTI[MULTI.index("    fixed-seq-len") :],
        "    fixed-seq-len: []\n",
        12,
        "entry.scenarios",
        "names no scenario",
        "",
    ),
    "a mapping for an entry": (SINGLE, SINGLE, "entry: 5\n", 1, "entry", "should be a valid dictionary", ""),
    "a list for a file": (SINGLE, SINGLE, "- 5\n", None, None, "must be a mapping", ""),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(tmp_path: Path, name: str) -> None:
    text, old, new, line, key, message, more = MISTAKES[name]
    assert old in text
    with pytest.raises(InputError) as caught:
        load(tmp_path, text.replace(old, new, 1))
    found = [problem for problem in caught.value.problems if message in problem.message]
    assert found, str(caught.value)
    problem: Problem = found[0]
    assert problem.file == str(tmp_path / "master-config.yaml")
    assert problem.line == line
    assert key is None or key in (problem.key or "")
    assert more in " ".join(filter(None, [problem.message, problem.allowed, problem.hint]))


def test_all_mistakes_are_listed_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(
            tmp_path, SINGLE.replace("osl: 1024", "ols: 1024") + MULTI.replace("entry:", "other:").replace("nixl", "[]")
        )
    keys = " ".join(problem.key or "" for problem in caught.value.problems)
    assert "ols" in keys
    assert "other.kv-p2p-transfer" in keys


def test_a_key_in_two_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(SINGLE)
    two.write_text(SINGLE)
    with pytest.raises(InputError, match="exists in another file"):
        load_catalogue([one, two])


@pytest.mark.parametrize(("written", "meant"), [("on", "on"), ("off", "off"), ('"on"', "on")])
def test_thinking_survives_yaml_booleans(tmp_path: Path, written: str, meant: str) -> None:
    text = SINGLE.replace("conc-end: 64", f"conc-end: 64, spec-decoding: mtp, thinking: {written}")
    entry = load_catalogue([_file(tmp_path, text)])["entry"]
    assert entry.scenarios.fixed_seq_len[0].search_space[0].thinking == meant


def _file(folder: Path, text: str) -> Path:
    path = folder / "c.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("space", "step", "expected"),
    [
        ({"conc-start": 1, "conc-end": 8}, 2, [1, 2, 4, 8]),
        ({"conc-start": 4, "conc-end": 100}, 2, [4, 8, 16, 32, 64, 100]),
        ({"conc-start": 4, "conc-end": 4}, 2, [4]),
        ({"conc-start": 1, "conc-end": 65}, 8, [1, 8, 64, 65]),
        ({"conc-list": [9, 3]}, 2, [9, 3]),
    ],
)
def test_concurrencies(tmp_path: Path, space: dict[str, object], step: int, expected: list[int]) -> None:
    data = yaml.safe_load(SINGLE)
    data["entry"]["scenarios"]["fixed-seq-len"][0]["search-space"] = [{"tp": 1, **space}]
    entry = load_catalogue([_file(tmp_path, yaml.safe_dump(data))])["entry"]
    assert entry.scenarios.fixed_seq_len[0].search_space[0].concurrencies(step) == expected
