"""Words of a recipe as functions of its state: quoting, parameter expansion, field splitting."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sweepgate.fingerprint.arithmetic import compile_arithmetic
from sweepgate.fingerprint.state import RecipeError, State
from sweepgate.fingerprint.syntax import Tree, check_contiguous, impure, source_between, text_of

Value = Callable[[State], str]
Fields = Callable[[State], list[str]]

# Read by bash itself or different on every machine: what they hold is not known before the recipe runs.
_SPECIAL = re.compile(
    r"(?:BASH.*|COMP_.*|DIRSTACK|E?UID|PPID|EPOCH.*|FUNC.*|GROUPS|HIST.*|HOME|HOSTNAME|HOSTTYPE|IFS|LINENO|LOGNAME|"
    r"MACHTYPE|OLDPWD|OPT.*|OSTYPE|PATH|PIPESTATUS|PROMPT_COMMAND|PS\d|PWD|RANDOM|READLINE.*|REPLY|SECONDS|SHELL|"
    r"SHELLOPTS|SHLVL|SRANDOM|TERM|TMPDIR|USER|ENV|GLOBIGNORE|POSIXLY_CORRECT|CDPATH|EXECIGNORE|FIGNORE|TIMEFORMAT|_)"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"(?:[A-Za-z0-9_./:,=@%+\-^]|\\[^\n])*")
_UNSPLIT = re.compile(r"[^ \t\n*?\[\]\\]*")
_TILDE = re.compile(r"~|[:=]~")


@dataclass(frozen=True)
class Part:
    """A piece of a word: fixed or computed text, and whether quotes keep it whole."""

    value: Value
    quoted: bool
    text: str | None = None


def checked_name(node: Tree) -> str:
    """Return a variable's name, refusing those that bash or the machine fills."""
    name = text_of(node)
    if not _NAME.fullmatch(name):
        raise impure(f"uses the special parameter {name}", node)
    if _SPECIAL.fullmatch(name):
        raise impure(f"uses {name}, which differs between machines or shells", node)
    return name


def compile_value(node: Tree) -> Value:
    """Return the text of a word where bash does not split: assignments, `[[`, `case`."""
    return _joined(parts_of(node, glob=True))


def compile_fields(node: Tree) -> Fields:
    """Return the arguments that a word becomes: none, one, or several."""
    array = _whole_array(node)
    if array is not None:
        return array
    parts = parts_of(node, glob=False)
    if len(parts) == 1 and not parts[0].quoted and parts[0].text is None:
        return _split(parts[0].value, node)
    value = _joined([_unsplit(part, node) for part in parts])
    if any(part.quoted or part.text for part in parts):
        return lambda state: [value(state)]
    return lambda state: [text] if (text := value(state)) else []


def parts_of(node: Tree, glob: bool) -> list[Part]:
    """Return the pieces of a word; `glob` where `*`, `?` and `[` stay as they are."""
    if node.type == "concatenation":
        return [part for child in check_contiguous(node) for part in parts_of(child, glob)]
    if node.type in ("word", "number", "test_operator", "extglob_pattern", "variable_name", "regex"):
        if node.children:
            raise impure("has a word that is not plain text", node)
        return [_literal(plain_text(node, glob))]
    if node.type == "raw_string":
        return [Part(_constant(text_of(node)[1:-1]), True, text_of(node)[1:-1])]
    if node.type == "string":
        return _string(node)
    if node.type in ("simple_expansion", "expansion", "arithmetic_expansion"):
        if text_of(node)[0] != "$":
            raise impure("has a layout that the parser may read differently from bash", node)
        return [Part(_expansion(node, quoted=False), False)]
    raise impure(_REASONS.get(node.type, f"holds a {node.type.replace('_', ' ')}"), node)


_REASONS = {
    "command_substitution": "substitutes the output of a command",
    "process_substitution": "substitutes a process",
    "ansi_c_string": "has a $'...' string",
    "translated_string": 'has a $"..." string',
    "brace_expression": "expands braces",
}


def plain_text(node: Tree, glob: bool) -> str:
    """Return the text of an unquoted word. Raises ImpureError where bash would expand it."""
    text = text_of(node)
    plain = re.sub(r"[*?\[\]]", "", text) if glob else text
    if _TILDE.match(text) or _TILDE.search(text) or not _PLAIN.fullmatch(plain):
        raise impure(f"has a word that bash may expand: {text[:60]}", node)
    return re.sub(r"\\(.)", r"\1", text)


def _literal(text: str) -> Part:
    return Part(_constant(text), False, text)


def _constant(text: str) -> Value:
    return lambda state: text


def _joined(parts: list[Part]) -> Value:
    if all(part.text is not None for part in parts):
        return _constant("".join(part.text or "" for part in parts))
    values = [part.value for part in parts]
    if len(values) == 1:
        return values[0]
    return lambda state: "".join([value(state) for value in values])


def _unsplit(part: Part, node: Tree) -> Part:
    """Return the part with a check that an unquoted expansion inside a longer word needs no splitting."""
    if part.quoted or part.text is not None:
        return part

    def value(state: State) -> str:
        text = part.value(state)
        if not _UNSPLIT.fullmatch(text):
            raise impure("splits an unquoted value inside a word", node)
        return text

    return Part(value, False)


def _split(value: Value, node: Tree) -> Fields:
    def fields(state: State) -> list[str]:
        found = [field for field in re.split(r"[ \t\n]+", value(state)) if field]
        if not all(_UNSPLIT.fullmatch(field) for field in found):
            raise impure("expands file names from an unquoted value", node)
        return found

    return fields


def _whole_array(node: Tree) -> Fields | None:
    """Return the fields of `"${name[@]}"`, None for any other word."""
    if node.type != "string" or len(node.children) != 3 or node.children[1].type != "expansion":
        return None
    check_contiguous(node)
    inner = check_contiguous(node.children[1])
    if [child.type for child in inner] != ["${", "subscript", "}"]:
        return None
    name, index = _subscript(inner[1])
    return (lambda state: list(state.elements(name))) if index == "@" else None


def _subscript(node: Tree) -> tuple[str, str]:
    kids = check_contiguous(node)
    if len(kids) != 4 or kids[2].type not in ("word", "number") or kids[2].children:
        raise impure("computes an array index", node)
    index = text_of(kids[2])
    if index not in ("@", "*") and not index.isdecimal():
        raise impure("computes an array index", node)
    return checked_name(kids[0]), index


def _string(node: Tree) -> list[Part]:
    """Return the pieces of a double-quoted string; text is taken from the source, not from the tree."""
    parts: list[Part] = []
    position = node.start_byte + 1
    for child in node.children[1:-1]:
        if child.type == "string_content":
            continue
        start = child.start_byte + len(text_of(child)) - len(text_of(child).lstrip(" \t\n"))
        parts.append(_quoted_text(source_between(node, position, start).decode(), node))
        if child.type not in ("simple_expansion", "expansion", "arithmetic_expansion"):
            raise impure(_REASONS.get(child.type, f"holds a {child.type} in a string"), child)
        parts.append(Part(_expansion(child, quoted=True), True))
        position = child.end_byte
    parts.append(_quoted_text(source_between(node, position, node.end_byte - 1).decode(), node))
    return parts


def _quoted_text(text: str, node: Tree) -> Part:
    if re.search(r"[`$]", re.sub(r"\\.", "", text, flags=re.DOTALL)):
        raise impure("has a dollar sign or a backtick that the parser left as text", node)
    plain = re.sub(r'\\(["$`\\\n])', lambda found: "" if found[1] == "\n" else found[1], text)
    return Part(_constant(plain), True, plain)


def _expansion(node: Tree, quoted: bool) -> Value:
    if node.type == "arithmetic_expansion":
        number = compile_arithmetic(node, checked_name)
        return lambda state: str(number(state))
    if node.type == "simple_expansion":
        if len(node.children) != 2 or node.children[1].type != "variable_name":
            raise impure(f"uses the special parameter {text_of(node).strip()}", node)
        name = checked_name(node.children[1])
        return lambda state: state.read(name)
    return _braced(node, quoted)


def _braced(node: Tree, quoted: bool) -> Value:
    kids = check_contiguous(node)[1:-1]
    kinds = [kid.type for kid in kids]
    if kinds == ["variable_name"]:
        name = checked_name(kids[0])
        return lambda state: state.read(name)
    if kinds == ["#", "variable_name"]:
        name = checked_name(kids[1])
        return lambda state: str(len(state.read(name)))
    if kinds in (["subscript"], ["#", "subscript"]):
        return _element(kids[-1], count=len(kinds) == 2, quoted=quoted)
    if kinds[:1] == ["variable_name"] and len(kinds) in (2, 3):
        name, operator = checked_name(kids[0]), kinds[1]
        operand = kids[2] if len(kids) == 3 else None
        if operator in (":-", "-", ":+", "+", ":?", "?"):
            return _default(name, operator, operand, quoted)
        if operator in ("#", "##", "%", "%%") and operand is not None:
            return _trimmed(name, operator, operand)
    raise impure(f"has the expansion {text_of(node)[:60]}", node)


def _element(node: Tree, count: bool, quoted: bool) -> Value:
    name, index = _subscript(node)
    if count and index in "@*":
        return lambda state: str(len(state.elements(name)))
    if not count and index == "*" and quoted:
        return lambda state: " ".join(state.elements(name))
    if count or not index.isdecimal():
        raise impure(f"has the expansion of {text_of(node)} where it is not the whole word", node)

    def value(state: State) -> str:
        elements = state.elements(name)
        if int(index) < len(elements):
            return elements[int(index)]
        if state.nounset:
            raise RecipeError(f"reads {name}[{index}], which is not set")
        return ""

    return value


def _default(name: str, operator: str, operand: Tree | None, quoted: bool) -> Value:
    if operand is not None and (b"\\" in (operand.text or b"") or b"'" in (operand.text or b"")):
        raise impure("has quotes or a backslash inside an expansion", operand)
    if operand is not None and b'"' in (operand.text or b"") and not quoted:
        raise impure("has quotes inside an expansion", operand)
    other = _constant("") if operand is None else compile_value(operand)
    empty_counts = operator.startswith(":")

    def value(state: State) -> str:
        found = state.lookup(name)
        missing = found is None or (empty_counts and found == "")
        if operator.endswith("+"):
            return "" if missing else other(state)
        if not missing:
            return found or ""
        if operator.endswith("?"):
            raise RecipeError(f"needs {name}: {other(state) or 'not set'}")
        return other(state)

    return value


def _trimmed(name: str, operator: str, operand: Tree) -> Value:
    pattern = plain_text(operand, glob=True)
    if set(text_of(operand)) & set("\\[]"):
        raise impure("trims a bracket pattern", operand)
    matches = re.compile(_regular(pattern), re.DOTALL).fullmatch
    longest = len(operator) == 2

    def value(state: State) -> str:
        text = state.read(name)
        sizes = range(len(text), -1, -1) if longest else range(len(text) + 1)
        for size in sizes:
            if operator[0] == "#" and matches(text[:size]):
                return text[size:]
            if operator[0] == "%" and matches(text[len(text) - size :]):
                return text[: len(text) - size]
        return text

    return value


def compile_match(node: Tree) -> Callable[[State, str], bool]:
    """Return a matcher for the pattern in `node`: the right side of `[[ == ]]`, or an arm of `case`.

    What is quoted stands for itself; an unquoted value may hold plain text only.
    """
    parts = parts_of(node, glob=True)
    fixed = "".join(part.text or "" for part in parts if not part.quoted)
    if set(fixed) & set("[]") or "\\" in text_of(node):
        raise impure("matches a bracket pattern", node)

    def expression(state: State) -> str:
        pieces = []
        for part in parts:
            text = part.value(state)
            if part.quoted:
                pieces.append(re.escape(text))
            elif part.text is not None:
                pieces.append(_regular(text))
            elif _UNSPLIT.fullmatch(text):
                pieces.append(re.escape(text))
            else:
                raise impure("matches a pattern held in a variable", node)
        return "".join(pieces)

    return lambda state, text: re.fullmatch(expression(state), text, re.DOTALL) is not None


def _regular(pattern: str) -> str:
    """Return the regular expression of plain text, `*` and `?`."""
    return "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern)
