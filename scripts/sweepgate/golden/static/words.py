"""Words of a bash script along one path: quotes, expansions, and the few substitutions that can be worked out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sweepgate.fingerprint.arithmetic import compile_arithmetic
from sweepgate.fingerprint.state import RecipeError, State
from sweepgate.fingerprint.syntax import ImpureError, Tree, source_between, text_of
from sweepgate.golden.command import unknown, unknown_names
from sweepgate.golden.static.path import Path, Piece, Word, joined, word

_CONVERSION = re.compile(r"%(?:%|[-+ 0]*\d*(?:\.\d+)?[sdifgqb])")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
_FILTERS = {"tr", "paste", "xargs", "jq", "tail", "head"}


def line_of(node: Tree) -> int:
    """Return a node's 1-based line."""
    return int(node.start_point[0]) + 1


def fields(node: Tree, path: Path, asking: bool = False) -> list[Word]:
    """Return the arguments that a word becomes: none, one, or several.

    `asking`: for a condition, where a value that the environment may replace counts as not known.
    """
    whole = _whole_array(node, path)
    if whole is not None:
        return whole
    value = text(node, path, asking)
    if node.type in ("simple_expansion", "expansion") and not unknown_names(value.text):
        return [_slice(value, *found.span()) for found in re.finditer(r"\S+", value.text)]
    if node.type == "command_substitution" and not value.text:
        return []
    return [value]


def _slice(value: Word, start: int, end: int) -> Word:
    return word(value.text[start:end], value.line_at(start), value.deciding)


def _whole_array(node: Tree, path: Path) -> list[Word] | None:
    """Return the elements of `"${name[@]}"`, `${name[@]}` and of `"$@"`; None for any other word."""
    inner = text_of(node).strip('"')
    if inner in ("$@", "$*", "${@}", "${@:1}"):
        return list(path.arguments)
    found = re.fullmatch(r"\$\{(\w+)\[[@*]\](?:[-+:][^}]*)?\}", inner)
    if found is None:
        return None
    other = re.fullmatch(r"\$\{(\w+)\[@\]\+\"?\$\{\1\[@\]\}\"?\}", inner)
    name = (other or found)[1]
    if name in path.arrays:
        return list(path.arrays[name])
    return [path.values[name]] if name in path.values else []


def text(node: Tree, path: Path, asking: bool = False) -> Word:
    """Return the text of a word where bash does not split."""
    kind, line = node.type, line_of(node)
    if kind == "concatenation":
        return joined([text(child, path, asking) for child in node.children], line)
    if kind == "raw_string":
        return word(text_of(node)[1:-1], line)
    if kind == "ansi_c_string":
        return word(re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text_of(node)[2:-1]), line)
    if kind in ("string", "translated_string", "heredoc_body"):
        return _quoted(node, path, asking)
    if kind == "simple_expansion":
        return _read(text_of(node).strip().lstrip("$"), line, path, asking)
    if kind == "expansion":
        return _braced(node, path, asking)
    if kind == "arithmetic_expansion":
        return _arithmetic(node, path)
    if kind == "command_substitution":
        return _substituted(node, path)
    if kind == "array":
        return joined([text(child, path, asking) for child in node.named_children[:1]], line)
    plain = re.sub(r"\\(.)", lambda found: found[1].replace("\n", ""), text_of(node), flags=re.DOTALL)
    return word(plain, line)


def _read(name: str, line: int, path: Path, asking: bool) -> Word:
    if name.isdigit() and 0 < int(name) <= len(path.arguments):
        return path.arguments[int(name) - 1]
    value = path.read(name, line)
    if asking and value.deciding is not None:
        fixed = path.equal.get(value.deciding)
        return word(unknown(value.deciding) if fixed is None else fixed, line)
    return value


def _quoted(node: Tree, path: Path, asking: bool) -> Word:
    """Return a double-quoted string or the text of a here-document; the source decides, not the tree's spacing."""
    edge = 0 if node.type == "heredoc_body" else 1
    start = node.start_byte + edge + (node.type == "translated_string")
    words: list[Word] = []
    for child in node.children:
        if child.type not in ("simple_expansion", "expansion", "arithmetic_expansion", "command_substitution"):
            continue
        begin = child.start_byte + len(text_of(child)) - len(text_of(child).lstrip(" \t\n"))
        words += _literal(node, start, begin)
        words.append(text(child, path, asking))
        start = child.end_byte
    words += _literal(node, start, node.end_byte - edge)
    return joined(words, line_of(node))


def _literal(node: Tree, start: int, end: int) -> list[Word]:
    """Return the plain text between two offsets of a quoted node, a word for each line that a backslash continues."""
    source = source_between(node, start, end).decode(errors="replace")
    line = line_of(node) + source_between(node, node.start_byte, start).count(b"\n")
    words = []
    for part in re.findall(r"(?:[^\\]|\\[^\n]|\\$)+|\\\n", source):
        if part != "\\\n":
            words.append(word(re.sub(r'\\(["$`\\])', r"\1", part), line))
        line += part.count("\n")
    return words


def _braced(node: Tree, path: Path, asking: bool) -> Word:
    """Return `${name}` and its forms; a default counts where nothing in the script sets the variable."""
    source, line = text_of(node), line_of(node)
    found = re.match(r"\$\{(#?)(\w+)(\[[^]]*\])?", source)
    if found is None or found[1] or found[3]:
        return _element(source, line, path)
    name, rest = found[2], source[found.end() : -1]
    if not rest:
        return _read(name, line, path, asking)
    operand = node.named_children[-1] if len(node.named_children) > 1 else None
    if re.match(r":?[-=]", rest):
        return _default(name, operand, line, path, asking)
    if re.match(r":?\+", rest):
        return word("", line) if path.is_set(name) is False or operand is None else text(operand, path, asking)
    if rest.startswith((":?", "?")):
        return _read(name, line, path, asking)
    value = path.read(name, line).text
    if not unknown_names(value) and rest in (",,", "^^"):
        return word(value.lower() if rest == ",," else value.upper(), line)
    return word(unknown(name), line)


def _default(name: str, operand: Tree | None, line: int, path: Path, asking: bool) -> Word:
    value = path.read(name, line)
    if path.is_set(name):
        return _read(name, line, path, asking)
    undecided = value.deciding or (unknown_names(value.text) or [name])[0]
    if asking and path.is_set(name) is None:
        return word(unknown(undecided), line)
    other = word("", line) if operand is None else text(operand, path, asking)
    return Word(other.pieces, undecided) if path.is_set(name) is None else other


def _element(source: str, line: int, path: Path) -> Word:
    found = re.fullmatch(r"\$\{(\w+)\[(\d+|[@*])\]\}", source)
    if found and found[1] in path.arrays:
        elements = path.arrays[found[1]]
        if found[2] in "@*":
            spaced = [part for item in elements for part in (item, word(" ", item.line))]
            return joined(spaced[:-1], line)
        if int(found[2]) < len(elements):
            return elements[int(found[2])]
    counted = re.fullmatch(r"\$\{#(\w+)\[[@*]\]\}", source)
    if counted and counted[1] in path.arrays:
        return word(str(len(path.arrays[counted[1]])), line)
    return word(unknown(source.strip("${}")), line)


def _arithmetic(node: Tree, path: Path) -> Word:
    known = {name: value.text for name, value in path.values.items() if not unknown_names(value.text)}
    state = State({**path.equal, **known}, {}, set(), nounset=True)
    try:
        return word(str(compile_arithmetic(node, text_of)(state)), line_of(node))
    except (ImpureError, RecipeError):
        return word(unknown(text_of(node)[:60]), line_of(node))


# ---- command substitutions that only put text together ----


def _substituted(node: Tree, path: Path) -> Word:
    line = line_of(node)
    inner = [child for child in node.named_children if child.type != "comment"]
    found = _output(inner[0], path) if len(inner) == 1 else None
    return found if found is not None else word(unknown(" ".join(text_of(node).split())[:60]), line)


def _output(node: Tree, path: Path) -> Word | None:
    """Return what a command prints: echo, printf, a here-document through cat; None for any other."""
    if node.type == "pipeline":
        first, *others = list(node.named_children)
        plain = all(text_of(other).split()[0] in _FILTERS for other in others)
        return _output(first, path) if plain else None
    if node.type == "redirected_statement":
        body = heredoc(node, path)
        return body if text_of(node).split()[0] == "cat" and body is not None else None
    if node.type != "command":
        return None
    arguments = [item for child in node.children[1:] for item in fields(child, path)]
    command = text_of(node).split()[0]
    if command == "printf" and arguments:
        return printf(arguments)
    if command == "echo":
        kept = [item for item in arguments if item.text not in ("-n", "-e", "-ne")]
        spaced = [part for item in kept for part in (item, word(" ", item.line))]
        return joined(spaced[:-1], line_of(node))
    return None


def heredoc(node: Tree, path: Path) -> Word | None:
    """Return the text of the here-document of a statement, expanded unless its mark is quoted."""
    for found in _below(node, "heredoc_redirect"):
        start = next(iter(_below(found, "heredoc_start")), None)
        body = next(iter(_below(found, "heredoc_body")), None)
        if body is None:
            return None
        if start is not None and re.search(r"[\"'\\]", text_of(start)):
            return word(text_of(body), line_of(body))
        return text(body, path)
    return None


def _below(node: Tree, kind: str) -> Iterator[Tree]:
    for child in node.children:
        if child.type == kind:
            yield child
        yield from _below(child, kind)


def printf(arguments: list[Word]) -> Word:
    """Return what printf prints once for its arguments."""
    template, values = arguments[0], list(arguments[1:])
    if values and template.text == "-v":
        return word("", template.line)
    words: list[Word] = []
    position = 0
    for found in _CONVERSION.finditer(template.text):
        words.append(word(_unescaped(template.text[position : found.start()]), template.line))
        position = found.end()
        if found[0] == "%%":
            words.append(word("%", template.line))
        elif values:
            words.append(_converted(found[0], values.pop(0)))
    words.append(word(_unescaped(template.text[position:]), template.line))
    return joined(words, template.line)


def _converted(conversion: str, value: Word) -> Word:
    if conversion[-1] in "sqb" or unknown_names(value.text):
        return value
    try:
        number = int(value.text) if conversion[-1] in "di" else float(value.text)
        return Word((Piece(conversion % number, value.line),))
    except ValueError:
        return value


def _unescaped(source: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), source)
