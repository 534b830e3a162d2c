"""One path through a script: what its variables hold there, and what the path takes for granted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sweepgate.golden.command import unknown, unknown_names

# Variables that tell a recipe to run evals instead of the benchmark, or beside it.
_EVAL = re.compile(r"(?i)^(?:(?:RUN|IS|ONLY)_)?EVALS?(?:_(?:ONLY|MODE|RUN))?$")
_TRUE = {"true", "1", "yes", "on"}
_FALSE = {"false", "0", "no", "off", ""}


@dataclass(frozen=True)
class Piece:
    """Text as it stands in the source, and its 1-based line."""

    text: str
    line: int


@dataclass(frozen=True)
class Word:
    """A value, piece by piece. `deciding`: the variable that replaces this value when the environment sets it."""

    pieces: tuple[Piece, ...]
    deciding: str | None = None

    @property
    def text(self) -> str:
        """The whole text; what is not known stands in it as `unknown` marks."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def line(self) -> int:
        """The line on which the value starts."""
        return next((piece.line for piece in self.pieces if piece.text.strip()), self.pieces[0].line)

    def line_at(self, offset: int) -> int:
        """Return the line of the character at `offset` of the text."""
        for piece in self.pieces:
            if offset < len(piece.text):
                return piece.line + piece.text.count("\n", 0, offset)
            offset -= len(piece.text)
        return self.pieces[-1].line


def word(text: str, line: int, deciding: str | None = None) -> Word:
    """Return a word of one piece."""
    return Word((Piece(text, line),), deciding)


def joined(words: Sequence[Word], line: int) -> Word:
    """Return the words as one, without anything between them."""
    pieces = tuple(piece for item in words for piece in item.pieces if piece.text)
    deciding = words[0].deciding if len(words) == 1 else None
    return Word(pieces or (Piece("", line),), deciding)


@dataclass
class Path:
    """Variables and arrays, what is exported, the files written so far, and the answers that led here."""

    values: dict[str, Word] = field(default_factory=dict)
    arrays: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    files: dict[str, Word] = field(default_factory=dict)
    equal: dict[str, str] = field(default_factory=dict)
    unequal: dict[str, frozenset[str]] = field(default_factory=dict)
    answers: dict[str, bool] = field(default_factory=dict)
    arguments: tuple[Word, ...] = ()

    def copy(self) -> Path:
        """Return a path that goes its own way from here."""
        return Path(
            dict(self.values),
            dict(self.arrays),
            set(self.exported),
            dict(self.files),
            dict(self.equal),
            dict(self.unequal),
            dict(self.answers),
            self.arguments,
        )

    def read(self, name: str, line: int) -> Word:
        """Return a variable's value; one that nothing here sets is not known, unless the path fixes it."""
        if name in self.values:
            return self.values[name]
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else word("", line)
        if name in self.equal:
            return word(self.equal[name], line)
        return word(unknown(name), line)

    def is_set(self, name: str) -> bool | None:
        """Whether the variable holds text: None where the environment decides."""
        if name not in self.values and name not in self.equal:
            return None
        text = self.read(name, 0).text
        return bool(text) if not unknown_names(text) else None

    def assign(self, name: str, value: Word, append: bool = False) -> None:
        """Set a variable, or add to it."""
        self.arrays.pop(name, None)
        if append and name in self.values:
            value = Word((*self.values[name].pieces, *value.pieces))
        self.values[name] = value

    def assign_array(self, name: str, words: Sequence[Word], append: bool = False) -> None:
        """Set an array, or add to it."""
        self.values.pop(name, None)
        self.arrays[name] = (*self.arrays.get(name, ()), *words) if append else tuple(words)

    def take(self, name: str, text: str, equal: bool) -> None:
        """Go on with a variable of the environment that is `text`, or is not."""
        if equal:
            self.equal[name] = text
        else:
            self.unequal[name] = self.unequal.get(name, frozenset()) | {text}
        for key, value in self.values.items():
            if value.deciding != name:
                continue
            if equal:
                self.values[key] = word(text, value.line)
            elif value.text == text:
                self.values[key] = word(unknown(name), value.line)

    def environment(self) -> dict[str, Word]:
        """Return the exported variables that hold something known to be there."""
        return {name: self.values[name] for name in self.exported if name in self.values}

    @property
    def is_eval(self) -> bool | None:
        """Whether this path runs evals; None where it was not asked."""
        for name, text in self.equal.items():
            if _EVAL.match(name):
                return text.lower() in _TRUE
        for name, texts in self.unequal.items():
            if _EVAL.match(name) and texts & _TRUE:
                return False
            if _EVAL.match(name) and texts & _FALSE:
                return True
        return None


def same(paths: Sequence[Path], names: set[str]) -> list[Path]:
    """Return the paths without those that agree with an earlier one in everything that matters later."""
    kept: dict[str, Path] = {}
    for path in paths:
        key = repr(
            (
                sorted((name, value) for name, value in path.values.items() if name in names),
                sorted((name, value) for name, value in path.arrays.items() if name in names),
                sorted(path.exported & names),
                sorted(path.equal.items()),
                sorted(path.unequal.items(), key=str),
                sorted(path.answers.items()),
            )
        )
        kept.setdefault(key, path)
    return list(kept.values())
