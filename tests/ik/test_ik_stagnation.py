# SPDX-License-Identifier: MIT
"""Where solvers stop that cannot reach: not while they still come nearer, and no later."""

import numpy as np
import pytest

import lissom
from ik_solvers import chain_of, each_dtype, each_iterative
from lissom import ik
from random_chains import LIMITED, many_chains
from reference import ik as twin

HERO = lissom.samples.humanoid()
LEG = ik.Chain(
    HERO.skeleton,
    "UpperLeg.L",
    "Foot.L",
    limits={"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")},
)
ARM = ik.Chain(
    HERO.skeleton,
    "UpperArm.L",
    "Hand.L",
    limits={"UpperArm.L": ik.BallSocket(1.2), "LowerArm.L": ik.Hinge.from_rest(0.0, 2.4)},
)
COUNT = 400
NEAR = 1e-3
"""Of the chain's length: ten times what counts as reached. Folds and straight limbs are left ever faster,
from steps as small as one likes: no rule that looks at steps can promise the last digit."""


def around(roots, length, low, high, count=COUNT, seed=0):
    """Targets in any direction at `low` to `high` times a chain's length."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return roots + ways * length * rng.uniform(low, high, (count, 1))


def root_of(chain):
    return HERO.skeleton.positions(HERO.skeleton.rest)[chain.joints[0]]


def targets_of(chain, low, high):
    return around(root_of(chain), chain.length, low, high)


def dragged(chain, targets, share, seed=1):
    """Where targets were before they were dragged here, by about that share of the length along each axis."""
    return targets + share * chain.length * np.random.default_rng(seed).normal(size=targets.shape)


@each_iterative
@each_dtype
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_leg_that_is_dragged_comes_as_near_as_one_that_is_not(solver, dtype, share):
    """The knee is the one limit, and the hip turns to any side: the nearest is one for all starts."""
    rest, targets = HERO.skeleton.rest.astype(dtype), targets_of(LEG, 1.02, 2.0).astype(dtype)
    before = solver(LEG, rest, dragged(LEG, targets, share).astype(dtype))
    cold, warm = solver(LEG, rest, targets), solver(LEG, rest, targets, start=before.pose)
    assert ((warm.residual - cold.residual) / LEG.length).max() < NEAR
    straight = np.linalg.norm(targets - root_of(LEG), axis=1) - LEG.length
    for done in (cold, warm):
        np.testing.assert_allclose(done.residual / LEG.length, straight / LEG.length, atol=NEAR)


def test_an_arm_that_is_dragged_comes_no_less_near_on_average():
    """Within its cone an arm may end in more than one place: from near by it is mostly the same."""
    rest, targets = HERO.skeleton.rest.astype(np.float64), targets_of(ARM, 1.02, 2.0)
    before = ik.fabrik(ARM, rest, dragged(ARM, targets, 0.05))
    cold, warm = ik.fabrik(ARM, rest, targets), ik.fabrik(ARM, rest, targets, start=before.pose)
    more = (warm.residual - cold.residual) / ARM.length
    assert np.mean(more < NEAR) > 0.98
    assert more.mean() <= 0
    known = ik.damped_least_squares(ARM, rest, targets, max_iterations=300)
    assert np.median(warm.residual - known.residual) / ARM.length < NEAR


@each_dtype
@pytest.mark.parametrize("chain", [LEG, ARM], ids=["leg", "arm"])
@pytest.mark.parametrize("reach", [(1.02, 2.0), (0.05, 0.99)], ids=["beyond reach", "behind limits"])
def test_going_on_from_its_own_answer_brings_no_more(chain, reach, dtype):
    """Where it has ended by itself, not by `max_iterations`."""
    rest, targets = HERO.skeleton.rest.astype(dtype), targets_of(chain, *reach).astype(dtype)
    first = ik.fabrik(chain, rest, targets)
    second = ik.fabrik(chain, rest, targets, start=first.pose)
    ended = ~first.reached & (first.iterations < 60)
    assert ended.sum() > COUNT / 10
    gained = (first.residual - second.residual)[ended] / chain.length
    assert gained.min() >= -1e-6, "the start is one of the poses seen; float32 measures it anew"
    assert gained.max() < NEAR
    assert np.quantile(gained, 0.9) < 1e-5, "a tenth of what counts as reached"


@pytest.mark.parametrize("name", LIMITED)
def test_chains_with_any_limits_end_where_going_on_brings_no_more(name):
    gains, iterations = [], []
    for chains in many_chains(name, 400, size=100, counts=(3, 4, 6, 10)):
        roots = twin.positions(chains.skeleton.parents, chains.poses)[:, chains.joints[0]]
        targets = around(roots, chains.length, 1.02, 2.0, len(chains))
        chain = chain_of(chains)
        first = ik.fabrik(chain, chains.poses, targets, max_iterations=500)
        second = ik.fabrik(chain, chains.poses, targets, start=first.pose, max_iterations=500)
        gains.append((first.residual - second.residual) / chains.length)
        iterations.append(first.iterations)
    assert np.min(gains) >= -1e-9
    assert np.quantile(gains, 0.98) < NEAR / 10
    assert np.mean(gains) < NEAR / 10
    assert np.mean(np.array(iterations) < 500) > 0.98, "they end by themselves"
    assert np.median(iterations) < 30


def test_what_stagnates_beyond_reach_ends_at_once():
    rest, targets = HERO.skeleton.rest.astype(np.float64), targets_of(LEG, 1.02, 2.0)
    first = ik.fabrik(LEG, rest, targets)
    assert np.median(first.iterations) < 10
    again = ik.fabrik(LEG, rest, targets, start=first.pose)
    assert np.median(again.iterations) == 2, "so many iterations that bring nothing are asked for"
    assert again.iterations.mean() < 3


def test_a_coarser_tolerance_ends_sooner():
    """What brings little is a share of what counts as reached."""
    rest, targets = HERO.skeleton.rest.astype(np.float64), targets_of(ARM, 1.02, 2.0)
    fine, coarse = (ik.fabrik(ARM, rest, targets, tolerance=t).iterations for t in (1e-6, 1e-2))
    assert coarse.mean() < 0.7 * fine.mean()
