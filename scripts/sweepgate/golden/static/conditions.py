"""Conditions of a bash script: what is known decides, and what only the environment knows is tried both ways."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fnmatch import fnmatchcase

from sweepgate.fingerprint.syntax import Tree, text_of
from sweepgate.golden.command import unknown, unknown_names
from sweepgate.golden.static.path import Path
from sweepgate.golden.static.words import text

Answers = list[tuple[bool, Path]]

_NUMERIC: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}
# What has an opposite is asked once: `-gt 4` is the other answer to `-le 4`.
_OPPOSITE = {"-gt": "-le", "-ge": "-lt", "-ne": "-eq", "!=": "=="}


def decide(node: Tree, path: Path) -> Answers:
    """Return each answer that a condition can have on a path, with the path that goes on from there."""
    kind = node.type
    kids = [child for child in node.children if child.type != "comment"]
    if kind == "test_command":
        return decide(kids[1], path) if len(kids) == 3 else _ask(" ".join(text_of(node).split()), path)
    if kind in ("parenthesized_expression", "compound_statement", "subshell") and len(kids) == 3:
        return decide(kids[1], path)
    if kind == "negated_command" or (kind == "unary_expression" and kids[0].type == "!"):
        return [(not answer, other) for answer, other in decide(kids[1], path)]
    if kind in ("list", "binary_expression") and kids[1].type in ("&&", "||", "-a", "-o"):
        return _both(kids[0], kids[2], kids[1].type in ("&&", "-a"), path)
    if kind == "binary_expression":
        return _compare(kids[0], text_of(kids[1]), kids[2], path)
    if kind == "unary_expression" and text_of(kids[0]) in ("-n", "-z"):
        answers = _equal(text(kids[1], path, asking=True).text, "", path)
        return answers if text_of(kids[0]) == "-z" else [(not answer, other) for answer, other in answers]
    if kind == "command":
        return _command(node, path)
    return _ask(" ".join(text_of(node).split()), path)


def _both(left: Tree, right: Tree, all_of: bool, path: Path) -> Answers:
    found: Answers = []
    for answer, other in decide(left, path):
        found += decide(right, other) if answer == all_of else [(answer, other)]
    return found


def _command(node: Tree, path: Path) -> Answers:
    source = text_of(node).strip().strip('"')
    if source in ("true", ":", "false"):
        return [(source != "false", path)]
    if re.fullmatch(r"\$\{?\w+(?::?-\w*)?\}?", source):
        # `if $EVAL_ONLY; then` runs the command that the variable names: true or false.
        name = node.children[0].children[0] if node.children[0].children else node.children[0]
        return _equal(text(name, path, asking=True).text, "true", path)
    return _ask(" ".join(text_of(node).split()), path)


def _compare(left: Tree, sign: str, right: Tree, path: Path) -> Answers:
    first, second = text(left, path, asking=True).text, text(right, path, asking=True).text
    negated = sign in ("!=", "-ne")
    if sign in ("=", "==", "!=", "-eq", "-ne"):
        if re.search(r"[*?]", second) and right.type in ("word", "extglob_pattern", "concatenation", "regex"):
            if not unknown_names(first):
                answers: Answers = [(fnmatchcase(first, second), path)]
            else:
                answers = _ask(f"{first} == {second}", path)
        else:
            answers = _equal(first, second, path)
        return [(answer != negated, other) for answer, other in answers]
    if sign in _NUMERIC and re.fullmatch(r"-?\d+", first) and re.fullmatch(r"-?\d+", second):
        return [(_NUMERIC[sign](int(first), int(second)), path)]
    if sign in _OPPOSITE:
        answers = _ask(f"{first} {_OPPOSITE[sign]} {second}", path)
        return [(not answer, other) for answer, other in answers]
    return _ask(f"{first} {sign} {second}", path)


def equal_to(subject: str, pattern: str, path: Path) -> Answers:
    """Return the answers to whether a text matches an arm of `case`."""
    if not unknown_names(subject):
        return [(fnmatchcase(subject, pattern), path)]
    if set(pattern) == {"*"}:
        return [(True, path)]
    if re.search(r"[*?\[]", pattern):
        return _ask(f"{subject} == {pattern}", path)
    return _equal(subject, pattern, path)


def _equal(first: str, second: str, path: Path) -> Answers:
    """Return the answers to whether two texts are equal; an answer about one variable is remembered as its value."""
    if not unknown_names(first) and not unknown_names(second):
        return [(first == second, path)]
    for subject, other in ((first, second), (second, first)):
        names = unknown_names(subject)
        if len(names) == 1 and subject == unknown(names[0]) and not unknown_names(other):
            return _of_variable(names[0], other, path)
    return _ask(f"{first} == {second}", path)


def _of_variable(name: str, value: str, path: Path) -> Answers:
    if name in path.equal:
        return [(path.equal[name] == value, path)]
    if value in path.unequal.get(name, ()):
        return [(False, path)]
    yes, no = path.copy(), path.copy()
    yes.take(name, value, equal=True)
    no.take(name, value, equal=False)
    return [(True, yes), (False, no)]


def _ask(question: str, path: Path) -> Answers:
    """Return both answers to what cannot be known; the same question has the same answer later on a path."""
    if question in path.answers:
        return [(path.answers[question], path)]
    yes, no = path.copy(), path.copy()
    yes.answers[question] = True
    no.answers[question] = False
    return [(True, yes), (False, no)]
