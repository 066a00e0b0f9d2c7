# SPDX-License-Identifier: MIT
"""The check of words that are not used: what it reads, what it passes over, and how it says where."""

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.tree
ROOT = Path(__file__).resolve().parents[2]
DICTIONARY = r"""
## Used

| `Return` | this table is of other words | | |

## Not used

| word | say instead | in | except in |
| --- | --- | --- | --- |
| `hocus pocus` | how it works | | |
| `^Behold` | Return | docstrings | |
| `riddles?\|puzzles?` | plain words | comments, messages | `src/*.h` |
"""


@pytest.fixture
def lint(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / ".ci")
    return importlib.import_module("lint_words")


def notebook(*cells: tuple[str, str]) -> str:
    """Write cells as nbformat does: each line of a source on a line of the file."""
    listed = [{"cell_type": kind, "source": source.splitlines(keepends=True)} for kind, source in cells]
    return json.dumps({"cells": listed}, indent=1, ensure_ascii=False)


CELLS = (("markdown", "# Points\nSay hocus pocus."), ("code", "%time\n# a riddle"))
# A file, its text, and the lines with the words that are to be found there.
SAMPLES = {
    "docstring": ("a.py", 'def f():\n    """Behold points."""\n', ["2 Behold"]),
    "docstring of an attribute": ("a.py", 'LEAST = 1\n"""Behold points."""\n', ["2 Behold"]),
    "not its first word": ("a.py", '"""Points.\n\nBehold them."""\n', []),
    "not its whole first word": ("a.py", '"""Beholdn points."""\n', []),
    "not of this kind": ("a.py", '# Behold points.\nprint("Behold points.")\n', []),
    "comment": ("a.py", "x = 1  # Riddles, a puzzle\n", ["1 Riddles", "1 puzzle"]),
    "comment of two lines": ("a.py", "x = 1\n# Say hocus\n# pocus.\n", ["2 hocus pocus"]),
    "two comments": ("a.py", "x = 1  # Say hocus\ny = 2  # pocus.\n", []),
    "message": ("a.py", 'raise ValueError(\n    f"{n} is hocus "\n    "pocus"\n)\n', ["2 hocus pocus"]),
    "expression in a message": ("a.py", 'x = f"a {riddle} b"\n', []),
    "identifiers": ("a.py", "hocus_pocus = riddle = Behold()\n", []),
    "key": ("a.py", 'x = {"riddle": 1}\n', []),
    "comment in C++": ("src/a.cpp", "// Say hocus\n  // pocus.\nint riddle = 0;\n", ["1 hocus pocus"]),
    "message in C++": (
        "src/a.cpp",
        'f(1\'000, "no " "riddle, "\n  "no puzzle");\n',
        ["1 riddle", "2 puzzle"],
    ),
    "comment in GLSL": ("a.glsl", "/* Say hocus\n * pocus. */\nfloat riddle;\n", ["1 hocus pocus"]),
    "JavaScript": ("a.js", "const riddle = `x: ${x}\n a riddle`; // 'a puzzle'\n", ["2 riddle", "2 puzzle"]),
    "page": ("a.md", "# Points\n\nSay hocus\npocus: no riddle.\n", ["3 hocus pocus"]),
    "two paragraphs": ("a.md", "Say hocus\n\npocus.\n", []),
    "notebook": ("a.ipynb", notebook(*CELLS), ["7 hocus pocus", "14 riddle"]),
    "excepted file": ("src/a.h", "// a riddle; hocus pocus\n", ["1 hocus pocus"]),
}


@pytest.mark.parametrize(("name", "text", "expected"), SAMPLES.values(), ids=SAMPLES)
def test_words_are_found_where_people_read_them(
    lint: ModuleType, name: str, text: str, expected: list[str]
) -> None:
    found = [re.fullmatch(r".*:(\d+): '(.*)' is not used; .*", hit) for hit in hits(lint, name, text)]
    assert [f"{hit[1]} {hit[2]}" for hit in found if hit] == expected


def test_a_hit_says_where_it_is_and_what_to_say(lint: ModuleType) -> None:
    text = "# The corners hocus\n# pocus.\n"
    assert hits(lint, "a.py", text) == ["a.py:1: 'hocus pocus' is not used; say how it works"]


def hits(lint: ModuleType, name: str, text: str) -> list[str]:
    return list(lint.hits(name, text, lint.words(DICTIONARY)))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("## Not used\n", "must have a table"),
        ("## Not used\n| `a|b` | c | | |\n", "a row must have 4 cells"),
        ("## Not used\n| `a` | b | docs | |\n", "a kind of text must be one of docstrings, comments"),
    ],
)
def test_a_broken_table_is_refused(lint: ModuleType, text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        lint.words(text)


def test_the_dictionary_names_words_and_pages_are_among_the_files(lint: ModuleType) -> None:
    assert lint.words(lint.DICTIONARY.read_text(encoding="utf-8"))
    found = {path.relative_to(ROOT).as_posix() for path in lint.files()}
    assert {"README.md", "docs/concepts/words.md", "python/lissom/__init__.py", ".ci/lint_words.py"} <= found
    assert not [name for name in found if "node_modules" in name or name.startswith(("docs/_build", "build"))]
