#!/usr/bin/env python3
"""Make the sample trace set: eight invented coding sessions, small enough for the embedded engine.

A session grows its context by a few 64-token blocks a turn, as an agent that reads tool output does, so most of each
prompt is found in the prefix cache; every second session sends a subagent with a context of its own. All numbers come
from seeded generators: running this again writes the same files.

example: benchmarks/traces/make_sample.py
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

BLOCK_TOKENS = 64
SESSIONS = 8
# System prompt and tool definitions, shared by the turns of a session.
PREFIX_BLOCKS = 12
# What a recorded API call is taken to have lasted, in seconds.
CALL_SECONDS = 0.4


def session(number: int) -> dict[str, Any]:
    """Return one session in the weka trace format."""
    dice = random.Random(1000 + number)  # noqa: S311 - reproducible, not secret
    blocks = list(range(1, PREFIX_BLOCKS + 1))
    clock = 0.0
    requests: list[dict[str, Any]] = []
    turns = dice.randint(6, 9)
    for turn in range(turns):
        think = 0.0 if turn == 0 else round(dice.uniform(0.1, 0.6), 2)
        blocks += range(len(blocks) + 1, len(blocks) + 1 + dice.randint(1, 5))
        clock += think
        requests.append(request(clock, blocks, dice.choice([16, 24, 32, 48, 64, 96]), think, turn == turns - 1))
        clock += CALL_SECONDS
        if turn == 2 and number % 2 == 0:
            requests.append(subagent(clock))
            clock += 1.5
    return {
        "id": f"sample_{number:02d}",
        "models": ["sample"],
        "block_size": BLOCK_TOKENS,
        "hash_id_scope": "local",
        "tool_tokens": 8 * BLOCK_TOKENS,
        "system_tokens": 4 * BLOCK_TOKENS,
        "requests": requests,
    }


def subagent(start: float) -> dict[str, Any]:
    """Return a subagent of three calls whose context starts afresh."""
    blocks = list(range(5000, 5008))
    calls = []
    for call in range(3):
        blocks += range(blocks[-1] + 1, blocks[-1] + 3)
        calls.append(request(start + call * 0.5, blocks, 24, 0.1, call == 2))
    return {
        "t": round(start, 2),
        "type": "subagent",
        "agent_id": "agent_001",
        "subagent_type": "Explore",
        "duration_ms": 1500,
        "total_tokens": sum(call["in"] + call["out"] for call in calls),
        "tool_use_count": 2,
        "status": "completed",
        "models": ["sample"],
        "tool_tokens": 4 * BLOCK_TOKENS,
        "system_tokens": 4 * BLOCK_TOKENS,
        "requests": calls,
    }


def request(start: float, blocks: list[int], output: int, think: float, last: bool) -> dict[str, Any]:
    """Return one streaming call whose prompt is exactly `blocks`."""
    return {
        "t": round(start, 2),
        "type": "s",
        "model": "sample",
        "in": len(blocks) * BLOCK_TOKENS,
        "out": output,
        "hash_ids": list(blocks),
        "stop": "end_turn" if last else "tool_use",
        "think_time": think,
    }


if __name__ == "__main__":
    folder = Path(__file__).parent / "sample"
    folder.mkdir(exist_ok=True)
    for number in range(SESSIONS):
        (folder / f"sample_{number:02d}.json").write_text(json.dumps(session(number)) + "\n")
