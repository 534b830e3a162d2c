"""Reading YAML that a stranger may have written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepgate.config import yaml_file
from sweepgate.errors import InputError

BAD = {
    "a tab": ("a:\n\tb: 1\n", 2, "is not valid YAML"),
    "an unclosed bracket": ("a: [1, 2\nb: 3\n", 2, "is not valid YAML"),
    "a duplicate key": ("a: 1\nb: 2\na: 3\n", 3, "appears twice"),
    "a nested duplicate key": ("x:\n  k: 1\n  k: 2\n", 3, "appears twice"),
    "an alias": ("a: &x [1]\nb: *x\n", 1, "YAML alias"),
    "a merge key": ("a: {k: 1}\nb:\n  <<: {k: 1}\n", 3, "merge key"),
    "a Python object": ("a: !!python/object/apply:os.system ['true']\n", 1, "YAML tag"),
    "a date": ("a: 2026-01-01\n", 1, "is a YAML timestamp"),
    "a number as key": ("1: a\n", 1, None),
    "a list as key": ("? [a]\n: b\n", 1, "not a plain string"),
    "two documents": ("a: 1\n---\nb: 2\n", 2, "is not valid YAML"),
    "more digits than Python reads": (f"a: 1\nb: {'9' * 6000}\n", 2, "is not a number"),
    "more hexadecimal digits than Python prints": (f"a: 0x{'F' * 6000}\n", 1, "too large to mean anything"),
    "a number over 64 bits": (f"a: {2**63}\n", 1, "too large to mean anything"),
    "a negative number over 64 bits": (f"a: -{2**64}\n", 1, "too large to mean anything"),
    "control characters": ("a: \x07\n", None, "is not valid YAML"),
}


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "file.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", BAD)
def test_refused_with_file_and_line(tmp_path: Path, name: str) -> None:
    text, line, message = BAD[name]
    path = write(tmp_path, text)
    if message is None:
        assert yaml_file.load(path).data == {"1": "a"}
        return
    with pytest.raises(InputError) as caught:
        yaml_file.load(path)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    assert problem.line == line
    assert message in problem.message


def test_a_tab_is_told_how_to_indent(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="indent with spaces"):
        yaml_file.load(write(tmp_path, "a:\n\tb: 1\n"))


def test_an_anchor_bomb_is_refused_at_once(tmp_path: Path) -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(InputError, match="alias"):
        yaml_file.load(write(tmp_path, "\n".join(levels)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "is not UTF-8"),
        (b"a: " + b"x" * 4_000_001, "is too large"),
        (b"[" * 40 + b"]" * 40, "nested deeper"),
        (b"[" * 20_000, "is not valid YAML"),
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        yaml_file.load(write(tmp_path, content))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        yaml_file.load(tmp_path / "none.yaml")


def test_an_empty_file_is_none(tmp_path: Path) -> None:
    assert yaml_file.load(write(tmp_path, "# nothing\n")).data is None


def test_lines_of_values(tmp_path: Path) -> None:
    source = yaml_file.load(write(tmp_path, "a:\n  b:\n  - c: 1\n  - c: 2\n"))
    assert source.line(("a", "b", 1, "c")) == 4
    assert source.line(("a", "b", 1, "missing")) == 4
    assert source.line(()) == 1


SCALARS = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | st.text(max_size=20)
KEYS = st.text(min_size=1, max_size=10)
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@settings(max_examples=150, deadline=None)
@given(data=DATA)
def test_plain_data_survives(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """What PyYAML writes and its safe loader reads, ours reads alike."""
    path = write(tmp_path_factory.mktemp("yaml"), yaml.safe_dump(data, allow_unicode=True))
    assert yaml_file.load(path).data == yaml.safe_load(path.read_text())


@pytest.mark.parametrize("text", ["2_063_837", "0x1F", "010", "1e3", "1.5", ".inf", "yes", "off", "~", "-7"])
def test_scalars_mean_what_yaml_says(tmp_path: Path, text: str) -> None:
    ours = yaml_file.load(write(tmp_path, f"a: {text}\n")).data["a"]
    stock = yaml.safe_load(text)
    assert (ours == stock and type(ours) is type(stock)) or (math.isnan(ours) and math.isnan(stock))
