"""A repository with one collection, served by the stand-in engine."""

from __future__ import annotations

import json
import sys

from conftest import FAKES, FakeRepository

from sweepgate.speedbench.cells import AcceptancePlan, make_plan
from sweepgate.speedbench.collections import load_collections
from sweepgate.speedbench.prompts import Prompts, read_prompts

COLLECTIONS = """\
fake_mtp:
  model: example/Model
  model-prefix: fake
  image: example/vllm:v1
  runner: cluster:local
  precision: fp8
  framework: vllm
  recipe: single_node/speedbench/fake.sh
  tp: 1
  conc: 2
  max-model-len: 1000
  method: mtp
  sampling:
    thinking_on: { temperature: 0.6, top-p: 0.95, chat-template-kwargs: { enable_thinking: true } }
    thinking_off: { temperature: 0.7, chat-template-kwargs: { enable_thinking: false } }
"""
RECIPE = """\
#!/usr/bin/env bash
set -euo pipefail
config="{{\\"method\\":\\"mtp\\",\\"num_speculative_tokens\\":$DRAFT_TOKENS}}"
exec {python} {server} "$PORT" "$MODEL" {arguments} vllm serve --speculative-config "$config"
"""
README = "# Lengths\n<!-- table: made by scripts/golden_al.py table -->\n<!-- end of table -->\n"


def question(number: int, category: str = "coding", turns: int = 1) -> str:
    messages = [{"role": "user", "content": f"Write program {number}.{turn}"} for turn in range(turns)]
    return json.dumps({"question_id": f"{number:032x}", "category": category, "messages": messages})


class Bench(FakeRepository):
    """The repository, its prompts, and how its server accepts."""

    def serve_rates(self, arguments: str = "--accept-rates 0.8,0.5,0.3") -> None:
        """Let the recipe start the stand-in with these arguments."""
        path = self.path / "benchmarks" / "single_node" / "speedbench" / "fake.sh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RECIPE.format(python=sys.executable, server=FAKES / "server.py", arguments=arguments))
        path.chmod(0o755)

    @property
    def prompts(self) -> Prompts:
        """Three coding questions, one of two turns, and another category's."""
        return read_prompts(self.path / "qualitative.jsonl", "coding")

    def acceptance_plan(self, draft_tokens: str = "1-3", thinking: str = "on") -> AcceptancePlan:
        """Plan the collection."""
        collection = load_collections(self.path)["fake_mtp"]
        return make_plan("fake_mtp", collection, draft_tokens, thinking, "coding", 100)


def make_bench(repository: FakeRepository) -> Bench:
    """Add the collection, its recipe and its prompts to a repository."""
    made = Bench(repository.path)
    (made.path / "speedbench-config.yaml").write_text(COLLECTIONS)
    questions = [question(1), question(2, turns=2), question(3), question(4, "math")]
    (made.path / "qualitative.jsonl").write_text("\n".join(questions) + "\n")
    folder = made.path / "golden_al_distribution"
    folder.mkdir()
    (folder / "README.md").write_text(README)
    made.serve_rates()
    return made
