# SPDX-License-Identifier: MIT
"""Scales that go through zero, to mirrors and back: no rotation is nearest to the matrices there."""

import numpy as np
import pytest

import bake_rigs
import lissom

KEYS = 13  # at 12 a second: chords of 13 keys, which 60 frames a second hold within 0.1 % of the size
HALVED = 0.5  # of the error, by twice the frames: it falls with the square of their rate
NOISE = 2e-6  # of the size: float32 poses, palettes and vertices


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


def mirroring_poses(bones, first, last, joint=3, key_count=KEYS):
    """The waving poses; the scale of a joint goes from `first` to `last` and its child turns below it."""
    poses = bake_rigs.waving_poses(bones, key_count)
    share = np.linspace(0, 1, key_count)[:, None]
    poses[:, joint, 7:] = (1 - share) * first + share * last
    return poses


def mirroring(bones, poses, name="mirror"):
    times = np.linspace(0, 1, len(poses)).astype(np.float32)
    return lissom.Clip.from_poses(bones, times, poses, name=name, loop=False)


def largest_anywhere(character, bake, poses, method):
    """Largest distance from the float64 twin where scales cross zero and at random times, by the size."""
    first, last = poses[0, :, 7:], poses[-1, :, 7:]
    crossing = (first / np.where(first * last < 0, first - last, np.inf))[first * last < 0]
    aside = np.linspace(-1, 1, 12) / bake.clips["mirror"].rate
    moments = np.append(np.random.default_rng(1).uniform(0, 1, 20), crossing[:, None] + aside)
    times = np.linspace(0, 1, len(poses))
    found = bake_rigs.twin_distances(character, bake, "mirror", times, poses, moments, method)
    return found.max() / character.size


@pytest.mark.parametrize(
    ("joint", "first", "last"),
    [
        (3, (1, -1, 1), (1, 1, 1)),
        (4, (1, 1, 1), (1, 1, -0.6)),
        (3, (-1, 1, -1), (1, 1, 1)),  # a half turn: no determinant changes its sign
        (3, (-0.7, -0.8, -1), (1, 0.9, 0.8)),
    ],
)
def test_a_mirror_that_comes_or_goes_is_held(bones, joint, first, last):
    poses = mirroring_poses(bones, np.array(first), np.array(last), joint)
    character = bake_rigs.character(mirroring(bones, poses))
    errors = []
    for rate in (48, 96):
        bake = lissom.bake(character, rate=rate, dtype="float32")
        errors.append(largest_anywhere(character, bake, poses, "linear"))
        assert errors[-1] <= 1.02 * bake.report.max_relative + NOISE
        assert bake.clips["mirror"].error.at_frames.max < NOISE * character.size
    assert errors[0] < 2e-3
    assert errors[1] < HALVED * errors[0]
    assert lissom.bake(character, max_error=2e-3).report.max_relative <= 2e-3


def test_vertices_of_one_joint_are_held_by_dual_quaternions(bones):
    """Whatever the rotation stored, R A is the matrix; only blends of several rows see which R it is."""
    poses = mirroring_poses(bones, np.array([1, -0.9, 1]), np.array([1, 1, 1]), 4)
    clip = mirroring(bones, poses)
    tube = bake_rigs.mesh()
    rows = tube.indices[np.arange(len(tube.indices)), tube.weights.argmax(axis=1)]
    rigid = lissom.Mesh(tube.positions, tube.triangles, rows[:, None], np.ones((len(rows), 1)))
    character = lissom.Character("tube", bones, rigid, bake_rigs.skin(bones), [clip])
    bake = lissom.bake(character, rate=96, dtype="float32", method="dual_quat")
    assert largest_anywhere(character, bake, poses, "dual_quat") < 1e-3


def test_fades_between_mirrors_do_not_leave_them(bones):
    """A clip that stays mirrored is stored by the same rotations as the one that becomes so."""
    mirror = np.array([1, -1, 1])
    poses = mirroring_poses(bones, mirror, np.array([1, 1, 1]))
    clip = mirroring(bones, poses)
    still = mirroring(bones, np.repeat(poses[:1], 2, axis=0), name="still")
    for clips in ([clip, still], [still, clip]):
        bake = lissom.bake(bake_rigs.character(*clips), dtype="float32")
        here, there = (bake.clips[name].first_frame for name in ("mirror", "still"))
        faded = bake.sample_frames([here], next_coordinates=[there], fades=[0.5]).matrices[0]
        model = bones.model_matrices(poses[0].astype(np.float64))
        expected = model @ np.linalg.inv(bones.model_matrices(bones.rest.astype(np.float64)))
        np.testing.assert_allclose(faded, expected, atol=1e-5)


def test_a_joint_that_turns_fast_is_no_mirror(bones):
    """Rotations that jump because the clip does are stored as they are: nearest to their matrices."""
    poses = bake_rigs.waving_poses(bones, 2)[[0, 0]]
    poses[1, 2, 3:7] = 0, 0, 1, 0  # half a turn in one frame
    poses[:, 2, 7:] = 1.5, 1.0, 1.0
    character = bake_rigs.character(mirroring(bones, poses))
    bake = lissom.bake(character, rate=1, dtype="float32")
    source = character.skin.palette(bones.model_matrices(poses))
    dots = (bake.texels[:, :, 0] * source.dual_quats[..., :4]).sum(axis=-1)
    np.testing.assert_allclose(np.abs(dots), 1.0, atol=1e-6)
    stretch = bake.texels[:, :, 2:5, :3]
    np.testing.assert_allclose(stretch, stretch.swapaxes(-1, -2), atol=1e-6)
