"""Tests of a recipe: `[[ ]]` and `[ ]`, comparing texts, patterns and whole numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable

from sweepgate.fingerprint.arithmetic import integer
from sweepgate.fingerprint.state import State
from sweepgate.fingerprint.syntax import Tree, check_spacing, impure, text_of
from sweepgate.fingerprint.words import compile_fields, compile_match, compile_value

Condition = Callable[[State], bool]

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}


def compile_test(node: Tree) -> Condition:
    """Return the outcome of a test command."""
    kids = check_spacing(node, over_lines=True)
    if len(kids) != 3 or kids[0].type not in ("[[", "["):
        raise impure("has a test that the parser cannot read", node)
    return _compile(kids[1], double=kids[0].type == "[[")


def _compile(node: Tree, double: bool) -> Condition:
    if node.type == "parenthesized_expression" and double:
        kids = check_spacing(node, over_lines=True)
        if len(kids) == 3:
            return _compile(kids[1], double)
    if node.type == "unary_expression":
        return _unary(node, double)
    if node.type == "binary_expression":
        return _binary(node, double)
    value = _operand(node, double)
    return lambda state: value(state) != ""


def _operand(node: Tree, double: bool) -> Callable[[State], str]:
    if double:
        if node.type in ("word", "number") and not text_of(node).replace("_", "").replace("-", "").isalnum():
            raise impure("has a test that the parser may read differently from bash", node)
        return compile_value(node)
    fields = compile_fields(node)

    def value(state: State) -> str:
        found = fields(state)
        if len(found) != 1:
            raise impure("tests an unquoted value that is empty or several words", node)
        return found[0]

    return value


def _unary(node: Tree, double: bool) -> Condition:
    sign, operand = check_spacing(node, over_lines=True)
    if text_of(sign) in ("-n", "-z") and operand.type not in ("binary_expression", "unary_expression"):
        value, wanted = _operand(operand, double), text_of(sign) == "-n"
        return lambda state: (value(state) != "") == wanted
    if sign.type == "!" and double and operand.type in ("unary_expression", "parenthesized_expression"):
        inner = _compile(operand, double)
        return lambda state: not inner(state)
    raise impure(f"has the test {text_of(node)[:60]}", node)


def _binary(node: Tree, double: bool) -> Condition:
    left_node, sign, right_node = check_spacing(node, over_lines=True)
    name = text_of(sign)
    if name in ("&&", "||") and double:
        left, right = _compile(left_node, double), _compile(right_node, double)
        if name == "&&":
            return lambda state: left(state) and right(state)
        return lambda state: left(state) or right(state)
    negated = left_node.type == "unary_expression" and left_node.children[0].type == "!"
    if negated:
        # The parser binds `!` to the left operand; bash to the whole comparison.
        left_node = check_spacing(left_node)[1]
    compare = _comparison(left_node, name, right_node, double)
    return (lambda state: not compare(state)) if negated else compare


def _comparison(left_node: Tree, name: str, right_node: Tree, double: bool) -> Condition:
    left = _operand(left_node, double)
    if name in _NUMBERS:
        right, compare = _operand(right_node, double), _NUMBERS[name]
        return lambda state: compare(integer(left(state)), integer(right(state)))
    if name not in ("==", "=", "!="):
        raise impure(f"has the test operator {name}", left_node)
    wanted = name != "!="
    if double:
        matches = compile_match(right_node)
        return lambda state: matches(state, left(state)) == wanted
    right = _operand(right_node, double)
    return lambda state: (left(state) == right(state)) == wanted
