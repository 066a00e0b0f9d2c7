# SPDX-License-Identifier: MIT
"""What every solver of inverse kinematics promises, whatever the chain, judged by forward kinematics.

The answers are judged by the float64 twin (`reference.ik`), never by what the solver says of them.
"""

import inspect
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import lissom
from ik_solvers import ROUNDING, SOLVERS, chain_of, each_dtype, each_iterative, each_solver, solve
from lissom import ik
from random_chains import CLASSES, Chains, below_uneven_scale, random_chains
from random_rigs import random_quats
from reference import ik as twin
from reference import quat, trs

COUNTS = (2, 3, 5, 10, 33)
SIZE = 21  # of a batch: more than there are lanes, and a rest
TOLERANCE = 1e-3  # of the chain's length: what counts as reached here
MOST_EXCESS = 1e-5  # radians
MOST_DRIFT = 1e-5  # of a bone's length
AT_LIMIT = 1e-4  # radians: what IkResult.limited calls being at one
UNSURE = 2e-5  # radians: of the twin against float32

each_class = pytest.mark.parametrize("name", CLASSES)


@lru_cache(maxsize=512)
def chains_of(name: str, count: int, seed: int = 0) -> Chains:
    return random_chains(name, count, SIZE, seed)


def batches(solver, name, seed=0):
    """Chains of one class for a solver; where it honours no limits but the middle joint's, without."""
    for count in [c for c in COUNTS if solver.iterates or c in solver.counts]:
        chains = chains_of(name, count, seed)
        if solver.iterates or not chains.limits:
            yield chains


def solver_options(solver, **options):
    return {"tolerance": TOLERANCE, "max_iterations": 40, **options} if solver.iterates else {}


@lru_cache(maxsize=256)
def _answers(solver_name, name, dtype):
    solver = SOLVERS[solver_name]
    found = [
        (chains, solve(solver, chains, dtype, **solver_options(solver))) for chains in batches(solver, name)
    ]
    for _, done in found:
        done.pose.flags.writeable = False  # several tests judge the same answers
    return found


def answers(solver, name, dtype):
    """Chains of one class with what a solver makes of them, for tests that ask for nothing special."""
    return _answers(solver.name, name, dtype)


def chain_rotations(chains):
    """A mask (J, 10) of the numbers that a solver may change."""
    mask = np.zeros((len(chains.skeleton), 10), bool)
    mask[chains.joints[:-1], 3:7] = True
    return mask


def angles(a, b):
    """Between local rotations, whatever their signs, radians."""
    return quat.angle_between(np.asarray(a, np.float64)[..., 3:7], np.asarray(b, np.float64)[..., 3:7])


@each_solver
@each_class
@each_dtype
def test_only_rotations_of_the_chain_change_and_they_are_unit(solver, name, dtype):
    for chains, done in answers(solver, name, dtype):
        assert done.pose.dtype == dtype
        assert np.isfinite(done.pose).all()
        kept = ~chain_rotations(chains)
        assert done.pose[:, kept].tobytes() == chains.poses.astype(dtype)[:, kept].tobytes()
        lengths = np.linalg.norm(done.pose[..., 3:7].astype(np.float64), axis=-1)
        np.testing.assert_allclose(lengths, 1, rtol=0, atol=1e-6 if dtype == np.float32 else 1e-13)


@each_solver
@each_class
@each_dtype
def test_bones_keep_their_lengths(solver, name, dtype):
    for chains, done in answers(solver, name, dtype):
        before, after = (
            np.linalg.norm(
                np.diff(twin.positions(chains.skeleton.parents, poses)[:, chains.joints], axis=1), axis=-1
            )
            for poses in (chains.poses.astype(dtype), done.pose)
        )
        assert np.all(np.abs(after - before) <= MOST_DRIFT * before)


def assert_true_to_its_answer(chains, done, dtype, tolerance=TOLERANCE, length=None):
    length = chains.length if length is None else length
    away = np.linalg.norm(chains.tips(done.pose) - chains.targets.astype(dtype), axis=-1)
    extent = np.abs(twin.positions(chains.skeleton.parents, done.pose)).max() + np.abs(chains.targets).max()
    noise = ROUNDING[dtype] * extent * np.sqrt(len(chains.joints))
    np.testing.assert_allclose(done.residual, away, rtol=0, atol=noise)
    bound = tolerance * length
    assert done.reached[away < bound - noise].all()
    assert not done.reached[away > bound + noise].any()


@each_solver
@each_class
@each_dtype
def test_residual_and_reached_are_true_to_the_answer(solver, name, dtype):
    for chains, done in answers(solver, name, dtype):
        assert done.residual.dtype == dtype
        default = 1e-4  # of solvers that do not iterate
        assert_true_to_its_answer(chains, done, dtype, TOLERANCE if solver.iterates else default)


@each_iterative
@each_class
@pytest.mark.parametrize("most", [0, 1, 7])
def test_no_more_iterations_than_asked_for(solver, name, most):
    for chains in batches(solver, name):
        done = solve(solver, chains, np.float32, **solver_options(solver, max_iterations=most))
        assert done.iterations.dtype == np.int32
        assert done.iterations.min() >= 0
        assert done.iterations.max() <= most
        assert_true_to_its_answer(chains, done, np.float32)


@each_iterative
@each_dtype
@pytest.mark.parametrize("most", [0, 1, 40])
@pytest.mark.parametrize("name", [name for name in CLASSES if chains_of(name, 5).limits])
def test_limits_hold_whatever_the_input_and_however_early_it_ends(solver, dtype, name, most):
    for chains in batches(solver, name):
        done = solve(solver, chains, dtype, **solver_options(solver, max_iterations=most))
        assert chains.excess(done.pose).max() <= MOST_EXCESS


@each_iterative
@each_dtype
@pytest.mark.parametrize("name", [name for name in CLASSES if chains_of(name, 5).limits])
def test_limited_names_exactly_the_joints_at_a_limit(solver, dtype, name):
    met = 0
    for chains, done in answers(solver, name, dtype):
        free = sorted(set(range(len(chains.skeleton))) - set(chains.limits))
        assert not done.limited[:, free].any()
        for joint in chains.limits:
            room = chains.room(done.pose, joint)
            assert done.limited[room < AT_LIMIT - UNSURE, joint].all()
            assert not done.limited[room > AT_LIMIT + UNSURE, joint].any()
            met += np.count_nonzero(room < AT_LIMIT - UNSURE)
    assert met > 20, "limits were met"


@each_iterative
@pytest.mark.parametrize("name", ["unreachable", "duplicate", "ball", "mixed"])
def test_the_answer_is_no_farther_than_the_start(solver, name):
    """The start counts by the closest pose within the limits: what no iteration gives."""
    for chains in batches(solver, name):
        start = solve(solver, chains, **solver_options(solver, max_iterations=0))
        done = solve(solver, chains, **solver_options(solver, max_iterations=20))
        assert np.all(done.residual <= start.residual + 1e-12 * chains.length)


@each_solver
def test_what_is_out_of_reach_is_pointed_at(solver):
    """The best that a free chain can do: all of its length on the way to the target."""
    options = solver_options(solver, max_iterations=500)
    for chains in batches(solver, "unreachable"):
        done = solve(solver, chains, **options)
        root = twin.positions(chains.skeleton.parents, chains.poses)[:, chains.joints[0]]
        best = np.linalg.norm(chains.targets - root, axis=-1) - chains.length
        assert not done.reached.any()
        assert np.all(done.residual - best <= 0.02 * chains.length)


@each_iterative
@each_class
def test_no_iteration_without_need(solver, name):
    """What starts at its target within its limits stays as it is."""
    for chains in batches(solver, name):
        if chains.limits:
            continue
        own = Chains(
            chains.skeleton,
            chains.joints,
            chains.poses,
            chains.tips(chains.poses),
            chains.reachable,
            chains.limits,
        )
        done = solve(solver, own, **solver_options(solver))
        assert done.reached.all()
        assert not done.iterations.any()
        assert angles(done.pose, own.poses).max() < 1e-7


def moved(chains, turn, move, scale):
    """The whole character and its targets, moved at the skeleton's root."""
    rest = chains.skeleton.rest.astype(np.float64)
    rest[0, 7:] *= scale
    skeleton = lissom.Skeleton(chains.skeleton.names, chains.skeleton.parents, rest)
    poses = chains.poses.copy()
    poses[:, 0, :3] = quat.rotate(turn, poses[:, 0, :3]) * scale + move
    poses[:, 0, 3:7] = quat.multiply(turn, poses[:, 0, 3:7])
    poses[:, 0, 7:] *= scale
    targets = quat.rotate(turn, chains.targets) * scale + move
    return Chains(skeleton, chains.joints, poses, targets, chains.reachable, chains.limits)


@each_solver
@pytest.mark.parametrize("name", ["in a crowd", "limited in a crowd", "below a mirror"])
@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
def test_moving_the_character_with_its_target_changes_nothing(solver, name, scale):
    rng = np.random.default_rng(5)
    options = solver_options(solver, max_iterations=8)
    for chains in batches(solver, name):
        other = moved(chains, random_quats(rng), rng.normal(size=3), scale)
        here, there = solve(solver, chains, **options), solve(solver, other, **options)
        np.testing.assert_allclose(there.residual, scale * here.residual, atol=1e-8 * other.length)
        joints = chains.joints[:-1]
        assert angles(here.pose[:, joints], there.pose[:, joints]).max() < 1e-6


@each_solver
@each_dtype
@pytest.mark.parametrize("name", ["in a crowd", "mixed"])
def test_signs_of_quaternions_change_nothing(solver, dtype, name):
    """q and -q are the same turn, of joints of the chain, above and beside it."""
    rng = np.random.default_rng(6)
    options = solver_options(solver, max_iterations=8)
    for chains in batches(solver, name):
        poses = chains.poses.astype(dtype)
        flipped = poses.copy()
        flipped[..., 3:7] *= rng.choice([-1, 1], poses.shape[:-1])[..., None].astype(dtype)
        targets, chain = chains.targets.astype(dtype), chain_of(chains)
        a, b = (solver(chain, these, targets, **options) for these in (poses, flipped))
        assert angles(a.pose, b.pose).max() < (1e-3 if dtype == np.float32 else 1e-9)
        np.testing.assert_allclose(a.residual, b.residual, atol=ROUNDING[dtype] * 100 * chains.length)


@each_solver
@each_dtype
@pytest.mark.parametrize("name", ["reachable", "mixed", "in a crowd"])
def test_weight_zero_gives_the_input_to_the_bit(solver, dtype, name):
    for chains in batches(solver, name):
        done = solve(solver, chains, dtype, weight=0.0, **solver_options(solver))
        assert done.pose.tobytes() == chains.poses.astype(dtype).tobytes()
        assert_true_to_its_answer(chains, done, dtype, TOLERANCE if solver.iterates else 1e-4)


@each_solver
@pytest.mark.parametrize("name", ["reachable", "mixed"])
def test_a_weight_goes_so_far_along_the_shortest_arc(solver, name):
    rng = np.random.default_rng(7)
    for chains in batches(solver, name):
        weight = rng.uniform(0, 1, len(chains))
        full = solve(solver, chains, **solver_options(solver))
        part = solve(solver, chains, weight=weight, **solver_options(solver))
        joints = chains.joints[:-1]
        wanted = quat.slerp(
            chains.poses[:, joints, 3:7],
            full.pose[:, joints, 3:7],
            np.repeat(weight[:, None], len(joints), 1),
        )
        assert quat.angle_between(part.pose[:, joints, 3:7], wanted).max() < 2e-3  # an nlerp may do
        assert_true_to_its_answer(chains, part, np.float64, TOLERANCE if solver.iterates else 1e-4)


@each_solver
@each_dtype
@pytest.mark.parametrize("name", ["reachable", "mixed", "collinear"])
def test_a_batch_is_one_by_one_to_the_bit(solver, dtype, name):
    for chains in batches(solver, name):
        together = solve(solver, chains, dtype, **solver_options(solver))
        for item in range(0, len(chains), 4):
            alone = solve(solver, chains.part(item), dtype, **solver_options(solver))
            for field in ("pose", "residual", "iterations", "reached", "limited"):
                one = np.asarray(getattr(alone, field))
                assert one.tobytes() == np.asarray(getattr(together, field)[item]).tobytes(), field


@each_solver
@each_dtype
def test_a_neighbour_with_scales_changes_no_bit(solver, dtype):
    """Poses without scales are read and kept in shorter ways, alone and in groups."""
    for chains in batches(solver, "reachable"):
        many = chains.part(np.arange(150) % len(chains))
        poses, scaled = many.poses.copy(), [5, 70, 71, 149]
        poses[np.ix_(scaled, chains.joints[1:], [7, 8, 9])] = [[[1.5]], [[-1]], [[2]], [[1.0001]]]
        options = solver_options(solver)
        chain, targets = chain_of(chains), many.targets.astype(dtype)
        poses = poses.astype(dtype)
        together = solver(chain, poses, targets, **options)
        for item in (0, 4, 5, 6, 69, 70, 71, 72, 100, 148, 149):
            alone = solver(chain, poses[item], targets[item], **options)
            for field in ("pose", "residual", "iterations", "reached", "limited"):
                one = np.asarray(getattr(alone, field))
                assert one.tobytes() == np.asarray(getattr(together, field)[item]).tobytes(), field


@each_solver
@pytest.mark.parametrize("name", ["reachable", "mixed"])
def test_threads_change_no_bit(solver, name):
    before = lissom.thread_count()
    try:
        for chains in batches(solver, name):
            many = chains.part(np.tile(np.arange(len(chains)), 40))
            answers = []
            for count in (1, 2, 5):
                lissom.set_thread_count(count)
                answers.append(solve(solver, many, np.float32, **solver_options(solver)))
            for other in answers[1:]:
                assert other.pose.tobytes() == answers[0].pose.tobytes()
                assert other.residual.tobytes() == answers[0].residual.tobytes()
    finally:
        lissom.set_thread_count(before)


SOLVE_ALL = """
import hashlib
import inspect
import numpy as np
from ik_solvers import SOLVERS, solve
from random_chains import random_chains
for name, solver in sorted(SOLVERS.items()):
    for kind in ("in a crowd", "mixed", "swing twist") if solver.iterates else ("in a crowd",):
        for dtype in (np.float32, np.float64):
            done = solve(solver, random_chains(kind, 3, 37), dtype)
            said = hashlib.sha256(done.pose.tobytes() + done.residual.tobytes()).hexdigest()
            print(name, kind, dtype.__name__, said)
"""


@pytest.mark.skipif("LISSOM_ISA" in os.environ, reason="an instruction set is forced already")
def test_instruction_sets_give_the_same_bits():
    said = []
    for isa in lissom._core.runnable_isas():
        environment = {**os.environ, "LISSOM_ISA": isa, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-c", SOLVE_ALL]
        run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        said.append(run.stdout)
    assert said[0].count("\n") > 20
    assert len(set(said)) == 1


@each_solver
def test_what_was_solved_before_changes_no_bit(solver):
    names = ("reachable", "mixed", "unreachable")
    chains = [each for name in names for each in batches(solver, name)]
    made = [chain_of(each) for each in chains]
    options = solver_options(solver)

    def all_of(order):
        return {
            i: solver(made[i], chains[i].poses, chains[i].targets, **options).pose.tobytes() for i in order
        }

    count = range(len(chains))
    assert all_of(count) == all_of(reversed(count))


@each_solver
@pytest.mark.parametrize("name", ["reachable", "mixed", "in a crowd", "below a scale"])
def test_float32_agrees_with_float64(solver, name):
    """For as long as rounding has not been fed back through many sweeps."""
    options = solver_options(solver, max_iterations=1)
    for chains in batches(solver, name):
        if len(chains.joints) > 10:
            continue
        narrow, wide = (solve(solver, chains, dtype, **options) for dtype in (np.float32, np.float64))
        joints = chains.joints[:-1]
        off = angles(narrow.pose[:, joints], wide.pose[:, joints])
        # Positions are rounded as the whole scene asks for, angles are that over the bones.
        fine = 1e-6 * max(10, np.abs(chains.targets).max() / chains.length)
        assert np.quantile(off, 0.9) < fine
        assert np.quantile(off, 0.99) < 100 * fine
        np.testing.assert_allclose(narrow.residual, wide.residual, atol=1e-3 * chains.length)


@each_solver
def test_leading_axes_broadcast(solver):
    chains = chains_of("in a crowd", 3)
    chain, options = chain_of(chains), solver_options(solver)
    poses, targets = chains.poses[:4, None], chains.targets[None, :5]
    grid = solver(chain, poses, targets, weight=np.linspace(0, 1, 5), **options)
    assert grid.pose.shape == (4, 5, len(chains.skeleton), 10)
    assert grid.residual.shape == grid.iterations.shape == grid.reached.shape == (4, 5)
    assert grid.limited.shape == (4, 5, len(chains.skeleton))
    one = solver(chain, poses[2, 0], targets[0, 3], weight=0.75, **options)
    assert one.pose.tobytes() == grid.pose[2, 3].tobytes()
    assert one.residual == grid.residual[2, 3]
    assert np.ndim(one.residual) == np.ndim(one.reached) == np.ndim(one.iterations) == 0
    none = solver(chain, np.zeros((0, *poses.shape[-2:])), targets[0, 0], **options)
    assert none.pose.shape == (0, *poses.shape[-2:])
    assert none.residual.shape == (0,)


@each_solver
@each_dtype
def test_out_takes_the_answer(solver, dtype):
    chains = chains_of("in a crowd", 3)
    out = np.full(chains.poses.shape, 7, dtype)
    options = solver_options(solver)
    done = solve(solver, chains, dtype, out=out, **options)
    assert done.pose is out
    assert out.tobytes() == solve(solver, chains, dtype, **options).pose.tobytes()


@each_solver
def test_poses_are_not_written_and_the_answer_is_new(solver):
    chains = chains_of("in a crowd", 3)
    before = chains.poses.tobytes(), chains.targets.tobytes()
    done = solve(solver, chains, **solver_options(solver))
    assert (chains.poses.tobytes(), chains.targets.tobytes()) == before
    assert not np.shares_memory(done.pose, chains.poses)


@each_iterative
def test_start_is_where_it_starts_from(solver):
    """A solution is a start that needs no iteration, and the rest of the pose is the input's."""
    for name in ("in a crowd", "limited in a crowd"):
        chains = chains_of(name, 5)
        first = solve(solver, chains, **solver_options(solver, max_iterations=100))
        met = chains.part(np.flatnonzero(first.reached))
        begun = first.pose[first.reached].copy()
        begun[:, :, :3] += 100  # only rotations of the chain count
        done = solve(solver, met, start=begun, **solver_options(solver))
        assert len(met) > 10
        assert not done.iterations.any()
        kept = ~chain_rotations(chains)
        assert done.pose[:, kept].tobytes() == met.poses[:, kept].tobytes()
        assert angles(done.pose, first.pose[first.reached]).max() < 1e-6


def test_there_are_solvers():
    assert {"ccd", "damped_least_squares", "fabrik", "selectively damped", "two_bone"} <= set(SOLVERS)


@each_solver
def test_scales_that_are_not_uniform_above_are_solved(solver):
    """What is above is undone for the target, shear and all; the chain itself is scaled alike."""
    for count in [c for c in (3, 6) if solver.iterates or c in solver.counts]:
        chains = below_uneven_scale(np.random.default_rng(8), count, 30)
        done = solve(solver, chains, **solver_options(solver))
        assert np.isfinite(done.pose).all()
        above = twin.model_matrices(chains.skeleton.parents, chains.poses)[:, chains.joints[0] - 1, :3, :3]
        own = np.linalg.norm(chains.skeleton.rest[chains.joints[1:], :3], axis=1).sum()
        length = own * np.sqrt(np.sum(above**2, axis=(1, 2)) / 3)  # by the mean square of the scales
        assert_true_to_its_answer(chains, done, np.float64, TOLERANCE if solver.iterates else 1e-4, length)
        assert done.reached.mean() > 0.4


@each_solver
def test_scales_that_are_not_uniform_within_are_refused_by_name(solver):
    chains = chains_of("reachable", 3)
    poses = chains.poses.copy()
    poses[:, chains.joints[1], 7:] = [1, 2, 1]
    name = chains.skeleton.names[int(chains.joints[1])]
    with pytest.raises(ValueError, match=rf"{name}.*scale|scale.*{name}"):
        solver(chain_of(chains), poses, chains.targets)


def orientation_of(skeleton, poses, joint):
    """The rotation in a joint's model matrix once the scales above, mirrors too, are off its columns."""
    poses = np.asarray(poses, np.float64)
    linear = twin.model_matrices(skeleton.parents, poses)[:, joint, :3, :3]
    scale = np.prod(poses[:, skeleton.chain(_root_of(skeleton, joint), joint), 7:], axis=1)
    return quat.from_matrix(linear / scale[:, None, :])


def _root_of(skeleton, joint):
    while skeleton.parents[joint] >= 0:
        joint = int(skeleton.parents[joint])
    return joint


@each_solver
@each_dtype
def test_an_orientation_turns_the_effector_and_the_angle_is_true(solver, dtype):
    rng = np.random.default_rng(9)
    for name in ("in a crowd", "below a mirror"):
        for chains in batches(solver, name):
            poses, targets = chains.poses.astype(dtype), chains.targets.astype(dtype)
            wanted = random_quats(rng, len(chains)).astype(dtype)
            wanted[::5] = np.nan  # asks for none
            options = solver_options(solver, max_iterations=60)
            done = solver(chain_of(chains), poses, targets, wanted, **options)
            tip = int(chains.joints[-1])
            got = orientation_of(chains.skeleton, done.pose, tip)
            asked = np.isfinite(wanted[:, 0])
            off = quat.angle_between(got[asked], wanted[asked].astype(np.float64))
            noise = 1e-5 if dtype == np.float32 else 1e-7
            np.testing.assert_allclose(done.angle[asked], off, atol=noise)
            assert not done.angle[~asked].any()
            assert done.pose[~asked, tip].tobytes() == poses[~asked, tip].tobytes()
            away = np.linalg.norm(chains.tips(done.pose) - targets, axis=-1)
            near = 2e-3  # radians: reached asks for the angle, too
            assert np.all(off[done.reached[asked]] < near)
            assert np.all(away[done.reached] < 1.01 * TOLERANCE * chains.length)
            if 2 < len(chains.joints) <= 10:
                assert done.reached.mean() > 0.6


def test_transforms_of_the_twin_are_those_of_the_package():
    """So that a convention both share is the package's own: local matrices are T R S, parents on the left."""
    chains = chains_of("scaled joints", 5)
    got = twin.model_matrices(chains.skeleton.parents, chains.poses)
    np.testing.assert_allclose(got, chains.skeleton.model_matrices(chains.poses), atol=1e-12)
    np.testing.assert_allclose(got[:, 0], trs.to_matrix(chains.poses[:, 0]), atol=1e-12)


@each_solver
@each_dtype
@pytest.mark.parametrize("unit", [1e-30, 1e-18, 1e15, 1e30])
def test_units_that_squares_cannot_hold_make_no_nan_and_no_false_claim(solver, dtype, unit):
    """What float32 cannot solve it leaves as it was; distances are told as they are."""
    rng = np.random.default_rng(6)
    rest = np.zeros((4, 10), np.float32)
    rest[:, 6:] = 1
    rest[2:, 1] = unit
    skeleton = lissom.Skeleton(["root", "hip", "knee", "ankle"], [-1, 0, 1, 2], rest)
    chain = lissom.ik.Chain(skeleton, 1, 3)
    poses = np.tile(rest.astype(dtype), (20, 1, 1))
    poses[..., 3:7] = random_quats(rng, 20, 4)
    targets = (rng.normal(size=(20, 3)) * unit).astype(dtype)
    done = solver(chain, poses, targets)
    assert np.isfinite(done.pose).all()
    away = np.linalg.norm(skeleton.positions(done.pose.astype(np.float64))[:, 3] - targets, axis=-1)
    rounding = 1e-5 if dtype is np.float32 else 1e-11
    np.testing.assert_allclose(done.residual / unit, away / unit, atol=10 * rounding)
    assert (away[done.reached] <= (1e-4 + 10 * rounding) * 2 * unit).all()


def test_tolerances_are_equal_unless_they_are_passed():
    """Signatures state the number, for readers; here it is one fact."""
    solvers = (ik.two_bone, ik.ccd, ik.fabrik, ik.damped_least_squares, ik.aim)
    assert {inspect.signature(solver).parameters["tolerance"].default for solver in solvers} == {1e-4}
