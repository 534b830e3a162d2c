"""What a server command says about speculation: method, draft tokens, samplers, draft model, and a forced length.

Arguments may hold parts that are not known before a script runs: `unknown(NAME)` stands for a variable's text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sweepgate.golden.render import ATOM_LENGTH, SGLANG_LENGTH, SGLANG_METHOD, SGLANG_TOKENS, TRTLLM_ACCEPTED

ATOM_RATE = "--spec-decode-acceptance-rate"
_UNKNOWN = re.compile("\ue000([^\ue001]*)\ue001")
_PROGRAMS = {
    "vllm": re.compile(r"(?:^|/)vllm$|^vllm\.|^dynamo\.vllm"),
    "sglang": re.compile(r"(?:^|/)sglang$|^sglang\.|^dynamo\.sglang"),
    "trtllm": re.compile(r"(?:^|/)trtllm-serve$|^tensorrt_llm\.|^dynamo\.trtllm"),
    "atom": re.compile(r"^atom\.|(?:^|/)atom$"),
}
# The words that follow a program which also has other subcommands; only these serve.
_SERVING = {"vllm": "serve", "sglang": "serve"}
# SGLang names MTP heads by the algorithm that runs them.
_SGLANG_METHODS = {"EAGLE": "mtp", "NEXTN": "mtp", "EAGLE3": "eagle3", "DSPARK": "dspark", "STANDALONE": "draft_model"}


def unknown(name: str) -> str:
    """Return the text that stands for a variable whose value is not known."""
    return f"\ue000{name}\ue001"


def unknown_names(text: str) -> list[str]:
    """Return the variables in a text whose values are not known."""
    return _UNKNOWN.findall(text)


@dataclass(frozen=True)
class Forced:
    """A forced acceptance: the `knob` that holds it, what stands there, and the length that this means (None where it
    is not a number). `flaw` is what keeps the engine from doing what was meant."""

    knob: str
    text: str
    length: float | None
    flaw: str | None = None


@dataclass(frozen=True)
class CommandSpeculation:
    """Speculation as a command asks for it; None where it does not say. `open_names` are the variables that decide
    method or draft tokens and whose values are not known. `flaw`: why the command cannot be what was meant."""

    engine: str
    method: str | None
    draft_tokens: int | None
    draft_sample_method: str | None = None
    rejection_sample_method: str | None = None
    draft_model: str | None = None
    forced: Forced | None = None
    open_names: tuple[str, ...] = ()
    flaw: str | None = None


def engine_of(argv: Sequence[str]) -> str | None:
    """Return the engine whose server `argv` starts; None for any other command."""
    for index, word in enumerate(argv[:8]):
        for engine, program in _PROGRAMS.items():
            if program.search(word):
                module = "." in word
                following = argv[index + 1] if index + 1 < len(argv) else ""
                if module or engine not in _SERVING or following == _SERVING[engine]:
                    return engine
    return None


def model_of(argv: Sequence[str]) -> str | None:
    """Return the model that a server command names, where it is known."""
    for value in [*options(argv, "--served-model-name"), *options(argv, "--model", "--model-path", "--model-tag")]:
        if not unknown_names(value):
            return value
    for index, word in enumerate(argv[:-1]):
        if word == "serve" and not unknown_names(argv[index + 1]) and not argv[index + 1].startswith("-"):
            return argv[index + 1]
    return None


def read_command(engine: str, argv: Sequence[str], environment: Mapping[str, str]) -> CommandSpeculation | None:
    """Return the speculation of a server command of `engine`; None when it asks for none and forces nothing."""
    return _READERS[engine](argv, environment)


def options(argv: Sequence[str], *names: str) -> list[str]:
    """Return the values of an option, in order: `--name value` or `--name=value`; `-` and `_` in names are alike."""
    wanted = {_plain(name) for name in names}
    found = []
    for index, word in enumerate(argv):
        name, sign, value = word.partition("=")
        if word.startswith("-") and _plain(name) in wanted:
            if sign:
                found.append(value)
            elif index + 1 < len(argv):
                found.append(argv[index + 1])
    return found


def _plain(name: str) -> str:
    return name.lstrip("-").replace("_", "-")


def _last(argv: Sequence[str], *names: str) -> str | None:
    return next(iter(reversed(options(argv, *names))), None)


def _number(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None


def _whole(text: object) -> int | None:
    number = _number(text)
    return int(number) if number is not None and number == int(number) else None


def _open(*texts: object) -> tuple[str, ...]:
    return tuple(name for text in texts if text is not None for name in unknown_names(str(text)))


def _known(text: object) -> str | None:
    return None if text is None or unknown_names(str(text)) else str(text)


# ---- vLLM ----


def _vllm(argv: Sequence[str], _environment: Mapping[str, str]) -> CommandSpeculation | None:
    text = _last(argv, "--speculative-config", "-sc")
    config: dict[str, Any] = {}
    if text is not None:
        parsed = json_object(text)
        if parsed is None:
            names = _open(text)
            flaw = None if names else "--speculative-config is not JSON"
            return CommandSpeculation("vllm", None, None, open_names=names, flaw=flaw)
        config |= parsed
    config |= dict(_dotted(argv, "--speculative-config"))
    if not config:
        return None
    return vllm_config(config)


def vllm_config(config: Mapping[str, Any]) -> CommandSpeculation:
    """Return the speculation of vLLM's speculative configuration."""
    method, tokens = config.get("method"), config.get("num_speculative_tokens")
    rejection = _known(config.get("rejection_sample_method"))
    return CommandSpeculation(
        "vllm",
        _vllm_method(_known(method)),
        _whole(tokens),
        _known(config.get("draft_sample_method")),
        None if rejection == "synthetic" else rejection,
        _known(config.get("model")),
        _vllm_forced(config),
        _open(method, tokens),
    )


def _vllm_method(method: str | None) -> str | None:
    """vLLM also takes a model's own name for its MTP head, such as `deepseek_mtp`."""
    return "mtp" if method is not None and method.endswith("_mtp") else method


def _vllm_forced(config: Mapping[str, Any]) -> Forced | None:
    synthetic = config.get("rejection_sample_method") == "synthetic"
    length, rates = config.get("synthetic_acceptance_length"), config.get("synthetic_acceptance_rates")
    if length is not None:
        flaw = None if synthetic else "is ignored without rejection_sample_method synthetic"
        return Forced("synthetic_acceptance_length", str(length), _number(length), flaw)
    if rates is not None:
        numbers = [_number(rate) for rate in rates] if isinstance(rates, list) else [None]
        # The schedule itself, not its mean: the curves fix the mean and the engines its minimum-variance schedule.
        total = None if None in numbers else 1 + sum(number for number in numbers if number is not None)
        return Forced("synthetic_acceptance_rates", str(rates), total, "give synthetic_acceptance_length, not rates")
    if synthetic:
        return Forced("rejection_sample_method", "synthetic", None, "lacks synthetic_acceptance_length")
    return None


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in `text`, unknown parts as strings; None when it is not one."""
    pieces, quoted, index = [], False, 0
    while index < len(text):
        mark = _UNKNOWN.match(text, index)
        if mark:
            pieces.append(mark[0] if quoted else json.dumps(mark[0], ensure_ascii=False))
            index = mark.end()
            continue
        quoted ^= text[index] == '"' and (index == 0 or text[index - 1] != "\\")
        pieces.append(text[index])
        index += 1
    try:
        parsed = json.loads("".join(pieces))
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _dotted(argv: Sequence[str], option: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys given one by one: `--speculative-config.method mtp`."""
    for index, word in enumerate(argv):
        name, sign, value = word.partition("=")
        if _plain(name).startswith(f"{_plain(option)}."):
            key = name.split(".", 1)[1]
            yield key, value if sign else (argv[index + 1] if index + 1 < len(argv) else "")


# ---- SGLang ----


def _sglang(argv: Sequence[str], environment: Mapping[str, str]) -> CommandSpeculation | None:
    algorithm = _last(argv, "--speculative-algorithm", "--speculative-algo")
    forced = sglang_forced(environment)
    if algorithm is None:
        return None if forced is None else CommandSpeculation("sglang", None, None, forced=forced)
    steps = _last(argv, "--speculative-num-steps")
    tokens = _last(argv, "--speculative-num-draft-tokens")
    block = _last(argv, "--speculative-dspark-block-size")
    return sglang_settings(
        {
            "speculative-algorithm": algorithm,
            "speculative-num-steps": steps,
            "speculative-num-draft-tokens": tokens,
            "speculative-dspark-block-size": block,
            "speculative-eagle-topk": _last(argv, "--speculative-eagle-topk"),
            "speculative-draft-model-path": _last(argv, "--speculative-draft-model-path"),
        },
        forced,
    )


def sglang_settings(settings: Mapping[str, Any], forced: Forced | None) -> CommandSpeculation:
    """Return the speculation of SGLang's server arguments, given by name without the dashes."""
    algorithm = settings.get("speculative-algorithm")
    block, steps = settings.get("speculative-dspark-block-size"), settings.get("speculative-num-steps")
    verified, topk = settings.get("speculative-num-draft-tokens"), settings.get("speculative-eagle-topk")
    drafted = _whole(block if block is not None else steps)
    # A step verifies the draft tokens and one of the target's own.
    from_verified = None if _whole(verified) is None else int(str(verified)) - 1
    flaw = None
    if drafted is not None and from_verified is not None and drafted != from_verified and _whole(topk) in (None, 1):
        flaw = f"drafts {drafted} tokens in a chain but verifies {verified}; {drafted + 1} are due"
    elif forced is not None and _whole(topk) not in (None, 1):
        flaw = f"forces acceptance with eagle-topk {topk}; real-draft-token needs 1"
    counts = [value for value in (block, steps, verified) if value is not None]
    return CommandSpeculation(
        "sglang",
        _SGLANG_METHODS.get(str(algorithm).upper(), _known(algorithm)),
        drafted if drafted is not None else from_verified,
        draft_model=_known(settings.get("speculative-draft-model-path")),
        forced=forced,
        open_names=_open(algorithm, *counts),
        flaw=flaw,
    )


def sglang_forced(environment: Mapping[str, str]) -> Forced | None:
    """Return what SGLang's variables force."""
    text = environment.get(SGLANG_LENGTH)
    if text is None or (_number(text) or 0) < 0:
        return None
    method, tokens = environment.get(SGLANG_METHOD), environment.get(SGLANG_TOKENS)
    flaw = None
    if method not in (None, "match-expected"):
        flaw = f"{SGLANG_METHOD} is {method}; match-expected is due"
    elif tokens != "real-draft-token":
        flaw = f"{SGLANG_TOKENS} is {tokens or 'not set, which means fixed'}; real-draft-token is due"
    return Forced(SGLANG_LENGTH, text, _number(text), flaw)


# ---- TensorRT-LLM and ATOM ----


def _trtllm(_argv: Sequence[str], environment: Mapping[str, str]) -> CommandSpeculation | None:
    """Its speculation is in a configuration file, so the command alone shows only what is forced."""
    forced = trtllm_forced(environment)
    return None if forced is None else CommandSpeculation("trtllm", None, None, forced=forced)


def trtllm_config(config: Mapping[str, Any], forced: Forced | None) -> CommandSpeculation:
    """Return the speculation of TensorRT-LLM's `speculative_config`."""
    kind = str(config.get("decoding_type", "")).lower()
    tokens = config.get("num_nextn_predict_layers", config.get("max_draft_len"))
    model = config.get("speculative_model_dir", config.get("speculative_model"))
    method = {"mtp": "mtp", "eagle3": "eagle3", "eagle": "eagle3", "draft_target": "draft_model"}.get(
        kind, kind or None
    )
    return CommandSpeculation("trtllm", method, _whole(tokens), draft_model=_known(model), forced=forced)


def trtllm_forced(environment: Mapping[str, str]) -> Forced | None:
    """Return what TensorRT-LLM's variable forces; it counts draft tokens only."""
    text = environment.get(TRTLLM_ACCEPTED)
    if text is None:
        return None
    accepted = _number(text)
    return Forced(TRTLLM_ACCEPTED, text, None if accepted is None else round(accepted + 1, 6))


def _atom(argv: Sequence[str], _environment: Mapping[str, str]) -> CommandSpeculation | None:
    method, tokens = _last(argv, "--method"), _last(argv, "--num-speculative-tokens")
    length, rate = _last(argv, ATOM_LENGTH), _last(argv, ATOM_RATE)
    if method is None and length is None and rate is None:
        return None
    forced = None
    if length is not None:
        flaw = None if rate is None else f"{ATOM_RATE} is given too; ATOM takes one of them"
        forced = Forced(ATOM_LENGTH, length, _number(length), flaw)
    elif rate is not None:
        share, drafted = _number(rate), _whole(tokens)
        known = share is not None and drafted is not None
        forced = Forced(ATOM_RATE, rate, round(1 + (share or 0) * (drafted or 0), 4) if known else None)
    model = _known(_last(argv, "--draft-model"))
    return CommandSpeculation(
        "atom", _known(method), _whole(tokens), draft_model=model, forced=forced, open_names=_open(method, tokens)
    )


_READERS: dict[str, Callable[[Sequence[str], Mapping[str, str]], CommandSpeculation | None]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "trtllm": _trtllm,
    "atom": _atom,
}
