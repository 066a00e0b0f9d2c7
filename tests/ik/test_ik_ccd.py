# SPDX-License-Identifier: MIT
"""Cyclic coordinate descent: how surely it arrives, and that its stream of lanes hides nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest

from ik_solvers import chain_of
from lissom import Skeleton, _core, ik
from random_chains import random_chains
from random_rigs import random_quats

TOLERANCE = 1e-3  # of the length, as everywhere where success is counted
ROUNDING = 1 + 1e-4  # float32 leaves that much of the tolerance


def share_solved(name, count, sweeps, size=400, dtype=np.float32):
    """Of the chains whose target is within reach, those that end there by forward kinematics in float64."""
    chains = random_chains(name, count, size, seed=7)
    poses, targets = chains.poses.astype(dtype), chains.targets.astype(dtype)
    done = ik.ccd(chain_of(chains), poses, targets, tolerance=TOLERANCE, max_iterations=sweeps)
    misses = np.linalg.norm(chains.tips(done.pose) - chains.targets, axis=-1)
    return float(np.mean(misses[chains.reachable] <= ROUNDING * TOLERANCE * chains.length))


@pytest.mark.parametrize("count", [4, 6, 8, 10, 32])
def test_free_chains_arrive_within_100_sweeps(count):
    assert share_solved("reachable", count, 100) >= 0.99


@pytest.mark.parametrize("name", ["ball", "hinge", "swing twist", "mixed"])
@pytest.mark.parametrize("count", [4, 6, 10])
def test_chains_within_limits_arrive_within_100_sweeps(name, count):
    assert share_solved(name, count, 100) >= 0.9


@pytest.mark.parametrize("count", [3, 6, 10])
def test_straight_chains_bend_towards_targets_on_their_line(count):
    assert share_solved("collinear", count, 60) == 1


def test_a_straight_limb_with_a_knee_bends():
    """From the root alone nothing would turn: all joints see tip and target in one direction."""
    rest = np.zeros((3, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 1, 0.9
    chain = ik.Chain(
        Skeleton(["hip", "knee", "ankle"], [-1, 0, 1], rest), 0, 2, limits={1: ik.Hinge([1, 0, 0], 0, 2.6)}
    )
    targets = np.array([0, 1, 0]) * np.linspace(0.8, 1.85, 40)[:, None]
    done = ik.ccd(chain, rest, targets, tolerance=TOLERANCE, max_iterations=100)
    assert done.reached.all()


@pytest.mark.parametrize("name", ["reachable", "mixed"])
def test_frames_of_a_sequence_are_those_of_one_call_each(name):
    """More sequences than lanes, whose frames end after different numbers of sweeps."""
    chains = random_chains(name, 6, 40, seed=5)
    chain = chain_of(chains)
    poses = np.repeat(chains.poses[:, None], 3, axis=1)
    targets = np.stack([chains.targets, chains.targets[::-1], 1.01 * chains.targets], axis=1)
    together = ik.ccd(chain, poses, targets, continuous=True)
    for item in (0, 17, 39):
        alone = ik.ccd(chain, poses[item], targets[item], continuous=True)
        assert alone.pose.tobytes() == together.pose[item].tobytes()
        assert alone.iterations.tolist() == together.iterations[item].tolist()


SCRIPT = """
import hashlib, sys
import numpy as np
from ik_solvers import chain_of
from lissom import ik
from random_chains import random_chains
from random_rigs import random_quats
for name in ("reachable", "mixed", "below a full mirror"):
    chains = random_chains(name, 8, 70)
    for dtype in (np.float32, np.float64):
        done = ik.ccd(chain_of(chains), chains.poses.astype(dtype), chains.targets.astype(dtype))
        print(hashlib.sha256(done.pose.tobytes()).hexdigest())
"""


@pytest.mark.tree
def test_instruction_sets_agree_to_the_bit():
    if _core.isa() == "portable":
        pytest.skip("one instruction set only")
    answers = set()
    for isa in ("v2", "v3", "v4")[: ("v2", "v3", "v4").index(_core.isa()) + 1]:
        path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"LISSOM_ISA": isa, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        answers.add(done.stdout)
    assert len(answers) == 1


def test_a_middle_joint_behind_a_mirror_bends_the_mirrored_way_when_a_chain_starts_anew():
    """R G = G (G R G): a mirror on the chain's first joint is one above it, and all below is the same."""
    rng = np.random.default_rng(3)
    count, size = 9, 200
    rest = np.zeros((count + 1, 10), np.float32)
    rest[:, 6:] = 1
    rest[2:, 1] = 1
    skeleton = Skeleton([f"j{i}" for i in range(count + 1)], np.arange(-1, count), rest)
    chain = ik.Chain(skeleton, 1, count, bend_axis=[0.6, 0, 0.8])
    below = np.tile(rest.astype(np.float64), (size, 1, 1))
    spins = rng.normal(size=(size, count + 1, 4)) * [0.3, 0.3, 0.3, 0] + [0, 0, 0, 1]
    below[..., 3:7] = spins / np.linalg.norm(spins, axis=-1, keepdims=True)
    above = below.copy()
    below[:, 1, 7:] = above[:, 0, 7:] = -1, 1, 1
    below[:, 0, 3:7] = above[:, 0, 3:7] = 0, 0, 0, 1
    above[:, 1, 4:6] *= -1  # a rotation seen in a mirror across x
    targets = 4 * rng.normal(size=(size, 3))
    one, other = (ik.ccd(chain, poses, targets, max_iterations=30) for poses in (below, above))
    places = [skeleton.positions(done.pose) for done in (one, other)]
    np.testing.assert_allclose(places[0], places[1], atol=1e-6)


@pytest.mark.parametrize("solver", [ik.ccd, ik.fabrik])
@pytest.mark.parametrize("above", [(1.0, 1.0, 1.0), (1.0, 3.0, 0.5)], ids=["even", "uneven"])
def test_more_iterations_never_end_farther_away(solver, above):
    """A new start, or a pose that is nearer before an uneven scale, may lead astray: the best pose counts."""
    rng = np.random.default_rng(1)
    for count in (4, 9):
        rest = np.zeros((count, 10), np.float32)
        rest[:, 6:] = 1
        rest[:, :3] = rng.normal(size=(count, 3))
        rest[0, 7:] = above
        skeleton = Skeleton([f"j{i}" for i in range(count)], np.arange(-1, count - 1), rest)
        chain = ik.Chain(skeleton, 1, count - 1)
        poses = np.tile(rest.astype(np.float64), (300, 1, 1))
        poses[..., 3:7] = random_quats(rng, 300, count)
        targets = skeleton.positions(poses)[:, 1] + rng.normal(size=(300, 3)) * 0.4 * chain.length
        best = np.full(300, np.inf)
        for sweeps in (0, 1, 2, 3, 5, 8, 13, 21, 34):
            done = solver(chain, poses, targets, max_iterations=sweeps, tolerance=1e-3)
            assert (done.residual <= np.maximum(best * (1 + 1e-9), 1e-3 * chain.length)).all()
            best = np.minimum(best, done.residual)
