# SPDX-License-Identifier: MIT
"""Feet on the ground: what comes out is what is reported; ground that is missing, far or steep; time."""

import copy
import pickle

import numpy as np
import pytest

from feet_grounds import Slope, Stair
from hero_strides import FIELDS, GROUNDS, HERO, LEGS, RATE, WALK, contacts_at, strides
from lissom import trs
from lissom.ground import Plane
from lissom.ik import FootPlacement, FootResult


@pytest.fixture(params=list(GROUNDS))
def ground(request):
    return GROUNDS[request.param]


# What comes out is what is reported


def test_ankles_are_where_the_result_says(ground):
    times, poses, world = strides()
    result = FootPlacement(HERO, LEGS, ground).apply((times, poses), contacts_at(times), world)
    ankles = [HERO.skeleton.index(leg.ankle) for leg in LEGS]
    places = trs.transform_point(world[:, None], HERO.skeleton.positions(result.poses)[:, ankles])
    gaps = np.linalg.norm(places - result.targets, axis=-1)
    np.testing.assert_allclose(gaps, result.residuals, atol=1e-7)
    np.testing.assert_array_equal(result.reached, result.residuals <= 1e-4 * 0.8305)
    hips = [HERO.skeleton.index(leg.hip) for leg in LEGS]
    moved = (HERO.skeleton.positions(result.poses) - HERO.skeleton.positions(poses))[:, hips].mean(axis=1)
    np.testing.assert_allclose(moved, result.body_offset[:, None] * [0, 1, 0], atol=1e-9)


def test_knees_keep_their_direction(ground):
    times, poses, world = strides()
    result = FootPlacement(HERO, LEGS, ground).apply((times, poses), contacts_at(times), world)
    for leg in LEGS:
        joints = [HERO.skeleton.index(joint) for joint in (leg.hip, leg.knee, leg.ankle)]
        bends, sines = [], np.zeros(1)
        for some in (poses, result.poses):
            hip, knee, ankle = np.moveaxis(HERO.skeleton.positions(some)[:, joints], 1, 0)
            bend = np.cross(knee - hip, ankle - knee)
            sines = (
                np.minimum(np.linalg.norm(bend, axis=-1), sines) if bends else np.linalg.norm(bend, axis=-1)
            )
            bends.append(bend / np.linalg.norm(bend, axis=-1, keepdims=True))
        bent = sines > 0.2 * 0.172  # thigh times shin; of legs that are straight there is no direction
        assert bent.mean() > 0.7
        assert (np.sum(bends[0] * bends[1], axis=-1)[bent] > 0.9).all()


def test_feet_lie_on_a_slope():
    times = np.arange(30) / 30
    idle = HERO.clips["idle"].sample(times).astype(np.float64)
    for degrees, expected in ((15.0, 15.0), (30.0, 30.0), (50.0, 40.0)):
        slope = Plane(normal=(0, np.cos(np.radians(degrees)), -np.sin(np.radians(degrees))))
        result = FootPlacement(HERO, LEGS, slope, max_down=5, max_up=5).apply((times, idle))
        for leg in LEGS:
            joint = HERO.skeleton.index(leg.ankle)
            before, after = (HERO.skeleton.model_matrices(p)[:, joint, :3, :3] for p in (idle, result.poses))
            turn = after @ np.swapaxes(before, 1, 2)
            angle = np.degrees(np.arccos(np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1)))
            np.testing.assert_allclose(angle, expected, atol=0.05)


def test_feet_that_stand_stay_where_they_are():
    times, poses, world = strides(2)
    slow = world.copy()
    slow[:, 2] *= 0.85  # the body moves less than the legs walk: feet slide backwards by 15 %
    curves = contacts_at(times)
    toes = [HERO.skeleton.index(leg.toe) for leg in LEGS]

    def slides(lock):
        result = FootPlacement(HERO, LEGS, Plane(), lock=lock).apply((times, poses), curves, slow)
        places = trs.transform_point(slow[:, None], HERO.skeleton.positions(result.poses)[:, toes])
        flat = (curves[1:] == 1) & (curves[:-1] == 1)
        return np.abs(np.diff(places[..., 2], axis=0))[flat].sum()

    assert slides(1.0) < 0.35 * slides(0.0)


def test_a_foot_is_locked_from_nine_tenths_of_a_contact_on():
    """Below, while it is put down or lifted, it moves as in the animation; above, its drift is taken back."""
    times, poses, world = strides(2)
    world[:, 2] *= 0.85  # feet slide backwards

    def targets(contact, lock):
        placement = FootPlacement(HERO, LEGS, Plane(), lock=lock)
        return placement.apply((times, poses), np.full((len(times), 2), contact), world).targets

    np.testing.assert_array_equal(targets(0.899, 1.0), targets(0.899, 0.0))
    assert np.abs(targets(0.901, 1.0) - targets(0.901, 0.0)).max() > 1e-6
    assert np.abs(targets(0.95, 1.0) - targets(0.95, 0.0)).max() > 1e-2


# Ground that is not there, too far, too steep


def test_nothing_below_leaves_feet_to_the_animation():
    def nothing(origins, directions):
        return np.full(len(origins), np.inf), np.zeros((len(origins), 3))

    result = FootPlacement(HERO, LEGS, nothing).apply(WALK)
    assert result.airborne.all()
    assert (result.weights == 0).all()
    assert np.isnan(result.ground_heights).all()
    np.testing.assert_allclose(result.poses, WALK.sample(result.times, loop=False), atol=2e-6)


def test_ground_that_ends_lets_feet_go_smoothly():
    times, poses, world = strides(3)

    def cliff(origins, directions):
        distances = np.where(origins[:, 2] < 1.5, origins[:, 1] - 0.1, np.inf)
        return distances, np.tile([0.0, 1.0, 0.0], (len(origins), 1))

    result = FootPlacement(HERO, LEGS, cliff).apply((times, poses), contacts_at(times), world)
    assert result.airborne[-20:].all()
    assert not result.airborne[:20].any()
    assert (result.weights[-5:] < 0.05).all()
    assert np.abs(np.diff(result.weights, axis=0)).max() < 0.15
    # The body stays as high as the last ground, and feet are where the animation has them below it.
    np.testing.assert_allclose(result.offsets[-1], result.body_offset[-1], atol=2e-3)
    np.testing.assert_allclose(result.body_offset[-1], 0.1, atol=0.05)
    assert np.abs(np.diff(result.body_offset)).max() < 0.02


def test_what_is_too_steep_is_left_to_the_animation():
    times = np.arange(10) / 30
    poses = HERO.clips["idle"].sample(times).astype(np.float64)
    steep = Plane(normal=(0, 1, -3))
    result = FootPlacement(HERO, LEGS, steep, max_up=9, max_down=9).apply((times, poses))
    assert result.too_far.all()
    assert not result.airborne.any()
    assert (result.weights == 0).all()
    np.testing.assert_allclose(
        HERO.skeleton.positions(result.poses) - result.body_offset[:, None, None] * [0, 1, 0],
        HERO.skeleton.positions(poses),
        atol=1e-6,
    )
    allowed = FootPlacement(HERO, LEGS, steep, max_slope=1.4, max_up=9, max_down=9).apply((times, poses))
    assert (allowed.weights == 1).all()


def test_what_is_too_high_is_not_stepped_on():
    times, poses, world = strides(2)
    wall = Stair(0.9, 100.0, 0.5)
    result = FootPlacement(HERO, LEGS, wall, max_up=0.5).apply((times, poses), world_from_model=world)
    assert result.too_far[-20:].all()
    assert not result.airborne.any()
    assert (result.offsets < 0.1).all()
    assert np.abs(np.diff(result.offsets, axis=0)).max() < 0.03


# Time


def test_steps_of_different_length_agree_as_they_get_short():
    def bodies(rate):
        times, poses, world = strides(1, rate)
        result = FootPlacement(HERO, LEGS, Slope(15, 0.4)).apply((times, poses), contacts_at(times), world)
        return result.body_offset[:: rate // 60]

    coarse, fine, finest = bodies(60), bodies(240), bodies(960)
    assert np.abs(fine - finest).max() < 0.3 * np.abs(coarse - finest).max()
    assert np.abs(fine - finest).max() < 2e-3


def test_a_pause_of_a_minute_is_no_explosion(ground):
    placement = FootPlacement(HERO, LEGS, ground, lock=0)
    placement.update(WALK.at(0.0), 1 / 60)
    place = trs.identity(dtype=np.float64)
    place[2] = 1.0
    for dt in (60.0, 0.0, 1e-9, 1e4):
        step = placement.update(WALK.at(0.1), dt, world_from_model=place)
        assert np.isfinite(step.poses).all()
        assert abs(step.body_offset) < 1.0
    # After so long everything is where it wants to be: as if it had begun here.
    placement.reset()
    begun = placement.update(WALK.at(0.1), 0.0, world_from_model=place)
    np.testing.assert_allclose(step.body_offset, begun.body_offset, atol=1e-9)


def test_a_step_that_fails_changes_nothing():
    times, poses, world = strides(1)
    curves = contacts_at(times)
    stair = GROUNDS["stair"]
    good, tried = (FootPlacement(HERO, LEGS, stair) for _ in range(2))
    failed = set()
    for frame in range(len(times) // 2):
        given = poses[frame], 1 / RATE, curves[frame], world[frame]
        for last in (1, 2):  # what is below soles is seen, but not the edges of steps, where there are some
            left = iter([True] * (last - 1))

            def breaking(origins, directions, left=left):
                return stair(origins, directions) if next(left, False) else None

            spare = tried if last == 1 else copy.deepcopy(tried)
            spare.ground = breaking
            try:
                spare.update(*given)
            except TypeError:
                failed.add(last)
                spare.ground = stair
                tried = spare
        tried.ground = stair
        steps = [some.update(*given) for some in (good, tried)]
        for field in FIELDS:
            np.testing.assert_array_equal(*(getattr(step, field) for step in steps), err_msg=field)
    assert failed == {1, 2}


def test_body_and_feet_move_smoothly_up_a_stair():
    times, poses, world = strides(3)
    result = FootPlacement(HERO, LEGS, Stair(0.12, 0.35, 0.4)).apply(
        (times, poses), contacts_at(times), world
    )
    assert np.abs(np.diff(result.body_offset, 2)).max() * RATE**2 < 7.0  # m/s^2
    assert np.abs(np.diff(result.offsets, axis=0)).max() * RATE < 3.4  # m/s: 4 leg lengths
    assert result.body_offset[-1] > 0.5


# What it is


def test_results_make_clips():
    result = FootPlacement(HERO, LEGS, Slope(10)).apply(WALK)
    clip = result.clip("uphill")
    np.testing.assert_allclose(clip.sample(result.times, loop=False), result.poses, atol=1e-6)
    world = result.clip(in_world=True).sample(result.times, loop=False)
    np.testing.assert_allclose(
        HERO.skeleton.positions(world),
        trs.transform_point(result.world_from_model[:, None], HERO.skeleton.positions(result.poses)),
        atol=2e-5,
    )
    step = FootPlacement(HERO, LEGS, Plane()).update(WALK.at(0), 0.0)
    with pytest.raises(ValueError, match=r"FootResult.clip: the result must have times, got one step"):
        step.clip()


def test_repr_and_copies():
    placement = FootPlacement(HERO, LEGS, Slope(10))
    placement.update(WALK.at(0), 0.0)
    assert repr(FootPlacement(HERO, LEGS, Plane())).startswith("<FootPlacement: Foot.L, Foot.R on Plane(")
    result = placement.apply(WALK)
    assert "\n" not in repr(result)
    level = FootPlacement(HERO, LEGS, Plane()).apply(WALK)
    assert repr(level).endswith("body moved 0 to 0>"), "rounding is no length"
    assert level._repr_html_().count(">0 to 0<") == 1 + len(LEGS)
    for other in (copy.deepcopy(placement), pickle.loads(pickle.dumps(placement))):
        steps = [some.update(WALK.at(0.1), 0.1) for some in (copy.deepcopy(placement), other)]
        for field in FIELDS:
            np.testing.assert_array_equal(*(getattr(step, field) for step in steps))
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, FootResult)
    np.testing.assert_array_equal(again.poses, result.poses)
