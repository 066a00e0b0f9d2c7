# SPDX-License-Identifier: MIT
"""Pages that name tests, benchmarks and files of the tree name such as there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "docs" / "project"
PAGES = [ROOT / "CONTRIBUTING.md", *sorted(PROJECT.glob("*.md"))]
ROOMS = ("src", "python", "shaders", "tests", "benchmarks", "docs", "notebooks")
NAMED = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+)`")
HELD_BY = re.compile(r"\[[\w/.]+\]\(\.\./\.\./(tests/[\w/]+\.py)\): `(test_\w+)`")


def rows() -> list[str]:
    """The entries of the page of errata: rows of its tables, without their heads."""
    lines = (PROJECT / "errata.md").read_text().splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith(("| what ", "| ---"))]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[2:40])
def test_every_erratum_is_held_by_a_test_that_exists(row: str) -> None:
    held = HELD_BY.findall(row.split("|")[3])
    assert held
    for path, function in held:
        assert f"\ndef {function}(" in (ROOT / path).read_text(), f"{path}: {function}"


def test_there_are_errata() -> None:
    assert len(rows()) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page: Path) -> None:
    missing = [name for name in NAMED.findall(page.read_text()) if not (ROOT / name).exists()]
    # Names of notebooks are numbers and words to fill in.
    assert not [name for name in missing if "NN-" not in name]
