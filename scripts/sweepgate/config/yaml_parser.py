"""Parsing YAML that a stranger may have written: plain data only.

PyYAML's C parser builds the node tree; the conversion to Python values is ours, since the stock one silently keeps the
last of two equal keys and expands aliases without bound.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from sweepgate.config.yaml_file import KeyPath
from sweepgate.errors import InputError, Problem

# Ten times the largest public catalogue (about 380 kB); a larger file is a mistake or an attack.
MAX_BYTES = 4_000_000
# The deepest public catalogue nests eight levels.
MAX_DEPTH = 32
# Shorter decimal numbers fit 63 bits, and are most of a catalogue.
_INT_DIGITS = 19

_TAG = "tag:yaml.org,2002:"
_STR, _MAP, _SEQ = _TAG + "str", _TAG + "map", _TAG + "seq"
_SCALARS = yaml.constructor.SafeConstructor()


class _Loader(yaml.CSafeLoader):
    """The C loader, with a scalar's type looked up once for each spelling: most values of a catalogue repeat."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._plain_tags: dict[str, str] = {}

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        if kind is not yaml.ScalarNode:
            return _MAP if kind is yaml.MappingNode else _SEQ
        if not implicit[0]:
            return _STR
        tag = self._plain_tags.get(value)
        if tag is None:
            tag = self._plain_tags[value] = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        return tag


def parse_yaml(path: Path) -> Any:
    """Return the plain data (dict, list, str, int, float, bool, None) of one YAML file.

    Raises InputError for a missing or oversized file, a syntax error, a duplicate key, an alias or merge key, a tag
    other than the plain scalar ones, a key that is not a string, and nesting deeper than 32 levels.
    """
    root = compose(path)
    return None if root is None else _Converter(path).value(root, 0)


def line_of(node: yaml.Node | None, keys: KeyPath) -> int | None:
    """Return the 1-based line of the value (or mapping key) at `keys` under `node`, or of its nearest ancestor."""
    if node is None:
        return None
    mark = node.start_mark
    for key in keys:
        step = _step(node, key)
        if step is None:
            break
        mark, node = step
    return int(mark.line) + 1


def _step(node: yaml.Node, key: str | int) -> tuple[Any, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return name.start_mark, value
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key].start_mark, node.value[key]
    return None


def compose(path: Path) -> yaml.Node | None:
    """Return the node tree of one YAML file, None for an empty one. Raises InputError as `parse_yaml` does."""
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except OSError as error:
        raise _error(path, None, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _error(path, None, f"is not UTF-8 (byte {error.start})") from error
    if len(raw) > MAX_BYTES:
        raise _error(path, None, "is too large", found=f"{len(raw):,} bytes", allowed=f"at most {MAX_BYTES:,} bytes")
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        hint = "indent with spaces, never tabs" if _has_tab(text, mark) else None
        raise _error(path, mark, f"is not valid YAML: {error.problem}", hint=hint) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise _error(path, None, f"is not valid YAML: {error}") from error
    finally:
        loader.dispose()


class _Converter:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: set[int] = set()

    def value(self, node: yaml.Node, depth: int) -> Any:
        if node.__class__ is yaml.ScalarNode:
            return node.value if node.tag == _STR else self.scalar(node)
        if id(node) in self.seen:
            raise _error(self.path, node.start_mark, "is used through a YAML alias", hint="write the value out")
        if depth > MAX_DEPTH:
            raise _error(self.path, node.start_mark, f"is nested deeper than {MAX_DEPTH} levels")
        self.seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            self.check_tag(node, _SEQ)
            return [self.value(item, depth + 1) for item in node.value]
        self.check_tag(node, _MAP)
        return self.mapping(node, depth)

    def mapping(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, value in node.value:
            if name.tag == _TAG + "merge":
                raise _error(self.path, name.start_mark, "uses a YAML merge key", hint="write the keys out")
            key = name.value
            if not isinstance(key, str) or not isinstance(name, yaml.ScalarNode):
                raise _error(self.path, name.start_mark, "has a key that is not a plain string")
            if key in result:
                hint = "keep one of the two"
                raise _error(self.path, name.start_mark, "appears twice in one mapping", key=key, hint=hint)
            result[key] = self.value(value, depth + 1)
        return result

    def scalar(self, node: yaml.ScalarNode) -> Any:
        kind = node.tag[len(_TAG) :] if node.tag.startswith(_TAG) else node.tag
        text = node.value
        if kind == "int":
            if text.isdecimal() and text[0] != "0" and len(text) < _INT_DIGITS:
                return int(text)
            return self.stock(node, "construct_yaml_int")
        if kind == "float":
            return self.stock(node, "construct_yaml_float")
        if kind == "bool":
            return _SCALARS.construct_yaml_bool(node)
        if kind == "null":
            return None
        hint = "quote it to make it a string"
        raise _error(self.path, node.start_mark, f"is a YAML {kind}", found=text, hint=hint)

    def stock(self, node: yaml.ScalarNode, method: str) -> Any:
        try:
            number = getattr(_SCALARS, method)(node)
        except (ValueError, OverflowError) as error:
            raise _error(self.path, node.start_mark, "is not a number", found=node.value[:80]) from error
        if isinstance(number, int) and number.bit_length() > 63:
            raise _error(self.path, node.start_mark, "is a number too large to mean anything", found=node.value[:80])
        return number

    def check_tag(self, node: yaml.Node, tag: str) -> None:
        if node.tag != tag:
            raise _error(self.path, node.start_mark, f"has the YAML tag {node.tag}", hint="remove the tag")


def _has_tab(text: str, mark: Any) -> bool:
    lines = text.splitlines()
    return mark is not None and mark.line < len(lines) and "\t" in lines[mark.line]


def _error(path: Path, mark: Any, message: str, **details: str | None) -> InputError:
    line = None if mark is None else mark.line + 1
    return InputError(Problem(message, file=str(path), line=line, **details))
