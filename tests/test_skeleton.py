# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import Skeleton


def rest_pose(count: int) -> np.ndarray:
    return np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))


def test_positions_add_up_along_a_chain() -> None:
    skeleton = Skeleton(["a", "b", "c"], [-1, 0, 1], rest_pose(3))
    np.testing.assert_array_equal(skeleton.positions(skeleton.rest)[:, 1], [1, 2, 3])


def test_an_unknown_name_suggests_near_ones() -> None:
    skeleton = Skeleton(["UpperLeg.L", "LowerLeg.L"], [-1, 0], rest_pose(2))
    with pytest.raises(ValueError, match=r"no joint is named 'upperleg.L'; did you mean 'UpperLeg.L'"):
        skeleton.index("upperleg.L")
