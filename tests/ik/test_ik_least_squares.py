# SPDX-License-Identifier: MIT
"""Damped least squares: its matrix, several effectors, orientations, stiffness, rest, and how it ends."""

import numpy as np
import pytest

from lissom import Skeleton, _core, ik, quat
from lissom.ik._chain import cached_tree

# Answers are measured again by forward kinematics in float64; float32 poses leave so much of a unit length.
FLOAT = 2e-6


def skeleton_of(parents, seed=0, bend=1.0):
    """A skeleton of bones of random length and direction, parents given."""
    rng = np.random.default_rng(seed)
    rest = np.zeros((len(parents), 10), np.float32)
    rest[:, 7:] = 1
    rest[1:, :3] = rng.normal(size=(len(parents) - 1, 3))
    rest[:, 3:7] = quat.from_rotation_vector(bend * rng.normal(size=(len(parents), 3)))
    return Skeleton([f"j{i}" for i in range(len(parents))], parents, rest)


def column(count, **options):
    """A chain of unit bones, nearly straight up."""
    rest = np.zeros((count + 1, 10), np.float32)
    rest[1:, 1] = 1
    rest[:, 3:7] = quat.from_axis_angle([1, 0, 0], 0.05)
    rest[:, 7:] = 1
    skeleton = Skeleton([f"j{i}" for i in range(count + 1)], range(-1, count), rest)
    return ik.Chain(skeleton, 0, count, **options)


def model_of(skeleton, pose):
    """Rotation, products of quaternions from the root down, and position of each joint."""
    rotations = np.array(pose[:, 3:7], np.float64)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            rotations[joint] = quat.multiply(rotations[parent], rotations[joint])
    return rotations, skeleton.positions(np.asarray(pose, np.float64))


def away(chain, pose, target):
    return np.linalg.norm(
        chain.skeleton.positions(np.asarray(pose, np.float64))[..., chain.joints[-1], :] - target, axis=-1
    )


def turned_in_model(skeleton, pose, joint, vector):
    """The pose with one joint turned by a rotation vector in model space."""
    rotations, _ = model_of(skeleton, pose)
    parent = int(skeleton.parents[joint])
    above = rotations[parent] if parent >= 0 else np.array([0, 0, 0, 1.0])
    result = np.array(pose, np.float64)
    turn = quat.multiply(quat.from_rotation_vector(np.asarray(vector, np.float64)), rotations[joint])
    result[joint, 3:7] = quat.multiply(quat.conjugate(above), turn)
    return result


def differences(chains, pose, turns, step=1e-6):
    """The Jacobian matrix by central differences: rows of all effectors, then node and axis; radians."""
    skeleton = chains[0].skeleton
    nodes = sorted({joint for chain in chains for joint in chain.joints.tolist()})
    rows = []
    for node in nodes:
        for axis in np.eye(3):
            ends = [
                model_of(skeleton, turned_in_model(skeleton, pose, node, s * step * axis)) for s in (-1, 1)
            ]
            row = []
            for chain, has_turn in zip(chains, turns, strict=True):
                tip = chain.joints[-1]
                row.append((ends[1][1][tip] - ends[0][1][tip]) / (2 * step))
                if has_turn:
                    turn = quat.multiply(ends[1][0][tip], quat.conjugate(ends[0][0][tip]))
                    row.append(quat.to_rotation_vector(turn) / (2 * step))
            rows.append(np.concatenate(row))
    return np.moveaxis(np.array(rows).reshape(len(nodes), 3, -1), -1, 0), nodes


def chain_length(skeleton, chain, pose):
    points = skeleton.positions(np.asarray(pose, np.float64))[chain.joints]
    return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def test_the_jacobian_matrix_is_that_of_finite_differences():
    # A trunk with two arms, the first of which ends in a joint of the second's; hinge, cone and free joints.
    skeleton = skeleton_of([-1, 0, 1, 2, 3, 2, 5, 6], seed=3)
    hinge_axis = np.array([0.6, 0.0, 0.8])
    limits = {
        "j1": ik.Hinge(hinge_axis, -1.5, 1.5),
        "j5": ik.SwingTwist((0.9, 1.4), (-1, 1)),
        "j7": ik.BallSocket(1.0),
    }
    chains = [
        ik.Chain(skeleton, "j0", "j4", {"j1": limits["j1"]}),
        ik.Chain(skeleton, "j1", "j7", {name: limits[name] for name in limits}),
        ik.Chain(skeleton, "j0", "j5", {name: limits[name] for name in ("j1", "j5")}),
    ]
    turns = [False, True, True]  # j4 ends its chain without a limit: it meets any orientation by itself
    rng = np.random.default_rng(5)
    pose = skeleton.rest.astype(np.float64)
    pose[:, 3:7] = quat.normalize(pose[:, 3:7])
    for joint in (0, 2, 3, 6):
        pose[joint, 3:7] = quat.from_rotation_vector(rng.normal(size=3))
    stiffness = np.array([0, 0.3, 0, 0.5, 0, 0, 0.9, 0])
    orientations = quat.from_rotation_vector(rng.normal(size=(3, 3)))
    found, gram = _core.ik_jacobian(
        cached_tree(tuple(chains)), pose, rng.normal(size=(3, 3)), orientations, stiffness
    )
    expected, nodes = differences(chains, pose, turns)
    row = 0
    for chain, has_turn in zip(chains, turns, strict=True):
        if has_turn:
            expected[row + 3 : row + 6] *= chain_length(skeleton, chain, pose)
        row += 6 if has_turn else 3
    # A hinge turns about its axis alone.
    axis = quat.rotate(model_of(skeleton, pose)[0][1], hinge_axis)
    expected[:, 1] = (expected[:, 1] @ axis)[:, None] * axis
    # j4 ends a chain and nothing else.
    expected[:, nodes.index(4)] = 0
    weighted = expected * (1 - stiffness[nodes])[:, None]
    np.testing.assert_allclose(found, weighted, atol=1e-4 * np.abs(expected).max() * 1e-2)
    flat = expected.reshape(len(expected), -1)
    np.testing.assert_allclose(
        gram, flat @ weighted.reshape(len(expected), -1).T, atol=1e-6 * np.abs(gram).max()
    )


@pytest.mark.parametrize("scale", [(1, 1, 1), (-2, 2, 2), (1.0, 1.6, 0.7)], ids=["plain", "mirror", "uneven"])
def test_the_matrix_of_one_effector_counts_in_the_model(scale):
    skeleton = skeleton_of([-1, 0, 1, 2, 3], seed=8)
    pose = skeleton.rest.astype(np.float64)
    pose[:, 3:7] = quat.normalize(pose[:, 3:7])
    pose[0, 7:] = scale
    chain = ik.Chain(skeleton, "j1", "j4", {"j2": ik.Hinge((0, 0, 1), -3, 3)})
    _, gram = _core.ik_jacobian(cached_tree((chain,)), pose, np.ones((1, 3)), None, None)
    columns = []
    for joint in (1, 2, 3):
        for axis in np.eye(3)[2:] if joint == 2 else np.eye(3):
            ends = []
            for sign in (-1, 1):
                moved = pose.copy()
                turn = quat.from_rotation_vector(sign * 1e-6 * axis)
                moved[joint, 3:7] = quat.multiply(pose[joint, 3:7], turn)
                ends.append(skeleton.positions(moved)[4])
            columns.append((ends[1] - ends[0]) / 2e-6)
    # In lengths of the base: except for the mean scale above it, its square the mean of the axes' squares.
    jacobian = np.array(columns).T / np.sqrt(np.mean(np.square(scale)))
    expected = jacobian @ jacobian.T
    if len(set(np.abs(scale))) == 1:  # nothing but turned: in the axes of the base
        assert np.linalg.eigvalsh(gram) == pytest.approx(np.linalg.eigvalsh(expected), rel=1e-6)
    else:
        np.testing.assert_allclose(gram, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("method", ["damped", "selective"])
def test_contradicting_targets_are_met_half_way_and_reported(method):
    chain = column(5)
    targets = np.array([[1.0, 2.0, 1.0], [1.6, 2.4, 0.4]])
    done = ik.damped_least_squares(
        [chain, chain], chain.skeleton.rest.astype(np.float64), targets, method=method
    )
    tip = chain.skeleton.positions(done.pose)[5]
    np.testing.assert_allclose(tip, targets.mean(axis=0), atol=1e-3)
    np.testing.assert_allclose(done.residual, np.linalg.norm(targets - tip, axis=1), rtol=1e-9)
    assert not done.reached.any()


def test_chains_that_share_joints_reach_together():
    skeleton = skeleton_of([-1, 0, 1, 2, 3, 2, 5, 6], seed=4)
    chains = [ik.Chain(skeleton, "j0", "j4"), ik.Chain(skeleton, "j0", "j7")]
    rng = np.random.default_rng(0)
    poses = np.repeat(skeleton.rest[None].astype(np.float64), 200, axis=0)
    held = poses.copy()
    held[:, :, 3:7] = quat.normalize(rng.normal(size=(200, 8, 4)))
    poses[:, :, 3:7] = quat.normalize(rng.normal(size=(200, 8, 4)))
    targets = skeleton.positions(held)[:, [4, 7]]
    done = ik.damped_least_squares(chains, poses, targets)
    found = skeleton.positions(done.pose)[:, [4, 7]]
    lengths = [chain_length(skeleton, chain, poses[0]) for chain in chains]
    is_near = (np.linalg.norm(found - targets, axis=-1) <= 1.001e-4 * np.array(lengths)).all(axis=-1)
    assert is_near.mean() >= 0.99
    np.testing.assert_array_equal(done.reached.all(axis=-1), is_near)


def test_stiff_joints_turn_less_and_the_stiffest_not_at_all():
    chain = column(5)
    rest, target = chain.skeleton.rest.astype(np.float64), [1.5, 3.0, 1.5]
    free = ik.damped_least_squares(chain, rest, target)
    some = ik.damped_least_squares(chain, rest, target, stiffness={"j0": 0.95, 3: 1})
    assert bool(some.reached)
    np.testing.assert_allclose(some.pose[3], rest[3], atol=1e-7)  # float32 rests are unit to that
    turn = [quat.angle_between(done.pose[0, 3:7], rest[0, 3:7]) for done in (free, some)]
    assert turn[1] < 0.5 * turn[0]
    as_array = ik.damped_least_squares(chain, rest, target, stiffness=[0.95, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(as_array.pose, some.pose)


def test_what_cannot_move_stays():
    chain = column(3)
    done = ik.damped_least_squares(chain, chain.skeleton.rest, [2, 1, 0], stiffness=np.ones(4))
    np.testing.assert_allclose(done.pose, chain.skeleton.rest, atol=1e-7)
    assert float(done.residual) == pytest.approx(away(chain, done.pose, [2, 1, 0]), abs=FLOAT)


def test_rest_attraction_brings_idle_joints_home_and_the_effector_stays():
    chain = column(6)
    skeleton = chain.skeleton
    rng = np.random.default_rng(2)
    rest = skeleton.rest.astype(np.float64)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    poses = np.repeat(rest[None], 50, axis=0)
    poses[:, :, 3:7] = quat.multiply(
        rest[:, 3:7], quat.from_rotation_vector(0.5 * rng.normal(size=(50, 7, 3)))
    )
    targets = skeleton.positions(poses)[:, 6]
    plain = ik.damped_least_squares(chain, poses, targets)
    np.testing.assert_allclose(plain.pose, poses, atol=1e-15)
    home = ik.damped_least_squares(chain, poses, targets, rest_attraction=0.3, max_iterations=200)
    assert home.reached.all()
    assert (away(chain, home.pose, targets) <= 6.001e-4).all()

    def from_rest(pose):
        return np.square(quat.angle_between(pose[..., :6, 3:7], rest[:6, 3:7])).sum(axis=-1)

    assert (from_rest(home.pose) < 0.8 * from_rest(poses)).all()
    # What is left of the way home moves the effector: nothing of it lies in the null space of J.
    for pose in home.pose[:10]:
        jacobian, _ = _core.ik_jacobian(chain._tree, pose, np.ones((1, 3)), None, None)
        flat = jacobian[:, :6].reshape(3, -1)
        rotations, _ = model_of(skeleton, pose)
        above = np.vstack([[0, 0, 0, 1.0], rotations[:-1]])
        goal = quat.multiply(above, rest[:, 3:7])
        way = quat.to_rotation_vector(quat.multiply(goal, quat.conjugate(rotations)))[:6].ravel()
        idle = way - np.linalg.pinv(flat) @ (flat @ way)
        assert np.linalg.norm(idle) < 0.05 * np.linalg.norm(way)


@pytest.mark.parametrize("method", ["damped", "selective"])
@pytest.mark.parametrize("limit", [None, ik.BallSocket(0.8)], ids=["free", "limited"])
def test_effectors_meet_position_and_orientation(method, limit):
    chain = column(
        5, limits={} if limit is None else {"j5": ik.SwingTwist((0.6, 0.6), (-0.5, 0.5), axis=(0, 1, 0))}
    )
    skeleton = chain.skeleton
    rng = np.random.default_rng(3)
    rest = skeleton.rest.astype(np.float64)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    held = np.repeat(rest[None], 100, axis=0)
    turns = np.clip(0.8 * rng.normal(size=(100, 6, 3)), -1.2, 1.2)
    turns[:, 5] *= 0.2
    held[:, :, 3:7] = quat.multiply(rest[:, 3:7], quat.from_rotation_vector(turns))
    wanted = np.array([model_of(skeleton, pose)[0][5] for pose in held])
    targets = skeleton.positions(held)[:, 5]
    done = ik.damped_least_squares(chain, rest, targets, wanted, method=method)
    assert done.reached.mean() >= 0.95
    for index in np.flatnonzero(done.reached):
        rotations, positions = model_of(skeleton, done.pose[index])
        assert np.linalg.norm(positions[5] - targets[index]) <= 5.001e-4
        assert quat.angle_between(rotations[5], wanted[index]) <= 1.001e-3


def test_orientations_of_some_effectors_alone():
    # The first effector lies on the way to the second: to orient it moves what hangs below.
    skeleton = skeleton_of([-1, 0, 1, 2, 3, 4], seed=6)
    chains = [ik.Chain(skeleton, "j0", "j3"), ik.Chain(skeleton, "j0", "j5")]
    rest = skeleton.rest.astype(np.float64)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    rng = np.random.default_rng(1)
    held = np.repeat(rest[None], 50, axis=0)
    held[..., 3:7] = quat.multiply(rest[:, 3:7], quat.from_rotation_vector(0.7 * rng.normal(size=(50, 6, 3))))
    targets = skeleton.positions(held)[:, [3, 5]]
    wanted = np.full((50, 2, 4), np.nan)
    wanted[:, 0] = [model_of(skeleton, pose)[0][3] for pose in held]
    done = ik.damped_least_squares(chains, rest, targets, wanted)
    assert done.reached.mean() >= 0.95
    assert (done.angle[:, 1] == 0).all()
    np.testing.assert_array_equal(done.pose[:, 5, 3:7], np.broadcast_to(rest[5, 3:7], (50, 4)))
    for index in np.flatnonzero(done.reached.all(axis=-1)):
        rotations, positions = model_of(skeleton, done.pose[index])
        assert quat.angle_between(rotations[3], wanted[index, 0]) <= 1.001e-3
        assert np.linalg.norm(positions[5] - targets[index, 1]) <= 1e-3 * chains[1].length


@pytest.mark.parametrize("method", ["damped", "selective"])
def test_beyond_reach_it_ends_straight_and_does_not_swing(method):
    chain = column(6)
    rng = np.random.default_rng(7)
    directions = quat.rotate(quat.normalize(rng.normal(size=(100, 4))), np.array([0.0, 1.0, 0.0]))
    targets = directions * rng.uniform(6.1, 20, (100, 1))
    poses = np.repeat(chain.skeleton.rest[None].astype(np.float64), 100, axis=0)
    poses[..., 3:7] = quat.normalize(rng.normal(size=(100, 7, 4)))
    done = ik.damped_least_squares(chain, poses, targets, method=method)
    least = np.linalg.norm(targets, axis=1) - 6
    np.testing.assert_allclose(done.residual, least, atol=1e-6)
    assert not done.reached.any()
    assert (done.iterations < 20).all()
    again = ik.damped_least_squares(chain, done.pose, targets, method=method)
    np.testing.assert_allclose(away(chain, again.pose, targets), least, atol=1e-6)
    assert quat.angle_between(again.pose[..., 3:7], done.pose[..., 3:7]).max() < 1e-5


def test_limits_that_hold_a_target_off_leave_the_nearest_pose():
    # Two hinges about z: all that they can do is on a grid.
    chain = column(2, limits={"j0": ik.Hinge((0, 0, 1), -0.7, 0.4), "j1": ik.Hinge((0, 0, 1), 0.0, 1.2)})
    rest = chain.skeleton.rest.astype(np.float64)
    a, b = np.meshgrid(np.linspace(-0.7, 0.4, 221), np.linspace(0, 1.2, 241), indexing="ij")
    grid = np.broadcast_to(rest, (*a.shape, 3, 10)).copy()
    for joint, angle in ((0, a), (1, b)):
        grid[..., joint, 3:7] = quat.multiply(rest[joint, 3:7], quat.from_axis_angle([0.0, 0, 1], angle))
    tips = chain.skeleton.positions(grid)[..., 2, :]
    targets = np.random.default_rng(4).uniform(-2.5, 2.5, (60, 3))
    done = ik.damped_least_squares(chain, rest, targets)
    turns = quat.to_rotation_vector(
        quat.multiply(quat.conjugate(quat.normalize(rest[:, 3:7])), done.pose[..., 3:7])
    )[..., 2]
    nearest = 0
    for target, residual, turn in zip(targets, done.residual, turns, strict=True):
        distances = np.linalg.norm(tips - target, axis=-1)
        around = (np.abs(a - turn[0]) < 0.1) & (np.abs(b - turn[1]) < 0.1)
        assert residual <= distances[around].min() + 1e-4, "a small turn leads nearer"
        nearest += residual <= distances.min() + 1e-3
    # Some targets behind have another corner of the limits a little nearer, which no slope leads to.
    assert nearest >= 54


def cones():
    """A chain of four joints in cones, and where 400 of its poses at the edge of all of them hold it."""
    chain = column(4, limits={f"j{joint}": ik.BallSocket(0.5, (-0.3, 0.3)) for joint in range(4)})
    rng = np.random.default_rng(9)
    # About axes across the bones, which lie along y, and nearly the same for all: arcs.
    swings = (rng.normal(size=(400, 1, 3)) + 0.2 * rng.normal(size=(400, 4, 3))) * [1, 0, 1]
    swings *= 0.499 / np.linalg.norm(swings, axis=-1, keepdims=True)
    held = np.repeat(chain.skeleton.rest[None].astype(np.float64), 400, axis=0)
    held[:, :4, 3:7] = quat.multiply(held[:, :4, 3:7], quat.from_rotation_vector(swings))
    return chain, chain.skeleton.positions(held)[:, 4]


@pytest.mark.parametrize("method", ["damped", "selective"])
def test_joints_at_the_edge_of_their_cones_slide_along_it(method):
    chain, targets = cones()
    done = ik.damped_least_squares(chain, chain.skeleton.rest.astype(np.float64), targets, method=method)
    assert done.reached.mean() >= 0.995
    assert done.iterations.mean() < 12
    assert done.limited.any(axis=-1).mean() > 0.4


def test_both_ways_of_damping_end_as_near_to_what_cones_hold_off():
    chain, targets = cones()
    rest, far = chain.skeleton.rest.astype(np.float64), targets * [1.5, 0.3, 1.5]
    damped, selective = (
        ik.damped_least_squares(chain, rest, far, method=method) for method in ("damped", "selective")
    )
    assert damped.residual.mean() == pytest.approx(selective.residual.mean(), rel=0.02)


def test_selective_damping_takes_other_ways_and_needs_no_constant():
    chain = column(5)
    rest, target = chain.skeleton.rest.astype(np.float64), [2.0, 1.0, 1.0]
    damped = ik.damped_least_squares(chain, rest, target, damping=0.1)
    one, other = (
        ik.damped_least_squares(chain, rest, target, method="selective", damping=damping)
        for damping in (0.1, 3)
    )
    assert bool(damped.reached)
    assert bool(one.reached)
    np.testing.assert_array_equal(one.pose, other.pose)
    assert quat.angle_between(one.pose[:, 3:7], damped.pose[:, 3:7]).max() > 1e-2


def test_frames_that_follow_go_on_from_those_before():
    chain = column(6)
    rest = chain.skeleton.rest
    times = np.linspace(0, 2 * np.pi, 200)
    targets = np.stack([2.5 * np.cos(times), 3 + np.sin(2 * times), 1.5 * np.sin(times)], axis=-1).astype(
        np.float32
    )
    done = ik.damped_least_squares(chain, rest, targets, continuous=True)
    assert done.reached.all()
    speed = quat.angle_between(done.pose[1:, :, 3:7], done.pose[:-1, :, 3:7]).max(axis=1)
    # The target goes at most 0.13 of a length in a frame; bent as it is, no joint needs to turn by more.
    assert speed.max() < 0.2
    assert done.iterations[1:].mean() < 4


def test_frames_that_follow_do_not_search_anew():
    # Most of the circle is out of what the hinges allow.
    chain = column(2, limits={"j0": ik.Hinge((0, 0, 1), -0.7, 0.4), "j1": ik.Hinge((0, 0, 1), 0.0, 1.2)})
    times = np.linspace(0, 2 * np.pi, 400)
    targets = np.stack([2.5 * np.sin(times), 2.5 * np.cos(times), 0 * times], axis=-1)
    rest = chain.skeleton.rest.astype(np.float64)
    done = ik.damped_least_squares(chain, rest, targets, continuous=True)
    assert done.iterations[1:].mean() < 15
    alone = ik.damped_least_squares(chain, rest, targets)
    assert alone.iterations.mean() > 50
    speed = quat.angle_between(done.pose[1:, :, 3:7], done.pose[:-1, :, 3:7]).max(axis=1)
    # Each frame goes 1 / 400 of a turn; once the chain swings over from one corner of its limits to another.
    assert np.sort(speed)[-2] < 0.03


def test_an_early_end_keeps_the_best_pose():
    chain = column(6)
    last = np.inf
    for most in range(8):
        done = ik.damped_least_squares(chain, chain.skeleton.rest, [-2.0, -2.5, 1.0], max_iterations=most)
        assert int(done.iterations) <= most
        assert float(done.residual) <= last
        last = float(done.residual)
    assert last < 0.02


BAD = [
    ({"method": "newton"}, ValueError, r"method must be 'damped' or 'selective', got 'newton'"),
    ({"damping": -1.0}, ValueError, r"damping must be at least 0 and finite, got -1"),
    ({"damping": float("nan")}, ValueError, "damping"),
    ({"damping": "much"}, TypeError, r"damping must be a number, got str"),
    ({"rest_attraction": 1.5}, ValueError, r"rest_attraction must lie in \[0, 1\], got 1.5"),
    ({"angle_tolerance": 0.0}, ValueError, r"angle_tolerance must be above 0"),
    ({"stiffness": {"j1": 2.0}}, ValueError, r"stiffness of joint 'j1' must lie in \[0, 1\], got 2"),
    (
        {"stiffness": [0.5, 0.5]},
        ValueError,
        r"stiffness must have shape \(4,\), one number for each joint, got \(2,\)",
    ),
    ({"stiffness": [0, np.nan, 0, 0]}, ValueError, r"stiffness of joint 'j1' must lie in \[0, 1\], got nan"),
    ({"tolerance": 0.0}, ValueError, r"tolerance must be above 0"),
    ({"max_iterations": -1}, ValueError, r"max_iterations must be at least 0, got -1"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD)
def test_bad_settings_are_refused_by_a_sentence(options, error, message):
    chain = column(3)
    with pytest.raises(error, match=r"ik\.damped_least_squares: .*" + message):
        ik.damped_least_squares(chain, chain.skeleton.rest, [1, 1, 1], **options)


def test_stiffness_of_unknown_joints_is_refused():
    chain = column(3)
    with pytest.raises(ValueError, match="damped_least_squares: stiffness: no joint is named 'elbow'"):
        ik.damped_least_squares(chain, chain.skeleton.rest, [1, 1, 1], stiffness={"elbow": 0.5})


def test_an_effector_above_others_stays_where_no_orientation_is_asked_of_it():
    """It has a limit, so it counts as a joint of those that ask; what hangs on it is measured as written."""
    rng = np.random.default_rng(2)
    rest = np.zeros((7, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 1
    skeleton = Skeleton([f"j{i}" for i in range(7)], np.arange(-1, 6), rest)
    chains = [ik.Chain(skeleton, 0, 2, limits={2: ik.BallSocket(1.0)}), ik.Chain(skeleton, 3, 6)]
    targets = rng.normal(size=(40, 2, 3)) * 2
    asked = np.full((40, 2, 4), np.nan)
    done = ik.damped_least_squares(chains, rest.astype(np.float64), targets, asked, rest_attraction=0.3)
    places = skeleton.positions(done.pose)[:, [2, 6]]
    np.testing.assert_allclose(done.residual, np.linalg.norm(places - targets, axis=-1), atol=1e-9)
