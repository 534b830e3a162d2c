"""One server command of a script as a site: its speculation, and the lines where that stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from sweepgate.golden.command import (
    CommandSpeculation,
    engine_of,
    model_of,
    options,
    read_command,
    trtllm_config,
    trtllm_forced,
)
from sweepgate.golden.static.path import Path, Word
from sweepgate.golden.static.site import Site

# Where a command says that it speculates, most telling first.
_ASKED = re.compile(r"^--?(?:speculative[-_]config|sc$|speculative[-_]algo|method$|extra[-_]llm|speculative)")
_CONFIG_FILES = ("--extra_llm_api_options", "--extra-engine-args", "--config", "--extra-llm-api-config")


def site_of(engine: str, words: Sequence[Word], environment: Mapping[str, Word], path: Path) -> Site | None:
    """Return a server command as a site; None when it neither speculates nor is forced."""
    argv = [item.text for item in words]
    variables = {name: value.text for name, value in environment.items()}
    found = read_command(engine, argv, variables)
    line = _asked_line(words)
    if engine == "trtllm":
        found, line = _with_config_file(argv, variables, path, found, line)
    if found is None:
        return None
    forced_line = None if found.forced is None else _forced_line(found.forced.knob, words, environment)
    return Site(
        line if line is not None else forced_line or words[0].line,
        found,
        model_of(argv[_start(argv) :]),
        forced_line,
        path.is_eval,
    )


def _start(argv: Sequence[str]) -> int:
    """Return where the server's own words start, behind numactl and its kind."""
    return max((index for index in range(len(argv)) if engine_of(argv[index : index + 2])), default=0)


def _asked_line(words: Sequence[Word]) -> int | None:
    for index, item in enumerate(words):
        if _ASKED.search(item.text):
            followed = "=" not in item.text and index + 1 < len(words)
            return words[index + 1].line if followed else item.line
    return None


def _forced_line(knob: str, words: Sequence[Word], environment: Mapping[str, Word]) -> int | None:
    if knob in environment:
        return environment[knob].line
    for index, item in enumerate(words):
        at = item.text.replace("_", "-").find(knob.replace("_", "-"))
        if at < 0:
            continue
        value = re.compile(r"[\"']?\s*[:=]\s*[\"']?(?=\S)").match(item.text, at + len(knob))
        if value is not None:
            return item.line_at(value.end())
        if item.text.startswith("-") and index + 1 < len(words):
            return words[index + 1].line
        return item.line_at(at)
    return None


def _with_config_file(
    argv: Sequence[str],
    variables: Mapping[str, str],
    path: Path,
    found: CommandSpeculation | None,
    line: int | None,
) -> tuple[CommandSpeculation | None, int | None]:
    """Return TensorRT-LLM's speculation from the configuration file that its command names, where the script wrote
    it."""
    for name in options(argv, *_CONFIG_FILES):
        written = path.files.get(name)
        config = _speculative_config(written.text) if written is not None else None
        if written is not None and config is not None:
            at = written.text.find("speculative_config")
            return trtllm_config(config, trtllm_forced(variables)), written.line_at(at)
    return found, line


def _speculative_config(source: str) -> dict[str, Any] | None:
    try:
        parsed = yaml.safe_load(source)
    except yaml.YAMLError:
        return None
    config = parsed.get("speculative_config") if isinstance(parsed, dict) else None
    return config if isinstance(config, dict) else None
