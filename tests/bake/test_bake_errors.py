# SPDX-License-Identifier: MIT
"""The table of baked errors in the docs says what measuring again says."""

import re
from pathlib import Path

import numpy as np
import pytest

from doc_tables import cells, part_of, rows_of, script_of


@pytest.fixture(scope="module")
def script():
    return script_of("bake_errors")


def stated(script):
    """The words of the page, and its rows by character and clip as lists of cells."""
    words = " ".join(part_of(script).split("|")[0].split())
    return words, {(row[0], row[1].replace("\\|", "|")): row for row in rows_of(script)}


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
