"""Which processes serve a row, and when a deployment is complete."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_recipe import POOLS, ROW

from sweepgate.config.catalogue import FRAMEWORKS
from sweepgate.engines import tiny_model
from sweepgate.engines.registry import ENGINES, engine_for
from sweepgate.errors import InputError
from sweepgate.matrix.row import Row


def instance(component: str, endpoint: str = "generate") -> dict[str, str]:
    return {"component": component, "endpoint": endpoint}


DISAGG = {**POOLS, "framework": "dynamo-vllm", "disagg": True, "decode": {"num-worker": 2, "tp": 1}}
AGGREGATED = {
    **POOLS,
    "framework": "dynamo-vllm",
    "prefill": {"num-worker": 2, "tp": 1},
    "decode": {"num-worker": 0, "tp": 1},
}
SINGLE = {**ROW, "framework": "dynamo-mocker"}
HEALTH = [
    (SINGLE, [], "only 0 of 1 backend workers registered"),
    (SINGLE, [instance("backend")], None),
    (SINGLE, [instance("backend", "worker_kv_query")], "only 0 of 1 backend workers registered"),
    (DISAGG, [instance("prefill"), instance("backend")], "only 1 of 2 backend workers registered"),
    (DISAGG, [instance("backend"), instance("backend")], "only 0 of 1 prefill workers registered"),
    (DISAGG, [instance("prefill"), instance("backend"), instance("backend")], None),
    (AGGREGATED, [instance("backend")], "only 1 of 2 backend workers registered"),
    (AGGREGATED, [instance("backend"), instance("backend")], None),
]


@pytest.mark.parametrize(("row", "instances", "missing"), HEALTH)
def test_dynamo_counts_its_workers(row: dict[str, Any], instances: list[dict[str, str]], missing: str | None) -> None:
    parsed = Row.model_validate(row)
    assert engine_for(parsed.framework).missing(parsed, {"instances": instances}) == missing


@pytest.mark.parametrize("health", [None, [], "healthy", {}])
def test_dynamo_believes_no_other_answer(health: Any) -> None:
    row = Row.model_validate(SINGLE)
    assert engine_for("dynamo-mocker").missing(row, health) is not None


@pytest.mark.parametrize(
    ("row", "names"),
    [
        (ROW, ["server-0"]),
        (SINGLE, ["frontend-0", "worker-0"]),
        (DISAGG, ["frontend-0", "prefill-0", "decode-0", "decode-1"]),
        (AGGREGATED, ["frontend-0", "prefill-0", "prefill-1"]),
    ],
)
def test_processes(row: dict[str, Any], names: list[str]) -> None:
    parsed = Row.model_validate(row)
    processes = engine_for(parsed.framework).processes(parsed)
    assert [process.name for process in processes] == names
    assert sum(process.takes_requests for process in processes) == 1


def test_one_server_cannot_be_pools() -> None:
    with pytest.raises(InputError, match="cannot serve worker pools"):
        engine_for("sglang").processes(Row.model_validate(POOLS))


def test_every_engine_is_a_framework_that_the_catalogue_knows() -> None:
    assert set(ENGINES) <= set(FRAMEWORKS)


def test_a_framework_without_engine_is_refused() -> None:
    with pytest.raises(InputError, match="no engine serves this framework"):
        engine_for("tilert")


def test_the_tiny_model_decodes_every_id_that_the_mocker_emits(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    tiny_model.ensure(tmp_path)
    tiny_model.ensure(tmp_path)
    repository = tmp_path / "hub" / "models--sweepgate--tiny"
    snapshot = repository / "snapshots" / (repository / "refs" / "main").read_text()
    tokenizer = Tokenizer.from_file(str(snapshot / "tokenizer.json"))
    assert tokenizer.get_vocab_size() == json.loads((snapshot / "config.json").read_text())["vocab_size"] == 8192
    assert all(tokenizer.decode([index], skip_special_tokens=False) for index in range(8192))
    text = " baba cedi fofu, Hello\n<|im_end|>"
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text
    assert [path.name for path in repository.iterdir() if path.name.startswith("tmp")] == []
