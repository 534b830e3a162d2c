"""The aiperf command that asks SPEED-Bench's questions, each once, with the model's own sampling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sweepgate.golden.curves import Sampling
from sweepgate.measure.client import SEED
from sweepgate.speedbench.cells import AcceptancePlan, Cell
from sweepgate.speedbench.prompts import Prompts


def client_arguments(plan: AcceptancePlan, cell: Cell, prompts: Prompts, url: str, output: Path) -> list[str]:
    """Return the arguments after `aiperf` for one cell."""
    collection = plan.collection
    return [
        "profile",
        "--model", collection.model,
        "--tokenizer", collection.model,
        "--url", url,
        "--endpoint-type", "chat",
        "--streaming",
        "--extra-inputs", json.dumps(request_options(plan.sampling(cell), plan.output_tokens)),
        "--input-file", str(prompts.path.absolute()),
        "--custom-dataset-type", f"speed_bench_{plan.category}",
        "--dataset-sampling-strategy", "sequential",
        "--request-count", str(prompts.requests),
        "--concurrency", str(collection.conc),
        "--random-seed", str(SEED),
        "--output-artifact-dir", str(output.absolute()),
        "--export-level", "records",
        "--ui", "none",
        "--no-gpu-telemetry",
        "--no-server-metrics",
    ]  # fmt: skip


def request_options(sampling: Sampling, output_tokens: int) -> dict[str, Any]:
    """Return what every request says: sampling, the chat template's switches, and the bound of its answer."""
    options = sampling.model_dump(exclude_none=True)
    switches = options.pop("chat_template_kwargs")
    return {
        **options,
        **({"chat_template_kwargs": switches} if switches else {}),
        "max_completion_tokens": output_tokens,
    }
