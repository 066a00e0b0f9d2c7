# SPDX-License-Identifier: MIT
"""Pages that name tests, benchmarks and files of the tree name such as there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "docs" / "project"
PAGES = [ROOT / "CONTRIBUTING.md", *sorted(PROJECT.glob("*.md"))]
ROOMS = ("src", "python", "shaders", "tests", "benchmarks", "docs", "notebooks")
NAMED = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+)`")
HELD_BY = re.compile(r"(?:Held by|and) \[(tests/[\w/]+\.py)\]\(\.\./\.\./\1\): `(test_\w+)`")


def entries() -> list[str]:
    """The entries of the page of errata."""
    return re.split(r"^(?:- |## )", (PROJECT / "errata.md").read_text(), flags=re.MULTILINE)[1:]


ENTRIES = [entry for entry in entries() if "**Right:**" in entry]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry[:40])
def test_every_erratum_is_held_by_a_test_that_exists(entry: str) -> None:
    held = HELD_BY.findall(entry)
    assert len(held) == entry.count("`test_") > 0
    for path, function in held:
        assert f"\ndef {function}(" in (ROOT / path).read_text(), f"{path}: {function}"


def test_there_are_errata() -> None:
    assert len(ENTRIES) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page: Path) -> None:
    missing = [name for name in NAMED.findall(page.read_text()) if not (ROOT / name).exists()]
    # Names of notebooks are numbers and words to fill in.
    assert not [name for name in missing if "NN-" not in name]
