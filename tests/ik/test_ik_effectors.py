# SPDX-License-Identifier: MIT
"""Several chains solved together: trees whose tips have targets of their own, judged by the twin."""

import numpy as np
import pytest

import lissom
from ik_solvers import ROUNDING, each_dtype, each_iterative
from lissom.ik import Chain
from random_chains import as_lissom, random_limits, random_poses
from random_rigs import random_quats
from reference import ik as twin
from reference import quat
from reference.ik_limits import excess, random_within, unit

TOLERANCE = 1e-3
SIZE = 24


class Tree:
    """A trunk that parts into branches; a chain leads from the trunk's root to the tip of each."""

    def __init__(self, seed, trunk=2, branches=(3, 4), kind=None):
        rng = np.random.default_rng([seed, trunk, *branches])
        parents, rest, paths = [-1], [self.joint(rng)], []
        for _ in range(trunk):
            parents.append(len(parents) - 1)
            rest.append(self.joint(rng))
        fork = len(parents) - 1
        for count in branches:
            above, path = fork, list(range(1, fork + 1))
            for _ in range(count):
                parents.append(above)
                rest.append(self.joint(rng))
                above = len(parents) - 1
                path.append(above)
            paths.append(np.array(path))
        names = [f"joint {i}" for i in range(len(parents))]
        self.skeleton, self.paths = lissom.Skeleton(names, parents, np.array(rest)), paths
        self.limits = {}
        if kind:
            for path in reversed(paths):  # where they part, the first branch is the bone
                self.limits |= random_limits(rng, self.skeleton, path, kind)
        held = self.poses = random_poses(rng, self.skeleton, SIZE)
        if kind:
            held = held.copy()
            for joint, limit in self.limits.items():
                turns = random_within(limit, rng, SIZE)
                held[:, joint, 3:7] = quat.multiply(quat.normalize(self.skeleton.rest[joint, 3:7]), turns)
            turning = np.unique(np.concatenate([path[:-1] for path in paths]))
            self.poses = held.copy()
            near = quat.slerp(held[:, turning, 3:7], random_quats(rng, SIZE, len(turning)), np.full(1, 0.3))
            self.poses[:, turning, 3:7] = near
            self.targets = self.tips(held)
        else:
            self.targets = self.tips(random_poses(rng, self.skeleton, SIZE))

    @staticmethod
    def joint(rng):
        return np.concatenate(
            [unit(rng.normal(size=3)) * rng.uniform(0.5, 1.2), random_quats(rng), np.ones(3)]
        )

    def tips(self, poses):
        at = twin.positions(self.skeleton.parents, np.asarray(poses, np.float64))
        return at[..., [int(path[-1]) for path in self.paths], :]

    def chains(self):
        own = [{j: limit for j, limit in self.limits.items() if j in path} for path in self.paths]
        return [
            Chain(self.skeleton, int(path[0]), int(path[-1]), as_lissom(limits))
            for path, limits in zip(self.paths, own, strict=True)
        ]

    def lengths(self):
        at = twin.positions(self.skeleton.parents, self.poses[0])
        return np.array([np.linalg.norm(np.diff(at[path], axis=0), axis=1).sum() for path in self.paths])


# Where branches part the bone is one of several: limits of trees name their axis.
TREES = {
    "a fork": lambda: Tree(0),
    "three branches": lambda: Tree(1, 3, (2, 3, 5)),
    "branches of one joint": lambda: Tree(2, 2, (1, 1)),
    "no trunk": lambda: Tree(3, 1, (4, 4)),
    "a fork with cones": lambda: Tree(4, kind="swing_twist"),
}
each_tree = pytest.mark.parametrize("name", TREES)


@each_iterative
@each_tree
@each_dtype
def test_every_effector_is_told_true(solver, name, dtype):
    tree = TREES[name]()
    poses, targets = tree.poses.astype(dtype), tree.targets.astype(dtype)
    done = solver(tree.chains(), poses, targets, tolerance=TOLERANCE, max_iterations=60)
    count = len(tree.paths)
    assert done.residual.shape == done.reached.shape == (SIZE, count)
    assert done.iterations.shape == (SIZE,)
    away = np.linalg.norm(tree.tips(done.pose) - targets, axis=-1)
    noise = 5 * ROUNDING[dtype] * np.abs(targets).max()
    np.testing.assert_allclose(done.residual, away, atol=noise)
    bound = TOLERANCE * tree.lengths()
    assert done.reached[away < bound - noise].all()
    assert not done.reached[away > bound + noise].any()


@each_iterative
@each_tree
def test_only_rotations_of_their_joints_change(solver, name):
    tree = TREES[name]()
    done = solver(tree.chains(), tree.poses, tree.targets, tolerance=TOLERANCE, max_iterations=30)
    may = np.zeros(tree.poses.shape[1:], bool)
    for path in tree.paths:
        may[path[:-1], 3:7] = True
    assert done.pose[:, ~may].tobytes() == tree.poses[:, ~may].tobytes()
    np.testing.assert_allclose(np.linalg.norm(done.pose[..., 3:7], axis=-1), 1, atol=1e-12)
    for joint, limit in tree.limits.items():
        turns = twin.turned(quat.normalize(tree.skeleton.rest[joint, 3:7]), done.pose[:, joint, 3:7])
        assert excess(limit, turns).max() <= 1e-5


@each_iterative
@pytest.mark.parametrize("name", ["a fork", "three branches", "no trunk"])
def test_what_all_can_reach_together_is_reached(solver, name):
    tree = TREES[name]()
    most = 400 if solver.name == "ccd" else 100
    done = solver(tree.chains(), tree.poses, tree.targets, tolerance=TOLERANCE, max_iterations=most)
    # CCD and FABRIK give the joints that chains share to the mean of their wishes, and may stay between them.
    assert done.reached.all(axis=1).mean() >= {"ccd": 0.7, "fabrik": 0.75}.get(solver.name, 0.85)


@each_iterative
def test_a_tree_is_solved_one_by_one_to_the_bit(solver):
    tree = TREES["three branches"]()
    chains, options = tree.chains(), {"tolerance": TOLERANCE, "max_iterations": 30}
    together = solver(chains, tree.poses, tree.targets, **options)
    for item in range(0, SIZE, 5):
        alone = solver(chains, tree.poses[item], tree.targets[item], **options)
        assert alone.pose.tobytes() == together.pose[item].tobytes()
        assert alone.residual.tobytes() == together.residual[item].tobytes()


@each_iterative
def test_a_list_of_one_chain_is_the_chain(solver):
    tree = TREES["a fork"]()
    chain = tree.chains()[0]
    options = {"tolerance": TOLERANCE, "max_iterations": 30}
    alone = solver(chain, tree.poses, tree.targets[:, 0], **options)
    listed = solver([chain], tree.poses, tree.targets[:, :1], **options)
    assert listed.pose.tobytes() == alone.pose.tobytes()
    np.testing.assert_array_equal(listed.residual[:, 0], alone.residual)
    np.testing.assert_array_equal(listed.reached[:, 0], alone.reached)


@each_iterative
def test_targets_that_are_met_already_move_nothing(solver):
    tree = TREES["three branches"]()
    done = solver(tree.chains(), tree.poses, tree.tips(tree.poses), tolerance=TOLERANCE)
    assert done.reached.all()
    assert not done.iterations.any()
    assert quat.angle_between(done.pose[..., 3:7], tree.poses[..., 3:7]).max() < 1e-7


@each_iterative
def test_one_target_of_several_moves_its_own_branch(solver):
    """The others start where they shall be, and end there."""
    tree = TREES["a fork"]()
    targets = tree.tips(tree.poses)
    nearer = (
        0.7 * targets[:, 0] + 0.3 * twin.positions(tree.skeleton.parents, tree.poses)[:, tree.paths[0][2]]
    )
    targets[:, 0] = nearer
    most = 400 if solver.name == "ccd" else 100
    done = solver(tree.chains(), tree.poses, targets, tolerance=TOLERANCE, max_iterations=most)
    assert done.reached.all(axis=1).mean() >= 0.9


@each_iterative
def test_orientations_are_asked_for_one_by_one(solver):
    rng = np.random.default_rng(9)
    tree = TREES["a fork"]()
    wanted = random_quats(rng, SIZE, 2)
    wanted[::2, 1] = np.nan
    done = solver(tree.chains(), tree.poses, tree.targets, wanted, tolerance=TOLERANCE, max_iterations=100)
    tips = [int(path[-1]) for path in tree.paths]
    turned = np.stack([rotation_of(tree.skeleton, done.pose, tip) for tip in tips], axis=1)
    asked = np.isfinite(wanted[..., 0])
    np.testing.assert_allclose(done.angle[asked], quat.angle_between(turned[asked], wanted[asked]), atol=1e-7)
    assert not done.angle[~asked].any()
    assert done.pose[::2, tips[1]].tobytes() == tree.poses[::2, tips[1]].tobytes()


def rotation_of(skeleton, poses, joint):
    result = poses[:, joint, 3:7]
    while (joint := int(skeleton.parents[joint])) >= 0:
        result = quat.multiply(poses[:, joint, 3:7], result)
    return result
