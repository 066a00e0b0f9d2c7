# SPDX-License-Identifier: MIT
"""The table of errors in the docs says what measuring again says."""

import pytest

from doc_tables import cells, rows_of, script_of


@pytest.fixture(scope="module")
def script():
    return script_of("clip_errors")


def stated(script):
    """The rows of the page by character, as lists of cells."""
    return {row[0]: row for row in rows_of(script)}


def test_the_sums_are_those_of_the_rows(script):
    *rows, total = stated(script).values()
    assert total[0] == f"all {len(rows)}"
    assert int(total[1]) == sum(int(row[1]) for row in rows)
    assert int(total[8]) == sum(int(row[8]) for row in rows)
    kept = sum(int(row[8]) * float(row[9]) for row in rows) / int(total[8])
    assert float(total[9].strip("*")) == pytest.approx(kept, abs=0.1)


@pytest.mark.parametrize(
    "name",
    [
        *("khronos/Fox.glb", "khronos/CesiumMan.glb", "kaykit/Med_CombatMelee.glb"),
        *("kenney/character.glb", "quaternius/platformer_game_pack/Bee.glb"),
    ],
)
def test_rows_are_what_measuring_says(script, asset, name):
    row = script.measured(asset(f"characters/{name}"), asset("characters"))
    said, now = stated(script)[name], cells(str(row))
    exact = (0, 1, 3, 6, 8)  # name, clips, the worst one, rates, keys
    assert [now[i] for i in exact] == [said[i] for i in exact]
    for i in (2, 4, 5, 7, 9):
        # Machines may differ in a rounding, and a rounding in a key.
        assert float(now[i]) == pytest.approx(float(said[i]), rel=0.02, abs=2e-3)
