"""The bash syntax tree of a recipe, and what makes a recipe impure.

tree-sitter-bash does the parsing. It is more lenient than bash, so the readers of the tree check what lies between two
tokens, and anything that they do not know makes the recipe impure: it is then hashed by its bytes, never guessed at.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

Tree = Node

_BLANK = re.compile(rb"(?:[ \t]|\\\n)*")
_BLANK_LINES = re.compile(rb"(?:[ \t\n]|\\\n)*")
SHEBANGS = (b"#!/usr/bin/env bash", b"#!/bin/bash", b"#!/usr/bin/bash")


class ImpureError(Exception):
    """A recipe whose command cannot be known without running it; `line` is 1-based."""

    def __init__(self, what: str, line: int | None) -> None:
        self.what = what
        self.line = line
        super().__init__(what if line is None else f"line {line}: {what}")


def impure(what: str, node: Tree | None) -> ImpureError:
    """Return the error for a node that keeps a recipe from being pure."""
    return ImpureError(what, None if node is None else node.start_point[0] + 1)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse_bash(source: bytes) -> Tree:
    """Return the root of the syntax tree; it may hold errors."""
    return _parser().parse(source).root_node


def text_of(node: Tree) -> str:
    """Return the source text of a node."""
    return bytes(node.text or b"").decode()


def source_between(parent: Tree, start: int, end: int) -> bytes:
    """Return the bytes of `parent` between two byte offsets of the file."""
    text = bytes(parent.text or b"")
    return text[start - parent.start_byte : end - parent.start_byte]


def check_spacing(node: Tree, over_lines: bool = False) -> list[Tree]:
    """Return the children of `node` without comments, once nothing but blanks lies between them.

    A line break that bash would read as the end of a command is refused unless `over_lines`.
    """
    allowed = _BLANK_LINES if over_lines else _BLANK
    position = node.start_byte
    for child in node.children:
        if not allowed.fullmatch(source_between(node, position, child.start_byte)):
            raise impure("has a layout that the parser may read differently from bash", child)
        position = child.end_byte
    if not _BLANK_LINES.fullmatch(source_between(node, position, node.end_byte)):
        raise impure("has a layout that the parser may read differently from bash", node)
    return [child for child in node.children if child.type != "comment"]


def check_contiguous(node: Tree) -> list[Tree]:
    """Return the children of `node` once they follow each other without a gap."""
    position = node.start_byte
    for child in node.children:
        if child.start_byte != position:
            raise impure("has a layout that the parser may read differently from bash", child)
        position = child.end_byte
    if position != node.end_byte:
        raise impure("has a layout that the parser may read differently from bash", node)
    return list(node.children)


def walk(node: Tree) -> Any:
    """Yield `node` and everything below it, in source order."""
    yield node
    for child in node.children:
        yield from walk(child)
