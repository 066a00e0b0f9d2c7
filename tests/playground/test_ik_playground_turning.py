# SPDX-License-Identifier: MIT
"""Targets with orientations, the gizmo that turns them, and the body that is moved under them."""

import numpy as np
import pytest

import lissom
from lissom import ik, quat, samples
from lissom._playground import moves
from lissom._playground.solvers import SOLVERS
from lissom._playground.turning import rotation_of, turned

HERO = samples.humanoid()
REST = HERO.skeleton.rest
ROUNDING = 2e-6  # radians: of float32 quaternions
FOOT = HERO.skeleton.index("Foot.L")
HIPS = HERO.skeleton.index("Pelvis")


def handle(made, name):
    return np.array(next(each.position for each in made._handles() if each.id == name))


@pytest.mark.parametrize("name", SOLVERS)
def test_an_orientation_is_met_by_every_solver(name):
    made = ik.Playground(HERO, "Foot.L", solver=name)
    made.solve([0.1, 0.4, 0.25])
    wanted = quat.multiply(
        quat.from_axis_angle(np.array([1.0, 0, 0]), 0.4), rotation_of(HERO.skeleton, REST, FOOT)
    )
    done = made.solve(orientations=wanted)
    assert bool(done.reached)
    np.testing.assert_allclose(made.orientations, wanted, atol=1e-6)
    found = rotation_of(HERO.skeleton, made.pose, FOOT)
    assert quat.angle_between(found, wanted) == pytest.approx(float(done.angle), abs=ROUNDING)
    assert "off the orientation" in made.readout
    names = {}
    exec(made.code(), names)
    np.testing.assert_array_equal(names["pose"], made.pose)
    made.reset()
    assert np.isnan(made.orientations).all()
    assert made.result.angle is None
    assert "orientation" not in made.readout


def test_a_rotation_is_measured_as_solvers_measure_it_below_scales_and_mirrors():
    pose = REST.astype(np.float64)
    line = HERO.skeleton.chain("UpperLeg.L", "Toes.L")
    pose[line, 3:7] = quat.random(len(line), seed=3, dtype=np.float64)
    pose[line[0], 7:] = (-1.0, 1.0, 1.0)
    pose[HIPS, 7:] = 1.3
    ankle = ik.Chain(HERO.skeleton, "Foot.L", "Toes.L")
    toes = HERO.skeleton.index("Toes.L")
    target = HERO.skeleton.positions(pose)[toes]
    done = ik.fabrik(ankle, pose, target, rotation_of(HERO.skeleton, pose, toes), weight=0.0)
    np.testing.assert_array_equal(done.pose, pose)
    assert float(done.angle) < 1e-7


@pytest.mark.parametrize("axis", range(3))
def test_an_axis_that_is_dragged_points_where_it_was_dragged_to(axis):
    made = ik.Playground(HERO, "Foot.L")
    moves.orient(made, 0, True)
    np.testing.assert_allclose(made.pose, REST, atol=1e-5, err_msg="as the effector is")
    place = made.targets + np.array([0.3, -0.2, 0.5])
    moves.move(made, {f"turn:0:{axis}": place.tolist()}, "drag", 0.0)
    direction = quat.rotate(made.orientations, np.eye(3, dtype=np.float32)[axis])
    np.testing.assert_allclose(direction, [0.3, -0.2, 0.5] / np.linalg.norm([0.3, -0.2, 0.5]), atol=1e-5)
    arm = handle(made, f"turn:0:{axis}") - made.targets
    np.testing.assert_allclose(arm / np.linalg.norm(arm), direction, atol=1e-5)
    moves.orient(made, 0, False)
    assert np.isnan(made.orientations).all()
    assert [each.id for each in made._handles()] == ["target:0"]


def test_a_target_that_is_dragged_onto_its_own_middle_is_not_turned():
    now = np.array([0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(turned(now, 0, np.zeros(3)), now)


def test_orientations_of_some_chains_by_name():
    made = ik.Playground(HERO, ["Hand.L", "Hand.R"], orientations={"Hand.R": [0, 0, 0, 1]})
    assert np.isnan(made.orientations[0]).all()
    np.testing.assert_array_equal(made.orientations[1], [0, 0, 0, 1])
    lines = made.readout.splitlines()
    assert "orientation" not in lines[0]
    assert "orientation" in lines[1]
    assert len(made._overlay(made._model_matrices()).lines) > 3 * 48
    with pytest.raises(ValueError, match=r"orientations of 'Hand.L' must have shape \(4,\), got \(3,\)"):
        made.solve(orientations={"Hand.L": [0, 0, 1]})


def test_a_body_is_moved_and_its_feet_stay():
    made = ik.Playground(HERO, "body", solver="damped_least_squares")
    assert [chain.names[-1] for chain in made.chains] == ["Foot.L", "Foot.R", "Hand.L", "Hand.R", "Head"]
    np.testing.assert_allclose(made.body, HERO.skeleton.positions(REST)[HIPS], atol=1e-6)
    before = HERO.skeleton.positions(made.pose)
    lower = made.body - np.float32([0.02, 0.1, 0.0])
    moves.move(made, {"body": lower.tolist()}, "drag", 0.0)
    after = HERO.skeleton.positions(made.pose)
    np.testing.assert_allclose(after[HIPS], lower, atol=1e-6)
    np.testing.assert_allclose(after[FOOT], before[FOOT], atol=2e-4)
    assert made.result.reached.tolist() == [True] * 4 + [False], "a head does not rise from the shoulders"
    np.testing.assert_allclose(handle(made, "body"), lower, atol=1e-6)
    names = {}
    exec(made.code(), names)
    np.testing.assert_array_equal(names["pose"], made.pose)
    made.reset()
    np.testing.assert_allclose(made.body, before[HIPS], atol=1e-6)


def test_the_body_of_one_leg_is_what_it_hangs_from():
    made = ik.Playground(HERO, "Foot.L", body=True)
    made.solve(body=made.body + np.float32([0.05, -0.05, 0.0]))
    assert bool(made.result.reached)
    assert ik.Playground(HERO, "Foot.L").body is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([0, 0], r"solve: body must have shape \(3,\), got \(2,\)"),
        ([0, np.nan, 0], "solve: body must be finite"),
        ([0, 1e12, 0], "solve: body"),
    ],
)
def test_a_body_that_is_nowhere_is_refused(body, message):
    made = ik.Playground(HERO, "Foot.L", body=True)
    before = made._state
    with pytest.raises(ValueError, match=message):
        made.solve(body=body)
    assert made._state is before


def test_a_body_needs_a_handle_and_a_body():
    with pytest.raises(ValueError, match="body must be omitted in a playground made without body=True"):
        ik.Playground(HERO, "Foot.L").solve(body=[0, 1, 0])
    bar = samples.twisted_bar()
    with pytest.raises(ValueError, match="where no body is found, got 'body'"):
        ik.Playground(bar, "body")
    apart = lissom.Skeleton(
        ["a", "b", "c", "d"], [-1, 0, -1, 2], np.tile([0, 1, 0, 0, 0, 0, 1, 1, 1, 1], (4, 1))
    )
    two = lissom.Character("two", apart, None, None)
    chains = [ik.Chain(apart, "a", "b"), ik.Chain(apart, "c", "d")]
    with pytest.raises(ValueError, match="body must carry all chains"):
        ik.Playground(two, chains, body=True)
