# SPDX-License-Identifier: MIT
"""Points at the same position, within a millionth of the box's diagonal, which is 1 here."""

import numpy as np
import pytest

from lissom._rig.weld import weld_bound, welded


@pytest.mark.parametrize(
    ("places", "joined"),
    [
        ((0.0, 0.99), True),
        ((1.9, 2.8), True),  # both from 1 to 3, though on either side of 2
        ((2.9, 3.8), True),
        ((1.9, 3.1), False),  # on either side of 2 and of 3
        ((0.9, 2.1), False),
        ((0.0, 3.5), False),
    ],
)
@pytest.mark.parametrize("axis", range(3))
def test_points_within_a_millionth_of_the_diagonal_are_welded(places, joined, axis):
    """The grids have cells of two millionths, half a cell apart: lines at each whole millionth, by turns."""
    points = np.zeros((4, 3))  # the last two are the ends of the box, a line
    points[:, axis] = [places[0] * 1e-6, places[1] * 1e-6, 0, 1]
    first, second = welded(points)[:2]
    assert (first == second) == joined
    _, number = weld_bound(points)
    assert (number[0] == number[1]) == joined
