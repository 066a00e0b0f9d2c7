# SPDX-License-Identifier: MIT
"""The random chains are what they are said to be."""

import numpy as np
import pytest

from random_chains import CLASSES, COUNTS, LIMITED, below_uneven_scale, many_chains, random_chains
from reference import ik


def bones_of(chains):
    points = ik.positions(chains.skeleton.parents, chains.poses)[:, chains.joints]
    return np.diff(points, axis=1), points


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("count", COUNTS[:-2])
def test_chains_are_whole_and_the_same_for_the_same_seed(name, count):
    a, b = (random_chains(name, count, 7, seed=3) for _ in range(2))
    assert len(a) == 7
    assert len(a.joints) == count
    np.testing.assert_array_equal(a.skeleton.chain(int(a.joints[0]), int(a.joints[-1])), a.joints)
    np.testing.assert_array_equal(a.poses, b.poses)
    np.testing.assert_array_equal(a.targets, b.targets)
    assert a.limits == b.limits
    assert np.isfinite(a.poses).all()
    assert np.isfinite(a.targets).all()
    np.testing.assert_allclose(np.linalg.norm(a.poses[..., 3:7], axis=-1), 1, atol=1e-12)


@pytest.mark.parametrize("name", ["reachable", "zero length", "in a crowd", "below a mirror", "duplicate"])
def test_targets_said_to_be_reachable_lie_within_reach(name):
    for chains in many_chains(name, 200, 20):
        bones, points = bones_of(chains)
        lengths = np.linalg.norm(bones, axis=-1)
        distance = np.linalg.norm(chains.targets - points[:, 0], axis=-1)
        hole = np.maximum(0, 2 * lengths.max(axis=1) - lengths.sum(axis=1))
        slack = 1e-6 * chains.length
        fits = (distance >= hole - slack) & (distance <= lengths.sum(axis=1) + slack)
        assert fits[chains.reachable].all()


def test_targets_out_of_reach_lie_out_of_reach():
    for chains in many_chains("unreachable", 200, 20):
        bones, points = bones_of(chains)
        distance = np.linalg.norm(chains.targets - points[:, 0], axis=-1)
        assert (distance > 1.01 * np.linalg.norm(bones, axis=-1).sum(axis=1)).all()


@pytest.mark.parametrize("name", [*LIMITED, "limited in a crowd", "scaled joints"])
def test_half_of_the_limited_chains_start_outside(name):
    over = [chains.excess(chains.poses) for chains in many_chains(name, 225, 25) if chains.limits]
    inside = np.concatenate(over) < 1e-9
    assert 0.4 < inside.mean() < 0.7


def test_collinear_chains_are_straight_and_their_targets_in_line():
    for chains in many_chains("collinear", 200, 20):
        bones, points = bones_of(chains)
        line = bones[:, 0] / np.linalg.norm(bones[:, :1], axis=-1)
        assert np.abs(np.cross(bones, line[:, None])).max() < 1e-6
        assert np.abs(np.cross(chains.targets - points[:, 0], line)).max() < 1e-5


def test_folded_chains_have_joints_that_coincide():
    chains = random_chains("duplicate", 6, 40)
    _, points = bones_of(chains)
    folded = np.linalg.norm(points[:, 0] - points[:, 2], axis=-1) < 1e-6
    assert 0.2 < folded.mean() < 0.8


def test_scales_above_are_in_the_matrices():
    linear = {
        name: ik.model_matrices(c.skeleton.parents, c.poses)[:, c.joints[0], :3, :3]
        for name, c in [
            *((name, random_chains(name, 4, 5)) for name in CLASSES),
            ("uneven", below_uneven_scale(np.random.default_rng(0), 4, 5)),
        ]
    }
    assert np.allclose(np.linalg.det(linear["below a scale"]), 1e-6)
    assert (np.linalg.det(linear["below a mirror"]) < 0).all()
    assert (np.linalg.det(linear["below a full mirror"]) < 0).all()
    singular = np.linalg.svd(linear["uneven"])[1]
    assert (singular[:, 0] / singular[:, 2] > 1.5).all()
