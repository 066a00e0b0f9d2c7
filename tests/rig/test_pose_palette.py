# SPDX-License-Identifier: MIT
"""Palettes of poses in one pass, beside model matrices and palettes in turn and the float64 twins."""

from collections.abc import Iterator

import numpy as np
import pytest

import lissom
from lissom import _core
from lissom._rig.skin import Palette
from random_rigs import random_poses, random_quats, random_skeleton
from reference import palette as palette_twin
from reference.model_pose import model_matrices

# Chains of up to 40 joints about one unit apart, in float32.
TWIN = 4e-5
ROUNDING = 1e-5


@pytest.fixture
def deterministic() -> Iterator[None]:
    lissom.set_deterministic(True)
    yield
    lissom.set_deterministic(False)
    lissom.set_thread_count(0)


def rig(seed: int) -> tuple[lissom.Skeleton, lissom.Skin, np.random.Generator]:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, int(rng.integers(1, 40)))
    joints = rng.integers(0, len(skeleton), int(rng.integers(1, 30)))
    bind = np.tile(np.eye(4), (len(joints), 1, 1))
    bind[:, :3, 3] = rng.normal(size=(len(joints), 3))
    bind[:, :3, :3] = lissom.quat.to_matrix(random_quats(rng, len(joints)))
    return skeleton, lissom.Skin(joints, bind.astype(np.float32)), rng


def rigid_poses(rng: np.random.Generator, *shape: int) -> np.ndarray:
    poses = random_poses(rng, *shape).astype(np.float32)
    poses[..., 7:] = 1.0
    return poses


def in_turn(skin: lissom.Skin, skeleton: lissom.Skeleton, poses: np.ndarray) -> Palette:
    return skin.palette(skeleton.model_matrices(poses))


@pytest.mark.usefixtures("deterministic")
@pytest.mark.parametrize("count", [1, 3, 4, 15, 16, 17, 40, 200])
@pytest.mark.parametrize("threads", [1, 2])
def test_one_pass_has_the_bits_of_both_in_turn(count: int, threads: int) -> None:
    lissom.set_thread_count(threads)
    for seed in range(4):
        skeleton, skin, rng = rig(10 * count + seed)
        poses = rigid_poses(rng, count, len(skeleton))
        expected = in_turn(skin, skeleton, poses)
        matrices = _core.plain_pose_matrices(skeleton._held_parents, skin._bind, poses)
        dual_quats = _core.plain_pose_dual_quats(skeleton._held_parents, skin._bind, poses)
        assert matrices.tobytes() == expected.matrices.tobytes()
        assert dual_quats.tobytes() == expected.dual_quats.tobytes()
        assert expected.scales is None
        scaled = random_poses(rng, count, len(skeleton)).astype(np.float32)
        matrices = _core.plain_pose_matrices(skeleton._held_parents, skin._bind, scaled)
        assert matrices.tobytes() == in_turn(skin, skeleton, scaled).matrices.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_one_pass_agrees_with_the_twins(seed: int) -> None:
    skeleton, skin, rng = rig(seed)
    poses = rigid_poses(rng, 18, len(skeleton))
    palette = Palette._of_poses(skin, skeleton, poses)
    for index, pose in enumerate(poses.astype(np.float64)):
        model = model_matrices(skeleton.parents, pose)
        matrices = palette_twin.matrices(skin.joints, skin.joint_from_bind, model)
        np.testing.assert_allclose(palette.matrices[index], matrices, atol=TWIN)
        dual_quats, _ = palette_twin.decompose(skin.joints, skin.joint_from_bind, model)
        found = palette.dual_quats[index].astype(np.float64)
        signs = np.sign((found[:, :4] * dual_quats[:, :4]).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(signs * found, dual_quats, atol=TWIN)


def test_a_palette_of_poses_is_one_of_matrices() -> None:
    """Shapes, forms, laws: whatever is asked for first."""
    skeleton, skin, rng = rig(3)
    poses = rigid_poses(rng, 5, 4, len(skeleton))
    expected = in_turn(skin, skeleton, poses)
    for first in ("matrices", "dual_quats", "scales", "quat_trans"):
        palette = Palette._of_poses(skin, skeleton, poses)
        assert (palette.batch_shape, palette.dtype, len(palette)) == ((5, 4), np.float32, len(skin))
        getattr(palette, first)
        assert palette.scales is None
        for form in ("matrices", "dual_quats", "quat_trans"):
            array = getattr(palette, form)
            assert not array.flags.writeable
            np.testing.assert_allclose(array, getattr(expected, form), atol=ROUNDING)
    assert repr(palette) == repr(expected)


def test_scales_are_found_in_turn() -> None:
    skeleton, skin, rng = rig(4)
    poses = random_poses(rng, 20, len(skeleton)).astype(np.float32)
    palette, expected = Palette._of_poses(skin, skeleton, poses), in_turn(skin, skeleton, poses)
    assert _core.plain_pose_dual_quats(skeleton._held_parents, skin._bind, poses) is None
    np.testing.assert_array_equal(palette.dual_quats, expected.dual_quats)
    assert palette.scales is not None
    assert expected.scales is not None
    np.testing.assert_array_equal(palette.scales, expected.scales)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_in_turn(count: int, number: float) -> None:
    skeleton, skin, rng = rig(5)
    poses = rigid_poses(rng, count, len(skeleton))
    poses[-1, skin.joints[0], 7] = number
    palette = Palette._of_poses(skin, skeleton, poses)
    for form in ("matrices", "dual_quats"):
        with pytest.raises(ValueError, match=r"model at batch item .*is not finite"):
            getattr(palette, form)


def test_finite_numbers_whose_sum_is_not_are_no_fault() -> None:
    skeleton = lissom.Skeleton(["root"], [-1], lissom.trs.identity()[None].astype(np.float32))
    poses = np.repeat(skeleton.rest[None], 16, axis=0)
    poses[:, 0, :3] = 3e38
    palette = Palette._of_poses(lissom.Skin([0], np.eye(4)[None]), skeleton, poses)
    assert palette.matrices[3, 0, 0, 3] == np.float32(3e38)


def test_other_poses_go_the_checked_way() -> None:
    skeleton, skin, rng = rig(6)
    poses = rigid_poses(rng, 20, len(skeleton))
    wide = Palette._of_poses(skin, skeleton, poses.astype(np.float64))
    assert wide.dual_quats.dtype == wide.matrices.dtype == np.float64
    np.testing.assert_allclose(wide.matrices, in_turn(skin, skeleton, poses).matrices, atol=TWIN)
    with pytest.raises(ValueError, match=r"Skeleton\.model_matrices: poses must have shape"):
        Palette._of_poses(skin, skeleton, poses[..., :9])
    far = lissom.Skin([len(skeleton)], np.eye(4)[None])
    with pytest.raises(ValueError, match="but the skin uses joint"):
        Palette._of_poses(far, skeleton, poses)


def test_no_poses_have_empty_palettes() -> None:
    skeleton, skin, _ = rig(7)
    palette = Palette._of_poses(skin, skeleton, np.empty((0, len(skeleton), 10), np.float32))
    assert palette.matrices.shape == (0, len(skin), 4, 4)
    assert palette.dual_quats.shape == (0, len(skin), 8)
    nothing = lissom.Skin(np.empty(0, np.int32), np.empty((0, 4, 4)))
    assert Palette._of_poses(nothing, skeleton, skeleton.rest[None]).matrices.shape == (1, 0, 4, 4)
