# SPDX-License-Identifier: MIT
"""FABRIK beside what all solvers promise: its passes, its dead ends, twist, chains that meet."""

import numpy as np
import pytest

import lissom
from lissom import ik
from random_chains import as_lissom, many_chains, random_chains
from random_rigs import random_quats
from reference import ik as twin
from reference import quat

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])


def straight(lengths, scale=1.0):
    """A chain along y in its rest pose, whose joints are called 0, 1 and so on."""
    rest = np.zeros((len(lengths) + 1, 10))
    rest[:, 6] = 1
    rest[:, 7:] = 1
    rest[0, 7:] = scale
    rest[1:, 1] = lengths
    return lissom.Skeleton([str(i) for i in range(len(rest))], [*range(-1, len(lengths))], rest)


def whole(skeleton, **options):
    return ik.Chain(skeleton, 0, len(skeleton) - 1, **options)


def places(skeleton, poses):
    return twin.positions(skeleton.parents, np.asarray(poses, np.float64))


# The passes.


@pytest.mark.parametrize("passes", [1, 2, 5])
def test_free_chains_do_what_the_paper_says_step_by_step(passes):
    """Positions of the twin, and the least turns that lead there."""
    for chains in many_chains("reachable", 60, size=10, counts=(3, 4, 6, 10)):
        chain = ik.Chain(chains.skeleton, int(chains.joints[0]), int(chains.joints[-1]))
        done = ik.fabrik(chain, chains.poses, chains.targets, tolerance=1e-12, max_iterations=passes)
        assert (done.iterations[~done.reached] == passes).all()
        before = places(chains.skeleton, chains.poses)[:, chains.joints]
        after = places(chains.skeleton, done.pose)[:, chains.joints]
        bones = chains.poses[0, chains.joints[1:], :3]
        for item, target in enumerate(chains.targets):
            wanted, _ = twin.fabrik(before[item], target, 1e-12, passes)
            np.testing.assert_allclose(after[item], wanted, atol=1e-9 * chains.length)
            given = chains.poses[item, chains.joints[:-1], 3:7]
            turned = twin.follow(bones, given, wanted - wanted[0])
            got = done.pose[item, chains.joints[:-1], 3:7]
            assert quat.angle_between(got, turned).max() < 1e-6
        assert (done.iterations[~done.reached] == passes).all()


@DTYPES
def test_twist_is_carried_from_the_input(dtype):
    """No joint turns about its own bone against what it hangs on, however twisted the input is."""
    for chains in many_chains("reachable", 60, size=20, counts=(3, 6, 10)):
        chain = ik.Chain(chains.skeleton, int(chains.joints[0]), int(chains.joints[-1]))
        done = ik.fabrik(chain, chains.poses.astype(dtype), chains.targets.astype(dtype), tolerance=1e-3)
        for joint, child in zip(chains.joints[:-1], chains.joints[1:], strict=True):
            given = chains.poses[:, joint, 3:7]
            change = quat.multiply(done.pose[:, joint, 3:7].astype(np.float64), quat.conjugate(given))
            bone = quat.rotate(given, chains.poses[:, joint + 1, :3])
            bone /= np.linalg.norm(bone, axis=-1, keepdims=True)
            assert child == joint + 1
            twist = 2 * np.arctan2(np.abs((change[:, :3] * bone).sum(-1)), np.abs(change[:, 3]))
            # Near half a turn the axis is what rounding makes of it.
            assert twist[np.abs(change[:, 3]) > 0.1].max() < (1e-4 if dtype == np.float32 else 1e-12)


# Dead ends.


@DTYPES
@pytest.mark.parametrize("lengths", [(1, 1, 1), (1, 1, 1, 1, 1), (1, 0.7, 1.2)])
@pytest.mark.parametrize("height", [2.5, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -2.0])
def test_a_straight_chain_gets_out_of_line(dtype, lengths, height):
    """Three unit bones and a target on their line: passes alone stay at 0.5 for 2.5, 1.5 and 0.5, divide by
    zero at 2.0, where joints coincide, and fold flat at 1.0."""
    skeleton = straight(lengths)
    target = np.array([0, height, 0], dtype)
    done = ik.fabrik(whole(skeleton), skeleton.rest.astype(dtype), target, tolerance=1e-3, max_iterations=15)
    assert done.reached
    points = places(skeleton, done.pose)
    assert np.linalg.norm(points[-1] - target) < 1.01e-3 * sum(lengths)
    assert np.abs(points[1:-1, [0, 2]]).max() > 0.1, "it bends, and is not folded flat"


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, -1), (0.6, 0, 0.8)])
def test_a_straight_limb_bends_about_its_bend_axis(axis):
    skeleton = straight((1, 1, 1))
    done = ik.fabrik(whole(skeleton, bend_axis=axis), skeleton.rest, [0, 2, 0], tolerance=1e-3)
    turns = quat.log(done.pose[:3, 3:7].astype(np.float64))[:, :3]
    assert done.reached
    np.testing.assert_allclose(np.cross(turns, axis), 0, atol=1e-5)
    assert (turns[1:3] @ axis > 0.2).all(), "positive the way it bends further"


def test_mirrors_in_a_chain_bend_it_the_mirrored_way():
    """Behind a joint that mirrors through its point, local rotations are those of the target mirrored so."""
    plain, mirrored = straight((1, 1, 1)), straight((1, 1, 1), scale=-1.0)
    for target in ([0, 2, 0], [0.4, 1.5, 0.3]):
        options = {"tolerance": 1e-3, "max_iterations": 15}
        a = ik.fabrik(whole(plain), plain.rest, target, **options)
        b = ik.fabrik(whole(mirrored), mirrored.rest, -np.array(target), **options)
        assert a.reached
        assert b.reached
        assert quat.angle_between(a.pose[:3, 3:7], b.pose[:3, 3:7]).max() < 1e-5


def test_a_target_beyond_reach_gets_a_straight_chain_at_once():
    skeleton = straight((1, 2, 0.5))
    poses = np.tile(skeleton.rest, (50, 1, 1))
    rng = np.random.default_rng(0)
    poses[..., 3:7] = random_quats(rng, 50, 4)
    ways = rng.normal(size=(50, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    done = ik.fabrik(whole(skeleton), poses, 4.0 * ways)
    assert (done.iterations == 1).all()
    assert not done.reached.any()
    points = places(skeleton, done.pose)
    np.testing.assert_allclose(points[:, 1:], ways[:, None] * [[1], [3], [3.5]], atol=1e-5)
    np.testing.assert_allclose(done.residual, 0.5, atol=1e-5)


@pytest.mark.parametrize("long", [0, 1, 2])
@pytest.mark.parametrize("height", [0.0, 0.3, 0.6])
def test_a_target_too_near_the_root_gets_a_folded_chain_at_once(long, height):
    """The longest bone goes to the target and the others come back: that is as near as it gets."""
    lengths = np.array([0.4, 0.5, 0.6])
    lengths[long] = 2.5
    skeleton = straight(lengths)
    poses = skeleton.rest.copy()
    poses[:, 3:7] = random_quats(np.random.default_rng(1), 4)
    way = np.array([0.6, 0, 0.8])
    done = ik.fabrik(whole(skeleton), poses, height * way)
    spare = 2.5 - (lengths.sum() - 2.5)
    assert spare > height
    assert done.iterations == 1
    assert done.residual == pytest.approx(spare - height, abs=1e-5)
    assert np.linalg.norm(np.diff(places(skeleton, done.pose), axis=0)[long]) == pytest.approx(2.5, rel=1e-5)


@DTYPES
def test_chains_of_points_stay_where_they_are(dtype):
    """Bones without length, all of them or some, joints that coincide, the target at the root."""
    for lengths in [(0, 0, 0), (0, 1, 0), (1, 0, 1), (0, 1, 1, 0, 1)]:
        skeleton = straight(lengths)
        for target in ([0, 0, 0], [0, 1, 0], [0, 0.5, 0], [0.3, 0.2, 0.1], [5, 0, 0]):
            done = ik.fabrik(whole(skeleton), skeleton.rest.astype(dtype), np.array(target, dtype))
            assert np.isfinite(done.pose).all()
            away = np.linalg.norm(places(skeleton, done.pose)[-1] - target)
            longest, reach = max(lengths), sum(lengths)
            distance = np.linalg.norm(target)
            least = max(0.0, distance - reach, 2 * longest - reach - distance)
            assert away == pytest.approx(least, abs=2e-4 * max(reach, 1))


# Limits.


def test_a_ball_turns_about_its_bone_for_the_hinge_below():
    """The root must twist: the hinge alone cannot leave its plane."""
    skeleton = straight((1, 1))
    chain = whole(skeleton, limits={1: ik.Hinge((1, 0, 0), 0.0, 2.6)})
    rng = np.random.default_rng(2)
    ways = rng.normal(size=(200, 3))
    targets = ways / np.linalg.norm(ways, axis=1, keepdims=True) * rng.uniform(0.6, 1.9, (200, 1))
    done = ik.fabrik(chain, skeleton.rest, targets, tolerance=1e-3, max_iterations=100)
    away = np.linalg.norm(places(skeleton, done.pose)[:, -1] - targets, axis=-1)
    assert np.mean(away < 2.01e-3) > 0.97
    knees = done.pose[:, 1, 3:7]
    np.testing.assert_allclose(knees[:, 1:3], 0, atol=1e-6)


def test_a_chain_stuck_at_its_limits_starts_anew():
    """A finger that is bent back: the way to the target leads through what the limits forbid."""
    found = {}
    for most in (8, 100):
        met = tried = 0
        for chains in many_chains("hinge", 400, size=50, counts=(4, 6)):
            chain = ik.Chain(
                chains.skeleton, int(chains.joints[0]), int(chains.joints[-1]), as_lissom(chains.limits)
            )
            done = ik.fabrik(chain, chains.poses, chains.targets, tolerance=1e-3, max_iterations=most)
            away = np.linalg.norm(chains.tips(done.pose) - chains.targets, axis=-1)
            met += np.count_nonzero(away < 1.001e-3 * chains.length)
            tried += len(chains)
        found[most] = met / tried
    assert found[100] > 0.9
    assert found[8] < 0.8, "so that it is new starts that reach"


def test_a_target_beyond_reach_costs_no_new_starts():
    chains = random_chains("ball", 6, 50)
    chain = ik.Chain(chains.skeleton, int(chains.joints[0]), int(chains.joints[-1]), as_lissom(chains.limits))
    root = places(chains.skeleton, chains.poses)[:, chains.joints[0]]
    targets = root + (chains.targets - root) / np.linalg.norm(
        chains.targets - root, axis=-1, keepdims=True
    ) * (1.5 * chains.length)
    done = ik.fabrik(chain, chains.poses, targets, max_iterations=500)
    assert np.median(done.iterations) < 20, "with new starts it is 46"
    assert done.iterations.max() < 500
    assert not done.reached.any()


# Several chains.


def fork(arms=2):
    """A trunk of two joints with arms of three, one to each side."""
    rest, parents, names = [[0, 0, 0], [0, 1, 0]], [-1, 0], ["hip", "chest"]
    for side in range(arms):
        for place in range(3):
            parents.append(1 if place == 0 else len(parents) - 1)
            step = 0.3 if place == 0 else 0.7
            rest.append([step * np.cos(np.pi * side), 0.2 * (place == 0), step * np.sin(np.pi * side)])
            names.append(f"{('shoulder', 'elbow', 'hand')[place]} {side}")
    poses = np.zeros((len(rest), 10))
    poses[:, :3] = rest
    poses[:, 6:] = 1
    return lissom.Skeleton(names, parents, poses)


def arms(skeleton):
    return [ik.Chain(skeleton, "hip", f"hand {side}") for side in range(2)]


@DTYPES
def test_chains_that_meet_reach_each_its_own(dtype):
    skeleton = fork()
    rng = np.random.default_rng(3)
    held = np.tile(skeleton.rest.astype(np.float64), (300, 1, 1))
    held[..., 3:7] = quat.normalize(held[..., 3:7] + 0.35 * rng.normal(size=held[..., 3:7].shape))
    hands = [skeleton.index(f"hand {side}") for side in range(2)]
    targets = places(skeleton, held)[:, hands].astype(dtype)
    done = ik.fabrik(arms(skeleton), skeleton.rest.astype(dtype), targets, tolerance=1e-3, max_iterations=100)
    away = np.linalg.norm(places(skeleton, done.pose)[:, hands] - targets, axis=-1)
    np.testing.assert_allclose(done.residual, away, atol=1e-5)
    assert np.mean(done.reached.all(axis=1)) > 0.98
    lengths = np.linalg.norm(np.diff(places(skeleton, done.pose)[:, [2, 3, 4]], axis=1), axis=-1)
    np.testing.assert_allclose(lengths, 0.7, rtol=1e-5)
    assert (
        done.pose[:, :, :3].tobytes()
        == np.broadcast_to(skeleton.rest[:, :3].astype(dtype), (300, 8, 3)).tobytes()
    ), "the root is held"


def test_contradicting_targets_get_the_best_compromise_and_say_so():
    """Hands pulled apart by more than both arms: each stays away by the same, all straight between them."""
    skeleton = fork()
    targets = np.array([[3.0, 1.2, 0], [-3.0, 1.2, 0]])
    done = ik.fabrik(arms(skeleton), skeleton.rest.astype(np.float64), targets, max_iterations=100)
    assert not done.reached.any()
    assert done.residual == pytest.approx([1.3, 1.3], rel=2e-3)
    # One hand to two places: the middle between them has the least sum of squares.
    chain = ik.Chain(skeleton, "shoulder 0", "hand 0")
    apart = np.array([[0.9, 1.5, 0.4], [0.9, 1.5, -0.4]])
    done = ik.fabrik([chain, chain], skeleton.rest.astype(np.float64), apart, max_iterations=100)
    assert np.sum(done.residual**2) < 1.01 * 2 * 0.4**2
    assert (done.iterations < 100).all(), "what no new start betters is taken for the best"


# Over time.


def test_frames_that_follow_each_other_start_where_the_last_one_ended():
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    poses = walk.sample(np.linspace(walk.start, walk.end, 60))
    arm = ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    hand = hero.skeleton.positions(poses)[:, arm.joints[-1]]
    targets = hand + np.array([0.05, 0.15, 0.1])
    alone = ik.fabrik(arm, poses, targets, tolerance=1e-3)
    after = ik.fabrik(arm, poses, targets, tolerance=1e-3, continuous=True)
    assert after.reached.all()
    assert after.iterations[1:].sum() < 0.7 * alone.iterations[1:].sum()
    assert after.pose[0].tobytes() == alone.pose[0].tobytes()

    def fastest(these):
        turns = quat.angle_between(these[1:, arm.joints, 3:7], these[:-1, arm.joints, 3:7])
        return turns.max()

    assert fastest(after.pose) < 2.5 * fastest(poses)
