"""Which parts of a script bear on speculation: only their conditions are followed both ways.

A recipe has a dozen conditions about parallelism, offload and paths. Followed both ways they make thousands of paths
that all speculate alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sweepgate.fingerprint.syntax import Tree, text_of, walk

SPECULATION = re.compile(
    r"(?i)specul|spec[-_](?:decode|decoding|config|conf|args|tokens|method|num|steps)|simulate_acc|synthetic|draft"
    r"|accepted_tokens|acceptance|dspark|eagle|nextn"
)
# A script may leave by `exit` when it is asked for evals, so these conditions count too.
_EVALS = r"\b(?:RUN_|IS_)?EVALS?(?:_ONLY|_MODE)?\b"
_SERVER = re.compile(
    r"vllm\s+serve|vllm\.entrypoints|sglang\.launch|sglang\s+serve|trtllm-serve|dynamo\.\w+|atom\.entry"
)
_OPTION = re.compile(r"^(?:--?spec|-sc$|--method$|--num-spec|--draft|--extra[-_]llm|--extra[-_]engine|--config$)")
_REFERENCE = re.compile(r"\$\{?[#!]?(\w+)")
_COMMENT = re.compile(r"(?m)^\s*#.*$|(?<=\s)#\s.*$")


@dataclass(frozen=True)
class Relevance:
    """The variables that bear on speculation, and the functions in which that happens."""

    names: frozenset[str]
    functions: frozenset[str]
    pattern: re.Pattern[str]

    def matters(self, node: Tree) -> bool:
        """Whether anything inside a statement bears on speculation or starts a server."""
        return bool(self.pattern.search(_code(node)))


def relevance_of(root: Tree) -> Relevance:
    """Return what bears on speculation in a script."""
    assignments = [node for node in walk(root) if node.type == "variable_assignment"]
    commands = [node for node in walk(root) if node.type == "command"]
    bearing = _bearing(assignments)
    names = bearing | _feeding(assignments, commands, bearing)
    functions: set[str] = set()
    bodies = {text_of(node.children[0]): node for node in walk(root) if node.type == "function_definition"}
    bodies = {name if name != "function" else text_of(node.children[1]): node for name, node in bodies.items()}
    while True:
        pattern = _pattern(names, functions)
        found = {name for name, node in bodies.items() if pattern.search(_code(node.children[-1]))}
        if found <= functions:
            return Relevance(frozenset(names), frozenset(functions), pattern)
        functions |= found


def _pattern(names: set[str], functions: set[str]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(names))) or r"(?!)"
    calls = "|".join(map(re.escape, sorted(functions))) or r"(?!)"
    assigned = rf"(?:^|[^\w$])(?:{words})\+?=|\$\{{?(?:{words})\["
    source = rf"{_EVALS}|{SPECULATION.pattern}|{_SERVER.pattern}|{assigned}|\b(?:{calls})\b"
    return re.compile(source.replace("(?i)", ""), re.MULTILINE | re.IGNORECASE)


def _code(node: Tree) -> str:
    return _COMMENT.sub("", text_of(node))


def _target(node: Tree) -> str:
    return text_of(node.children[0]).split("[", 1)[0]


def _bearing(assignments: list[Tree]) -> set[str]:
    """Return the variables whose text speaks of speculation, directly or through another."""
    bearing: set[str] = set()
    while True:
        found = {
            _target(node)
            for node in assignments
            if SPECULATION.search(_code(node)) or bearing & set(_REFERENCE.findall(_code(node)))
        }
        if found <= bearing:
            return bearing
        bearing |= found


def _feeding(assignments: list[Tree], commands: list[Tree], bearing: set[str]) -> set[str]:
    """Return the variables that such text is made of."""
    names: set[str] = set()
    for node in commands:
        names |= _read_by(node.children, bearing)
    while True:
        found: set[str] = set()
        for node in assignments:
            value = node.children[-1]
            if value.type == "array":
                found |= _read_by(value.children, bearing)
            elif _target(node) in bearing | names:
                found |= set(_REFERENCE.findall(_code(node)))
        if found <= names:
            return names
        names |= found


def _read_by(words: list[Tree], bearing: set[str]) -> set[str]:
    """Return the variables read in the words of a command or an array that bear on speculation."""
    names: set[str] = set()
    before = ""
    for node in words:
        source = text_of(node)
        read = set(_REFERENCE.findall(source))
        if SPECULATION.search(source) or _OPTION.search(before) or read & bearing:
            names |= read
        before = source
    return names
