# SPDX-License-Identifier: MIT
"""The table of baked errors in the docs says what measuring again says."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "tables" / "bake_errors.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("bake_errors", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stated(script):
    """The words of the page, and its rows by character and clip as lists of cells."""
    page = script.PAGE.read_text(encoding="utf-8")
    text = page[page.index(script.BEGIN) : page.index(script.END)]
    rows = [cells(line) for line in text.splitlines() if line.startswith("| ")][2:]
    return " ".join(text.split("|")[0].split()), {(row[0], row[1].replace("\\|", "|")): row for row in rows}


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_words_are_those_of_the_rows(script):
    words, rows = stated(script)
    assert f"These {len(rows)} are above it" in words
    count = int(re.search(r"Of (\d+) clips", words).group(1))
    assert f"{100 * (1 - len(rows) / count):.1f} % are within 0.15 %" in words
    assert len(rows) <= 0.05 * count
    missed = sum(row[6] == "none" for row in rows.values())
    assert f"for all{f' but {missed}' if missed else ''}, with" in words
    assert all(float(row[2]) >= 0.15 for row in rows.values())


@pytest.mark.parametrize(
    "name",
    [
        *("gdquest/gdbot.glb", "quaternius/easy_enemies_pack/Wasp.glb"),
        "quaternius/platformer_game_pack/Bee.glb",  # above the bound in no clip
    ],
)
def test_rows_are_what_measuring_says(script, asset, name):
    measured = {(row.character, row.clip): row for row in script.measured(asset(f"characters/{name}"))}
    said = {key: row for key, row in stated(script)[1].items() if key[0] == script.called(Path(name))}
    above = {key for key, row in measured.items() if row.largest > 100 * script.BOUND}
    assert above == set(said)
    for key, row in said.items():
        now = cells(str(measured[key]))
        assert [now[i] for i in (4, 5, 6)] == [row[i] for i in (4, 5, 6)]
        np.testing.assert_allclose(
            [float(now[i]) for i in (2, 3)], [float(row[i]) for i in (2, 3)], atol=0.011
        )
