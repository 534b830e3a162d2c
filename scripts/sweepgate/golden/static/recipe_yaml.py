"""The servers of YAML recipes: srt-slurm's roles, and containers of Kubernetes and Dynamo graphs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path as FilePath

from sweepgate.golden.command import engine_of, trtllm_config, trtllm_forced
from sweepgate.golden.static.located import Located, load_located, merged
from sweepgate.golden.static.path import Path, Piece, Word, word
from sweepgate.golden.static.script import sites_of_text
from sweepgate.golden.static.server import site_of
from sweepgate.golden.static.site import Site

_ENGINES = {"vllm": "vllm", "sglang": "sglang", "trtllm": "trtllm", "trt": "trtllm", "atom": "atom"}
_OLD_ROLES = ("aggregated", "prefill", "decode")
# The command that stands for a role's engine: srt-slurm starts it with the role's settings as arguments.
_COMMANDS = {
    "vllm": ("vllm", "serve"),
    "sglang": ("sglang.launch_server",),
    "atom": ("atom.entrypoints.openai_server",),
}


def sites_of_yaml(source: str, folder: FilePath) -> list[Site]:
    """Return every server in the documents of a YAML recipe that speculates or is forced.

    Raises UnreadableError for what is not YAML.
    """
    sites: list[Site] = []
    for document in load_located(source):
        for recipe in _variants(document):
            model = _model(recipe)
            found = [*_roles(recipe), *_containers(recipe, folder)]
            sites += [site if site.model else replace(site, model=model) for site in found]
    return list(dict.fromkeys(sites))


def _variants(document: Located) -> Iterator[Located]:
    """Yield a recipe for each set of values that a file with `base` and overrides stands for."""
    base = document.get("base")
    over = [item for key, item in document.items() if key.startswith(("override", "zip_override"))]
    if base is None or not isinstance(base.value, dict):
        yield document
    elif over:
        yield from (merged(base, item) for item in over)
    else:
        yield base


def _model(recipe: Located) -> str | None:
    places = (("identity", "model", "repo"), ("benchmark", "env", "MODEL"), ("model", "repo"), ("model", "path"))
    texts = (recipe.text(*place) for place in places)
    return next((text.removeprefix("hf:") for text in texts if text), None)


# ---- srt-slurm ----


def _roles(recipe: Located) -> Iterator[Site]:
    shared = {**_variables(recipe.get("environment")), **_variables(recipe.get("backend", "environment"))}
    for engine, role, settings, environment in (*_new_roles(recipe), *_old_roles(recipe)):
        site = _role_site(engine, settings, {**shared, **environment})
        # A prefill worker drafts nothing that is verified there; only a length that it types counts.
        if site is not None and (role != "prefill" or site.forced_line is not None):
            yield site


_Role = tuple[str, str, Located, dict[str, Word]]


def _new_roles(recipe: Located) -> Iterator[_Role]:
    engine = _ENGINES.get(str(recipe.text("engine") or recipe.text("backend", "type")).removeprefix("dynamo-"))
    roles = recipe.get("roles")
    for name, role in roles.items() if roles is not None else ():
        own = _ENGINES.get(str(role.text("engine")), engine)
        if own is not None:
            yield own, name, role.get("args") or Located({}, role.line), _variables(role.get("env"))


def _old_roles(recipe: Located) -> Iterator[_Role]:
    backend = recipe.get("backend")
    for engine in ("vllm", "sglang", "trtllm", "atom"):
        for role in _OLD_ROLES:
            settings = None if backend is None else backend.get(f"{engine}_config", role)
            if backend is not None and settings is not None:
                yield engine, role, settings, _variables(backend.get(f"{role}_environment"))


def _role_site(engine: str, settings: Located, environment: Mapping[str, Word]) -> Site | None:
    model = settings.text("served-model-name") or settings.text("served_model_name")
    if engine == "trtllm":
        return _trtllm_site(settings, environment, model)
    words = [word(part, settings.line) for part in _COMMANDS[engine]]
    for key, item in settings.items():
        option = f"--{key.replace('_', '-')}"
        if item.value is True:
            words.append(word(option, item.line))
        elif item.value is not False and item.value is not None:
            words += [word(option, item.line), _argument(item)]
    site = site_of(engine, words, environment, Path())
    return site if site is None or site.model else replace(site, model=model)


def _argument(item: Located) -> Word:
    """Return a setting as an argument; a mapping is written as JSON whose every value knows its line."""
    if not isinstance(item.value, dict):
        return word(json.dumps(item.plain()) if isinstance(item.value, list) else str(item.value), item.line)
    pieces = [Piece("{", item.line)]
    for index, (key, value) in enumerate(item.items()):
        pieces.append(Piece(f"{', ' if index else ''}{json.dumps(key)}: {json.dumps(value.plain())}", value.line))
    return Word((*pieces, Piece("}", item.line)))


def _trtllm_site(settings: Located, environment: Mapping[str, Word], model: str | None) -> Site | None:
    config = settings.get("speculative_config")
    variables = {name: value.text for name, value in environment.items()}
    forced = trtllm_forced(variables)
    if config is None or not isinstance(config.value, dict):
        return None
    line = None if forced is None else environment[forced.knob].line
    return Site(config.line, trtllm_config(config.plain(), forced), model, line)


def _variables(item: Located | None) -> dict[str, Word]:
    """Return environment variables given as a mapping, or as a list of name and value."""
    if item is None:
        return {}
    if isinstance(item.value, list):
        pairs = [(entry.text("name"), entry.get("value")) for entry in item.value]
        return {name: word(str(value.value), value.line) for name, value in pairs if name and value is not None}
    return {name: word(str(value.value), value.line) for name, value in item.items()}


# ---- containers ----


def _containers(item: Located, folder: FilePath, outer: Mapping[str, Word] | None = None) -> Iterator[Site]:
    """Yield servers that mappings below `item` start by `command` and `args`; `env` and `envs` are inherited."""
    if isinstance(item.value, list):
        for entry in item.value:
            yield from _containers(entry, folder, outer)
    if not isinstance(item.value, dict):
        return
    environment = {**(outer or {}), **_variables(item.get("envs")), **_variables(item.get("env"))}
    words = [*_words(item.get("command")), *_words(item.get("args"))]
    if words:
        yield from _started(words, environment, folder)
    for entry in item.value.values():
        yield from _containers(entry, folder, environment)


def _words(item: Located | None) -> list[Word]:
    if item is None or isinstance(item.value, dict):
        return []
    entries = item.value if isinstance(item.value, list) else [item]
    return [word(str(entry.value), entry.line) for entry in entries if not isinstance(entry.value, dict | list)]


def _started(words: list[Word], environment: dict[str, Word], folder: FilePath) -> Iterator[Site]:
    """Yield what a container starts: its words as they are, or the shell script among them."""
    engine = engine_of([item.text for item in words])
    if engine is not None:
        site = site_of(engine, words, environment, Path())
        if site is not None:
            yield site
        return
    for item in words:
        if any(mark in item.text for mark in (" ", "\n")):
            yield from sites_of_text(item, environment, folder)
