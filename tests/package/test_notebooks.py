# SPDX-License-Identifier: MIT
"""Notebooks as they lie in the tree: stripped, numbered, whole, and made of public names."""

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.tree
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST = 36  # lines of a cell: a longer one is two
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    import nbformat  # half a second, which no other worker need wait for

    return nbformat.read(path, as_version=4)


def validate(notebook: Any) -> None:
    import nbformat

    nbformat.validate(notebook)


def prose(notebook: Any) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def test_numbers_go_from_one_without_a_gap() -> None:
    numbers = [int(path.stem[:2]) for path in NOTEBOOKS]
    assert numbers == list(range(1, len(NOTEBOOKS) + 1))
    assert all(re.fullmatch(r"\d\d(-[a-z0-9]+)+", path.stem) for path in NOTEBOOKS)


@each
def test_is_stripped(path: Path) -> None:
    notebook = read(path)
    validate(notebook)
    assert notebook.metadata == KERNEL
    assert [cell.id for cell in notebook.cells] == [str(i) for i in range(len(notebook.cells))]
    for cell in notebook.cells:
        assert cell.metadata == {}
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@each
def test_begins_and_ends_as_all_do(path: Path) -> None:
    cells = read(path).cells
    title, learn, needs, *_ = cells[0].source.split("\n\n")
    assert re.fullmatch(rf"# {int(path.stem[:2])}\. [^\n]+", title)
    assert learn.startswith("**You will learn** ")
    assert needs.startswith("**Needs** ")
    tasks = cells[-1].source.partition("## Exercises\n")[2]
    exercises = re.findall(r"^(\d)\. (.+?)(?=^\d\. |\Z)", tasks, re.MULTILINE | re.DOTALL)
    assert [number for number, _ in exercises] == ["1", "2", "3"]
    assert all("*Hint:" in text for _, text in exercises)


@each
def test_names_extras_that_there_are(path: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.search(r'pip install "lissom\[([a-z,]+)\]"', read(path).cells[0].source)
    assert named
    assert set(named[1].split(",")) <= set(extras)


@each
def test_uses_public_names_alone(path: Path) -> None:
    for source in code(read(path)):
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.Attribute):
                names = [node.attr]
            elif isinstance(node, ast.Import):
                names = [part for alias in node.names for part in alias.name.split(".")]
            elif isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            private = [name for name in names if name.startswith("_") and not name.endswith("__")]
            assert not private, source


@each
def test_imports_what_an_extra_brings(path: Path) -> None:
    known = {*sys.stdlib_module_names, "lissom", "numpy", "matplotlib", "PIL"}
    for source in code(read(path)):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= known
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in known


@each
def test_has_short_cells_between_words(path: Path) -> None:
    notebook = read(path)
    assert all(len(source.splitlines()) <= LONGEST for source in code(notebook))
    kinds = "".join(cell.cell_type[0] for cell in notebook.cells)
    assert "cccc" not in kinds  # three cells in a row are enough without a word
    assert prose(notebook).count("\n## ") >= 4


@each
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose(read(path))):
        assert (path.parent / target).exists(), target


@each
def test_is_in_the_list_of_the_readme(path: Path) -> None:
    assert f"(notebooks/{path.name})" in (ROOT / "README.md").read_text()
