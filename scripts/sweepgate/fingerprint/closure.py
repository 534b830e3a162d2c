"""The files that an impure recipe reaches, found in its syntax tree and hashed by their bytes.

The rule errs on the side of hashing too much: a file that is named anywhere counts, a Python file brings its folder
with it, and a path that cannot be known brings the recipe's whole folder.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from sweepgate.fingerprint.syntax import Tree, parse_bash, text_of, walk

_SHELL = (".sh", ".bash")
# Files that reach no other file; what anything else imports is not known, so its folder counts.
_DATA = (".json", ".yaml", ".yml", ".txt", ".patch", ".diff", ".jinja", ".toml", ".cfg", ".md", ".csv", ".jsonl")
_LOADERS = frozenset({"source", ".", "bash", "sh", "python", "python3", "eval"})
# Folders that the harness makes or that lie outside the repository.
_OUTSIDE = frozenset({"SCRATCH", "HF_HOME", "MODEL", "TMPDIR", "HOME"})
_WORDS = ("word", "string", "raw_string", "concatenation", "heredoc_body", "ansi_c_string")
_EXPANSIONS = ("simple_expansion", "expansion", "command_substitution", "arithmetic_expansion", "process_substitution")


@dataclass
class Closure:
    """File (relative to the repository) → SHA-256 of its bytes; `whole_folder` says why the folder counts if so."""

    files: dict[str, str] = field(default_factory=dict)
    whole_folder: str | None = None


def closure_of(recipe: Path, benchmarks: Path) -> Closure:
    """Return every file that `recipe` may reach inside the repository, itself included."""
    return _Search(recipe, benchmarks).run()


class _Search:
    def __init__(self, recipe: Path, benchmarks: Path) -> None:
        self.recipe = recipe
        self.root = benchmarks.parent.resolve()
        self.bases = [benchmarks.parent, benchmarks, recipe.parent]
        self.found = Closure()

    def run(self) -> Closure:
        self._add(self.recipe)
        if self.found.whole_folder is not None:
            self._add_folder(self.recipe.parent)
        self.found.files = dict(sorted(self.found.files.items()))
        return self.found

    def _add(self, path: Path) -> None:
        real = path.resolve()
        if not real.is_relative_to(self.root) or not real.is_file():
            return
        name = str(real.relative_to(self.root))
        if name in self.found.files:
            return
        content = real.read_bytes()
        self.found.files[name] = hashlib.sha256(content).hexdigest()
        if path == self.recipe or real.suffix in _SHELL or content.startswith((b"#!/bin/bash", b"#!/usr/bin/env bash")):
            self._follow(content, real)
        elif real.suffix not in _DATA:
            self._add_folder(real.parent)

    def _add_folder(self, folder: Path) -> None:
        for path in sorted(folder.rglob("*")):
            if "__pycache__" not in path.parts:
                self._add(path)

    def _unknown(self, why: str, node: Tree, file: Path) -> None:
        if self.found.whole_folder is None:
            place = f"{file.relative_to(self.root)}:{node.start_point[0] + 1}"
            self.found.whole_folder = f"{place}: {why}: {' '.join(text_of(node).split())[:80]}"

    def _follow(self, content: bytes, file: Path) -> None:
        root = parse_bash(content)
        if root.has_error:
            self._unknown("is not bash that the parser understands", root, file)
        own_folder = {"0", "BASH_SOURCE"} | _own_folder_names(root)
        for node in walk(root):
            if node.type == "command":
                self._loader(node, own_folder, file)
            if node.type in _WORDS and (node.parent is None or node.parent.type not in _WORDS):
                self._reference(node, own_folder, file, must_resolve=False)

    def _loader(self, command: Tree, own_folder: set[str], file: Path) -> None:
        name = command.child_by_field_name("name")
        if name is None:
            return
        if any(node.type in _EXPANSIONS for node in walk(name)):
            self._unknown("computes the name of a command", command, file)
        if text_of(name).rsplit("/", 1)[-1] in _LOADERS:
            for argument in command.children:
                if argument.type in (*_WORDS, *_EXPANSIONS):
                    self._reference(argument, own_folder, file, must_resolve=True)

    def _reference(self, node: Tree, own_folder: set[str], file: Path, must_resolve: bool) -> None:
        dynamic = [child for child in walk(node) if child.type in _EXPANSIONS]
        if not dynamic:
            self._literal(text_of(node), self.bases)
            return
        rest = bytes(node.text or b"")[dynamic[0].end_byte - node.start_byte :].decode(errors="replace").strip("\"' ")
        nested = any(child.start_byte >= dynamic[0].end_byte for child in dynamic)
        names = {
            text_of(child) for child in walk(dynamic[0]) if child.type in ("variable_name", "special_variable_name")
        }
        if names & _OUTSIDE and not nested:
            return
        if names and names <= own_folder and not nested:
            # `$(dirname "$0")/x`, `${BASH_SOURCE%/*}/x`, or a variable that holds such a folder
            self._literal(rest.lstrip("/"), [self.recipe.parent, file.parent])
            return
        if must_resolve or "/" in rest:
            self._unknown("has a path that is not known before it runs", node, file)

    def _literal(self, text: str, bases: list[Path]) -> None:
        for word in re.split(r"[\s;&|\"'()=,]+", text):
            if not word.strip("./") or len(word) > 300:
                continue
            for base in bases:
                path = base / word
                if path.is_file():
                    self._add(path)
                elif path.is_dir() and not self.recipe.is_relative_to(path):
                    self._add_folder(path)


def _own_folder_names(root: Tree) -> set[str]:
    """Return the variables that are set from the recipe's own path."""
    names = set()
    for node in walk(root):
        if node.type == "variable_assignment" and re.search(r"BASH_SOURCE|\$0|\$\{0", text_of(node)):
            names.add(text_of(node.children[0]))
    return names
