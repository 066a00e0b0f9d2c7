# SPDX-License-Identifier: MIT
"""Painting the mix of linear and dual quaternion skinning from bends."""

import numpy as np
import pytest

import lissom
from lissom import quat, trs

ELBOW = 0.5  # along x, where the two bones of the strip meet


def strip(vertex_count=41):
    """A row of vertices along two bones of half a metre, weights running over from 0.3 to 0.7."""
    rest = trs.identity((2,))
    rest[1, :3] = [ELBOW, 0, 0]
    tip = trs.identity((1,))
    tip[0, :3] = [ELBOW, 0, 0]
    skeleton = lissom.Skeleton(["upper", "lower", "tip"], [-1, 0, 1], np.concatenate([rest, tip]))
    x = np.linspace(0, 1, vertex_count)
    lower = np.clip((x - 0.3) / 0.4, 0, 1)
    mesh = lissom.Mesh(
        np.stack([x, 0 * x, 0 * x], axis=1), [], [[0, 1]] * vertex_count, np.stack([1 - lower, lower], axis=1)
    )
    skin = lissom.Skin([0, 1, 2], np.linalg.inv(skeleton.model_matrices(skeleton.rest)))
    return lissom.Character("strip", skeleton, mesh, skin)


def turned(character, axis, angle):
    pose = character.skeleton.rest.copy()
    pose[1, 3:7] = quat.from_axis_angle(np.array(axis, float), angle)
    return pose


def test_a_bend_paints_the_middle_and_leaves_the_ends() -> None:
    character = strip()
    blend = lissom.bend_blend(character, turned(character, [0, 0, 1], np.pi / 2))
    assert blend.dtype == np.float32
    assert blend[20] == pytest.approx(0, abs=1e-6)
    np.testing.assert_array_equal(blend[[0, 5, 40]], 1)
    np.testing.assert_allclose(blend, blend[::-1], atol=1e-6)
    # Half the bend: 2 min(w) = 1, times 1/2, smooth: 1 - 1/2.
    half = lissom.bend_blend(character, turned(character, [0, 0, 1], np.pi / 4))
    assert half[20] == pytest.approx(0.5, abs=1e-6)
    assert lissom.bend_blend(character, turned(character, [0, 1, 0], 2.0), least=0.4)[20] == pytest.approx(
        0.4
    )


def test_a_twist_paints_nothing() -> None:
    character = strip()
    np.testing.assert_allclose(lissom.bend_blend(character, turned(character, [1, 0, 0], 2.5)), 1, atol=1e-6)


def test_the_sharpest_of_many_poses_counts() -> None:
    character = strip()
    poses = np.stack([turned(character, [0, 0, 1], angle) for angle in (0, 1.2, 0.3)])
    np.testing.assert_array_equal(lissom.bend_blend(character, poses), lissom.bend_blend(character, poses[1]))


def test_moving_and_turning_the_whole_changes_nothing() -> None:
    character = strip()
    pose = turned(character, [0, 0, 1], 1.0)
    before = lissom.bend_blend(character, pose)
    pose[0, :3] = [3, 1, 2]
    pose[0, 3:7] = quat.from_axis_angle(np.array([0.6, 0, 0.8]), 2.0)
    np.testing.assert_allclose(lissom.bend_blend(character, pose), before, atol=1e-6)


def test_refusals() -> None:
    character = strip()
    with pytest.raises(ValueError, match="bend_blend: angle must be positive, in radians, got 0"):
        lissom.bend_blend(character, character.skeleton.rest, angle=0)
    with pytest.raises(ValueError, match=r"bend_blend: least must be in \[0, 1\], got 2"):
        lissom.bend_blend(character, character.skeleton.rest, least=2)
    bare = lissom.Character("bare", character.skeleton, None, None)
    with pytest.raises(ValueError, match="bend_blend: character must have a mesh, 'bare' has none"):
        lissom.bend_blend(bare, character.skeleton.rest)
