# SPDX-License-Identifier: MIT
"""What must not change where feet stand: the ground's place, mirrors, axes, batches."""

import numpy as np
import pytest

import lissom
from hero_strides import FIELDS, GROUNDS, HERO, LEGS, UNCHANGED, WALK, contacts_at, rubble, strides
from lissom import quat, trs
from lissom.ground import Plane
from lissom.ik import FootPlacement, Leg


@pytest.fixture(params=list(GROUNDS))
def ground(request):
    return GROUNDS[request.param]


@pytest.mark.parametrize("name", ["walk", "run", "idle"])
def test_level_ground_where_the_animation_has_it_changes_nothing(name):
    clip = HERO.clips[name]
    result = FootPlacement(HERO, LEGS, Plane()).apply(clip)
    before = HERO.deform(clip.sample(result.times, loop=False).astype(np.float64))
    after = HERO.deform(result.poses.astype(np.float64))
    # Runs slide by 3 mm between keys, which holding feet takes back: compare without.
    if name != "idle":
        result = FootPlacement(HERO, LEGS, Plane(), lock=0).apply(clip)
        after = HERO.deform(result.poses.astype(np.float64))
    assert np.abs(after - before).max() < UNCHANGED * HERO.size
    assert result.reached.all()
    assert not result.airborne.any()


def test_a_whole_clip_and_steps_give_the_same_bits(ground):
    times, poses, world = strides()
    for contacts in (None, contacts_at(times)):
        placement = FootPlacement(HERO, LEGS, ground)
        whole = placement.apply((times, poses), contacts, world)
        for count in (len(times), 10):  # also after a reset
            steps = []
            for frame in range(count):
                dt = 0.0 if frame == 0 else times[frame] - times[frame - 1]
                curve = None if contacts is None else contacts[frame]
                steps.append(placement.update(poses[frame], dt, curve, world[frame]))
            for field in FIELDS:
                stepped = np.stack([getattr(step, field) for step in steps])
                np.testing.assert_array_equal(stepped, getattr(whole, field)[:count], err_msg=field)
            placement.reset()


def test_a_clip_and_its_poses_give_the_same(ground):
    times, poses, world = strides(1)
    placement = FootPlacement(HERO, LEGS, ground)
    by_clip = placement.apply(WALK, times=times)
    np.testing.assert_array_equal(by_clip.world_from_model, world)
    by_poses = placement.apply((times, poses.astype(np.float32)), world_from_model=world)
    np.testing.assert_array_equal(by_clip.poses, by_poses.poses)
    assert by_clip.poses.dtype == np.float32


def test_lists_are_computed_as_one_type():
    times, poses, _ = strides(0.05)
    placement = FootPlacement(HERO, LEGS, Plane())
    whole = placement.apply((times.tolist(), poses.tolist()))
    assert whole.poses.dtype == placement.update(poses[0].tolist(), 0.0).poses.dtype == np.float32


def test_moving_world_and_ground_together_changes_nothing(ground):
    times, poses, world = strides()
    move = trs.from_parts(translation=[3.0, -0.7, 5.0], rotation=quat.from_axis_angle([0, 1, 0], 0.8)).astype(
        np.float64
    )

    def moved(origins, directions):
        back = trs.inverse(move)
        distances, normals = ground(
            trs.transform_point(back, origins), trs.transform_vector(back, directions)
        )
        return distances, trs.transform_vector(move, normals)

    here = FootPlacement(HERO, LEGS, ground).apply((times, poses), contacts_at(times), world)
    there = FootPlacement(HERO, LEGS, moved).apply(
        (times, poses), contacts_at(times), trs.compose(move, world)
    )
    # Edges are found by halving: a foot right at one may fall on either side, by a 64th of 3 cm.
    close = np.abs(there.offsets - here.offsets) < 1e-9
    assert close.mean() > 0.95
    assert np.abs(there.offsets - here.offsets).max() < 2e-3
    places = [HERO.skeleton.positions(result.poses) for result in (here, there)]
    frames = close.all(axis=1)
    assert np.abs(places[0] - places[1])[frames].max() < 5e-3
    np.testing.assert_allclose(
        there.targets[close], trs.transform_point(move, here.targets[close]), atol=1e-6
    )


@pytest.mark.parametrize("given", [False, True])
def test_a_character_tilted_with_its_ground_stands_as_on_level_ground(given):
    """The ground of the animation tilts with the character: there is nothing left to do."""
    times = np.arange(20) / 20
    poses = HERO.clips["idle"].sample(times).astype(np.float64)
    tilt = trs.from_parts(rotation=quat.from_axis_angle([0.8, 0, 0.6], -0.3)).astype(np.float64)
    slope = Plane(normal=quat.rotate(tilt[3:7], np.array([0.0, 1.0, 0.0])))
    curves = np.ones((20, 2)) if given else None
    result = FootPlacement(HERO, LEGS, slope).apply((times, poses), curves, tilt)
    places = HERO.skeleton.positions(result.poses), HERO.skeleton.positions(poses)
    np.testing.assert_allclose(*places, atol=UNCHANGED * HERO.size)
    np.testing.assert_array_equal(result.contacts, 1)


def test_raising_the_ground_with_the_character_raises_all(ground):
    times, poses, world = strides()
    high = world.copy()
    high[:, 1] += 0.375

    def raised(origins, directions):
        return ground(origins - [0, 0.375, 0], directions)

    low = FootPlacement(HERO, LEGS, ground).apply((times, poses), world_from_model=world)
    up = FootPlacement(HERO, LEGS, raised).apply((times, poses), world_from_model=high)
    np.testing.assert_allclose(up.poses, low.poses, atol=1e-7)
    np.testing.assert_allclose(
        up.targets - low.targets, np.broadcast_to([0, 0.375, 0], low.targets.shape), atol=1e-7
    )


def test_raising_the_ground_alone_raises_body_and_feet(ground):
    times, poses, world = strides()

    def raised(origins, directions):
        return ground(origins - [0, 0.375, 0], directions)

    low = FootPlacement(HERO, LEGS, ground).apply((times, poses), world_from_model=world)
    up = FootPlacement(HERO, LEGS, raised).apply((times, poses), world_from_model=world)
    np.testing.assert_allclose(up.body_offset - low.body_offset, 0.375, atol=1e-7)
    np.testing.assert_allclose(up.offsets - low.offsets, 0.375, atol=1e-7)


def test_mirrored_ground_gives_the_mirrored_result():
    times, _, world = strides()
    walk, other = WALK, WALK.mirrored()
    world[:, 0] = 0.0

    def mirrored(origins, directions):
        distances, normals = rubble(origins * [-1, 1, 1], directions * [-1, 1, 1])
        return distances, normals * [-1, 1, 1]

    here = FootPlacement(HERO, LEGS, rubble).apply((times, walk.sample(times)), world_from_model=world)
    there = FootPlacement(HERO, LEGS, mirrored).apply((times, other.sample(times)), world_from_model=world)
    # The soles of left and right are measured on meshes that mirror each other up to rounding, so that
    # other vertices may be chosen of those that are equally low.
    np.testing.assert_allclose(there.offsets[:, ::-1], here.offsets, atol=2e-3 * HERO.size)
    np.testing.assert_allclose(there.body_offset, here.body_offset, atol=2e-3 * HERO.size)
    mirror = np.abs(there.targets[:, ::-1] * [-1, 1, 1] - here.targets).max()
    assert mirror < 4e-3 * HERO.size


def test_a_mirrored_character_gives_the_mirrored_result():
    """Below a joint that is scaled by -1 along x all is as it is without, in the mirror."""
    times, poses, _ = strides(1)
    legs = [leg for leg in Leg.find(HERO.skeleton) if leg.toe]
    assert len(legs) == 2

    def below(scale):
        top = np.array([0, 0, 0, 0, 0, 0, 1, scale, 1, 1], float)
        rest = np.concatenate([top[None], HERO.skeleton.rest])
        rig = lissom.Skeleton(["Top", *HERO.skeleton.names], [-1, *(HERO.skeleton.parents + 1)], rest)
        given = np.concatenate([np.broadcast_to(top, (len(times), 1, 10)), poses], axis=1)
        slope = Plane((0, 0.1, 0), (0.2 * scale, 1, -0.3))
        result = FootPlacement(rig, legs, slope).apply((times, given))
        return rig.positions(result.poses) * [scale, 1, 1]

    np.testing.assert_allclose(below(-1), below(1), atol=1e-9)


def test_another_up_axis_gives_the_same():
    times, poses, _ = strides(1)
    tip = trs.from_parts(rotation=quat.from_axis_angle([1, 0, 0], np.pi / 2)).astype(np.float64)  # y to z
    lying = poses.copy()
    lying[:, 0] = trs.compose(tip, poses[:, 0])
    stance = HERO.skeleton.rest.astype(np.float64)
    stance[0] = trs.compose(tip, stance[0])
    slope = Plane((0, 0, 0.4), (0.1, 1, -0.2))
    tipped = Plane(trs.transform_point(tip, slope.point), trs.transform_vector(tip, slope.normal))
    plain = FootPlacement(HERO, LEGS, slope).apply((times, poses), contacts_at(times))
    other = FootPlacement(HERO, LEGS, tipped, up=(0, 0, 1), stance=stance).apply(
        (times, lying), contacts_at(times)
    )
    np.testing.assert_allclose(other.offsets, plain.offsets, atol=2e-3 * HERO.size)
    np.testing.assert_allclose(other.targets, trs.transform_point(tip, plain.targets), atol=2e-3 * HERO.size)


def test_only_legs_and_the_place_of_the_body_change(ground):
    times, poses, world = strides(1)
    result = FootPlacement(HERO, LEGS, ground, lean=0).apply((times, poses), contacts_at(times), world)
    moved = [HERO.skeleton.index(joint) for leg in LEGS for joint in (leg.hip, leg.knee, leg.ankle, leg.toe)]
    rest = np.setdiff1d(np.arange(len(HERO.skeleton)), [0, *moved])
    np.testing.assert_array_equal(result.poses[:, rest], poses[:, rest])
    np.testing.assert_array_equal(result.poses[:, 0, 3:], poses[:, 0, 3:])
    np.testing.assert_array_equal(result.poses[..., 7:], poses[..., 7:])
    np.testing.assert_array_equal(result.poses[:, 1:, :3], poses[:, 1:, :3])


@pytest.mark.parametrize("degrees", [0.0, 3.0])
def test_knees_that_rest_straight_bend_as_the_clip_bends_them(degrees):
    """A rest pose that is straight, or a little beyond, says nothing about the side that knees bend to."""
    rest = HERO.skeleton.rest.astype(np.float64)
    places = HERO.skeleton.positions(HERO.skeleton.rest).astype(np.float64)
    for side in "LR":
        hip, knee, ankle = (
            HERO.skeleton.index(f"{bone}.{side}") for bone in ("UpperLeg", "LowerLeg", "Foot")
        )
        straight = quat.from_to(places[ankle] - places[knee], places[knee] - places[hip])
        beyond = quat.from_axis_angle([-1.0, 0.0, 0.0], np.radians(degrees))  # joint axes are model axes
        rest[knee, 3:7] = quat.multiply(quat.multiply(beyond, straight), rest[knee, 3:7])
    straight_legged = lissom.Skeleton(HERO.skeleton.names, HERO.skeleton.parents, rest)
    times = np.linspace(0, WALK.duration, 40)
    poses = WALK.sample(times, loop=False).astype(np.float64)
    placement = FootPlacement(straight_legged, Leg.find(straight_legged), Plane(normal=(0, 1, -0.25)))
    result = placement.apply((times, poses))
    for side in "LR":
        bends = []
        for each in (poses, result.poses.astype(np.float64)):
            hip, knee, ankle = (
                straight_legged.positions(each)[:, straight_legged.index(f"{bone}.{side}")]
                for bone in ("UpperLeg", "LowerLeg", "Foot")
            )
            bends.append(np.cross(knee - hip, ankle - knee))
        clear = (
            np.linalg.norm(bends, axis=2).min(axis=0) > 0.005 * HERO.size**2
        )  # a right angle has five times it
        assert clear.sum() > 10
        assert (np.sum(bends[0] * bends[1], axis=1)[clear] > 0).all()
