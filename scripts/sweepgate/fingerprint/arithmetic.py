"""Integer arithmetic of a recipe, `$(( ))` and `(( ))`, without side effects.

Bash evaluates the text of a variable again, command substitutions inside it included; here a variable must hold a plain
decimal number.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from sweepgate.fingerprint.state import RecipeError, State
from sweepgate.fingerprint.syntax import ImpureError, Tree, check_spacing, impure, text_of

Number = Callable[[State], int]

_DECIMAL = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LIMIT = 2**63


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise RecipeError("divides by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _compared(compare: Callable[[int, int], bool]) -> Callable[[int, int], int]:
    return lambda a, b: int(compare(a, b))


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
    "<": _compared(operator.lt),
    "<=": _compared(operator.le),
    ">": _compared(operator.gt),
    ">=": _compared(operator.ge),
    "==": _compared(operator.eq),
    "!=": _compared(operator.ne),
}
_ATOMS = ("number", "variable_name", "parenthesized_expression", "simple_expansion", "expansion", "word")


def compile_arithmetic(node: Tree, checked_name: Callable[[Tree], str]) -> Number:
    """Return the value of the expression inside `$(( ))` or `(( ))`."""
    inner = check_spacing(node, over_lines=True)[1:-1]
    if len(inner) != 1:
        raise impure("has arithmetic of several expressions", node)
    return _compile(inner[0], checked_name)


def integer(text: str) -> int:
    """Return the number that a plain decimal text holds; empty is 0, as in bash."""
    if text == "":
        return 0
    if not _DECIMAL.fullmatch(text):
        raise ImpureError(f"calculates with {text[:40]!r}, which bash would evaluate", None)
    return int(text)


def _compile(node: Tree, name_of: Callable[[Tree], str]) -> Number:
    kind = node.type
    if kind == "number" or text_of(node).isdecimal():
        value = integer(text_of(node))
        return lambda state: value
    if kind == "variable_name":
        name = name_of(node)
        return lambda state: integer(state.read(name))
    if kind in ("simple_expansion", "expansion"):
        return _expanded(node, name_of)
    if kind == "parenthesized_expression":
        kids = check_spacing(node, over_lines=True)
        if len(kids) == 3:
            return _compile(kids[1], name_of)
    if kind == "unary_expression":
        return _unary(node, name_of)
    if kind == "binary_expression":
        return _binary(node, name_of)
    if kind == "ternary_expression":
        kids = check_spacing(node, over_lines=True)
        condition, yes, no = (_compile(kids[index], name_of) for index in (0, 2, 4))
        return lambda state: yes(state) if condition(state) else no(state)
    raise impure(f"has arithmetic with a {kind.replace('_', ' ')}", node)


def _expanded(node: Tree, name_of: Callable[[Tree], str]) -> Number:
    """A value that bash pastes as text: only a number without a sign reads the same pasted and evaluated."""
    kids = [kid for kid in node.children if kid.type not in ("${", "}", "$")]
    if len(kids) != 1 or kids[0].type != "variable_name" or not text_of(node).startswith("$"):
        raise impure("has arithmetic with an expansion", node)
    name = name_of(kids[0])

    def value(state: State) -> int:
        text = state.read(name)
        if not text.isdecimal():
            raise ImpureError(f"pastes {text[:40]!r} into arithmetic", None)
        return integer(text)

    return value


def _unary(node: Tree, name_of: Callable[[Tree], str]) -> Number:
    sign, operand = check_spacing(node, over_lines=True)
    # The parser binds a sign to a whole product, bash to its first factor: the value is the same.
    product = sign.type == "-" and operand.type == "binary_expression" and operand.children[1].type in ("*", "/", "%")
    if sign.type not in ("-", "+", "!") or not (operand.type in _ATOMS or product):
        raise impure(f"has the arithmetic operator {text_of(sign)}", node)
    value = _compile(operand, name_of)
    if sign.type == "!":
        return lambda state: int(not value(state))
    return value if sign.type == "+" else lambda state: -value(state)


def _binary(node: Tree, name_of: Callable[[Tree], str]) -> Number:
    left_node, sign, right_node = check_spacing(node, over_lines=True)
    left, right = _compile(left_node, name_of), _compile(right_node, name_of)
    if sign.type == "&&":
        return lambda state: int(bool(left(state)) and bool(right(state)))
    if sign.type == "||":
        return lambda state: int(bool(left(state)) or bool(right(state)))
    calculate = _BINARY.get(sign.type)
    if calculate is None:
        raise impure(f"has the arithmetic operator {text_of(sign)}", node)

    def value(state: State) -> int:
        result = calculate(left(state), right(state))
        if not -_LIMIT <= result < _LIMIT:
            raise ImpureError("calculates beyond 64 bits", None)
        return result

    return value
