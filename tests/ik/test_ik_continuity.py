# SPDX-License-Identifier: MIT
"""Clips solved frame by frame: no flips, and each frame goes on from the one before."""

import numpy as np
import pytest

import lissom
from ik_solvers import each_iterative
from lissom import ik
from reference import ik as twin
from reference import quat

HERO = lissom.samples.humanoid()
RATE = 60.0  # frames a second
FACTOR = 2.0
"""How much faster joints may turn than those of the input and the target together: stated in the docs."""

LIMBS = {
    "arm": ("UpperArm.L", "LowerArm.L", "Hand.L"),
    "leg": ("UpperLeg.R", "LowerLeg.R", "Foot.R"),
    "spine and arm": ("Spine", None, "Hand.R"),
}
each_limb = pytest.mark.parametrize("limb", LIMBS)


def chain_of(skeleton, limb):
    root, middle, tip = limb
    limits = {middle: ik.Hinge.from_rest(0.0, 2.6, zero="straight")} if middle else {}
    return ik.Chain(skeleton, root, tip, limits=limits)


def reaching(chain, poses, times):
    """Targets on a smooth path within reach, and how fast they move against the tip, in lengths a second."""
    points = twin.positions(chain.skeleton.parents, poses)
    root, tip = points[:, chain.joints[0]], points[:, chain.joints[-1]]
    least, most = twin.reach(np.linalg.norm(np.diff(points[0, chain.joints], axis=0), axis=-1))
    sway = 0.1 * chain.length * np.stack([np.sin(3 * times), np.cos(2 * times), np.sin(2.5 * times + 1)], -1)
    way = 0.75 * (tip - root) + sway
    distance = np.linalg.norm(way, axis=-1, keepdims=True)
    # Neither straight nor folded: there joints turn at any speed.
    targets = root + way / distance * np.clip(distance, 0.8 * least + 0.2 * most, 0.1 * least + 0.9 * most)
    own = np.diff(targets - tip, axis=0)
    return targets, np.linalg.norm(own, axis=-1).max() * RATE / chain.length


def speeds(poses, joints):
    """How fast each joint turns against the one above it, radians a second."""
    return RATE * quat.angle_between(poses[1:, joints, 3:7], poses[:-1, joints, 3:7])


def swept(solver, clip, chain, seconds=4.0, **options):
    times = np.arange(0, seconds, 1 / RATE)
    poses = clip.sample(times, loop=True).astype(np.float64)
    targets, moved = reaching(chain, poses, times)
    done = solver(chain, poses, targets, tolerance=1e-3, **options)
    return poses, targets, done, speeds(poses, chain.joints[:-1]).max() + moved


@each_iterative
@each_limb
@pytest.mark.parametrize("name", ["walk", "run", "wave"])
def test_joints_turn_no_faster_than_the_input_asks_for(solver, limb, name):
    chain = chain_of(HERO.skeleton, LIMBS[limb])
    _, _, done, asked = swept(solver, HERO.clips[name], chain, continuous=True)
    assert done.reached.mean() > 0.98
    assert speeds(done.pose, chain.joints[:-1]).max() <= FACTOR * asked


REAL = [
    ("kaykit/Knight.glb", "Walking_A"),
    ("godot/player.glb", "walk"),
    ("khronos/CesiumMan.glb", "clip_0"),
    ("khronos/Fox.glb", "Walk"),
]


@each_iterative
@pytest.mark.parametrize(("file", "name"), REAL)
def test_the_legs_of_real_clips_do_not_flip(solver, file, name, asset):
    hero = lissom.load(asset(f"characters/{file}"))
    clip = hero.clips[name]
    for leg in ik.Leg.find(hero):
        chain = ik.Chain(hero.skeleton, leg.hip, leg.ankle)
        _, _, done, asked = swept(solver, clip, chain, 2 * clip.duration, continuous=True)
        assert done.reached.mean() > 0.98
        assert speeds(done.pose, chain.joints[:-1]).max() <= FACTOR * asked


@each_iterative
def test_each_frame_starts_from_the_correction_of_the_one_before(solver):
    """The correction is what was put before the input's rotation: solved = correction * input."""
    chain = chain_of(HERO.skeleton, LIMBS["arm"])
    poses, targets, done, _ = swept(solver, HERO.clips["run"], chain, 0.5, continuous=True, max_iterations=5)
    start, joints = poses[0], chain.joints[:-1]
    for frame in range(len(poses)):
        one = solver(chain, poses[frame], targets[frame], start=start, tolerance=1e-3, max_iterations=5)
        np.testing.assert_allclose(
            quat.angle_between(one.pose[joints, 3:7], done.pose[frame, joints, 3:7]), 0, atol=1e-6
        )
        if frame + 1 < len(poses):
            correction = quat.multiply(one.pose[joints, 3:7], quat.conjugate(poses[frame, joints, 3:7]))
            start = poses[frame + 1].copy()
            start[joints, 3:7] = quat.normalize(quat.multiply(correction, poses[frame + 1, joints, 3:7]))


@each_iterative
def test_sequences_side_by_side_do_not_see_each_other(solver):
    chain = chain_of(HERO.skeleton, LIMBS["leg"])
    both = [swept(solver, HERO.clips[name], chain, 0.4, continuous=True) for name in ("walk", "run")]
    options = {"tolerance": 1e-3, "continuous": True}
    poses, targets = (np.stack([each[i] for each in both]) for i in (0, 1))
    together = solver(chain, poses, targets, **options)
    for row, (_, _, alone, _) in enumerate(both):
        assert together.pose[row].tobytes() == alone.pose.tobytes()
        assert together.iterations[row].tobytes() == alone.iterations.tobytes()


@each_iterative
def test_going_on_takes_fewer_iterations(solver):
    chain = chain_of(HERO.skeleton, LIMBS["arm"])
    apart = swept(solver, HERO.clips["walk"], chain)[2]
    after = swept(solver, HERO.clips["walk"], chain, continuous=True)[2]
    assert after.iterations.mean() < apart.iterations.mean()


@each_iterative
def test_a_blended_sequence_goes_on_from_what_was_solved(solver):
    """A weight blends what comes out; what the next frame starts from is not blended."""
    chain = chain_of(HERO.skeleton, LIMBS["arm"])
    poses, _, full, _ = swept(solver, HERO.clips["walk"], chain, 0.5, continuous=True)
    half = swept(solver, HERO.clips["walk"], chain, 0.5, continuous=True, weight=0.5)[2]
    np.testing.assert_array_equal(half.iterations, full.iterations)
    joints = chain.joints[:-1]
    share = np.full(poses[:, joints].shape[:-1], 0.5)
    wanted = quat.slerp(poses[:, joints, 3:7], full.pose[:, joints, 3:7], share)
    assert quat.angle_between(half.pose[:, joints, 3:7], wanted).max() < 2e-3
