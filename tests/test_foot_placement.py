# SPDX-License-Identifier: MIT
"""Feet on the ground: laws, figures on stairs and slopes, and what is said of bad input."""

import copy
import pickle

import numpy as np
import pytest
from tests.conftest import ASSETS, each_asset
from tests.feet_grounds import Slope, Stair, judge, walk_of

import lissom
from lissom import quat, samples, trs
from lissom.ground import Plane
from lissom.ik import FootPlacement, FootResult, Leg, find_contacts

HERO = samples.humanoid()
LEGS = Leg.find(HERO)
WALK = HERO.clips["walk"]
RATE = 60
FIELDS = [
    *("poses", "contacts", "targets", "ground_heights", "normals", "offsets", "body_offset", "weights"),
    *("residuals", "reached", "airborne", "too_far"),
]
# Positions in units of the size: the sample's skin weights are float32, the mathematics is float64.
SAME = 1e-9
UNCHANGED = 1e-4


def strides(count=2.0, rate=RATE):
    times = np.arange(round(count * WALK.duration * rate) + 1) / rate
    return times, WALK.sample(times).astype(np.float64), WALK.root_motion.at(times)


def contacts_at(times):
    return find_contacts(WALK, LEGS, character=HERO).sample(times)


def rubble(origins, directions):
    """Smooth humps of a few centimetres."""
    x, _, z = origins.T
    height = 0.05 * np.sin(3 * x + 1) * np.sin(4 * z) + 0.04 * z
    slope_x = 0.15 * np.cos(3 * x + 1) * np.sin(4 * z)
    slope_z = 0.2 * np.sin(3 * x + 1) * np.cos(4 * z) + 0.04
    normal = np.stack([-slope_x, np.ones_like(x), -slope_z], axis=1)
    return origins[:, 1] - height, normal / np.linalg.norm(normal, axis=1, keepdims=True)


GROUNDS = {"rubble": rubble, "stair": Stair(0.12, 0.35, 0.4), "slope": Slope(15, 0.4)}


@pytest.fixture(params=list(GROUNDS))
def ground(request):
    return GROUNDS[request.param]


def world_vertices(poses, world):
    return trs.transform_point(world[:, None], HERO.deform(poses))


# What must not change


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
        for _ in range(2):  # also after a reset
            for frame in range(len(times)):
                dt = 0.0 if frame == 0 else times[frame] - times[frame - 1]
                curve = None if contacts is None else contacts[frame]
                step = placement.update(poses[frame], dt, curve, world[frame])
                for field in FIELDS:
                    np.testing.assert_array_equal(
                        getattr(step, field), getattr(whole, field)[frame], err_msg=f"{field} at {frame}"
                    )
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
    # The soles of left and right are measured on meshes that mirror each other but for rounding, so that
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
    result = FootPlacement(HERO, LEGS, ground).apply((times, poses), contacts_at(times), world)
    moved = [HERO.skeleton.index(joint) for leg in LEGS for joint in (leg.hip, leg.knee, leg.ankle, leg.toe)]
    rest = np.setdiff1d(np.arange(len(HERO.skeleton)), [0, *moved])
    np.testing.assert_array_equal(result.poses[:, rest], poses[:, rest])
    np.testing.assert_array_equal(result.poses[:, 0, 3:], poses[:, 0, 3:])
    np.testing.assert_array_equal(result.poses[..., 7:], poses[..., 7:])
    np.testing.assert_array_equal(result.poses[:, 1:, :3], poses[:, 1:, :3])


# What comes out is what is reported


def test_ankles_are_where_the_result_says(ground):
    times, poses, world = strides()
    result = FootPlacement(HERO, LEGS, ground).apply((times, poses), contacts_at(times), world)
    ankles = [HERO.skeleton.index(leg.ankle) for leg in LEGS]
    places = trs.transform_point(world[:, None], HERO.skeleton.positions(result.poses)[:, ankles])
    gaps = np.linalg.norm(places - result.targets, axis=-1)
    np.testing.assert_allclose(gaps, result.residuals, atol=1e-7)
    np.testing.assert_array_equal(result.reached, result.residuals <= 1e-4 * 0.8305)
    hips = HERO.skeleton.positions(result.poses)[:, 0] - HERO.skeleton.positions(poses)[:, 0]
    np.testing.assert_allclose(hips[:, 1], result.body_offset, atol=1e-9)


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
        times, poses, world = strides(2, rate)
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
    for frame in range(len(times)):
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


# The figures


PENETRATION, HOVER, ACCELERATION = 0.0025, 0.005, 1.5
REAL = {
    ("quaternius/mech_pack/George.glb", "Walk"): ["stair up", "stair down", "slope up", "slope down"],
    ("quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"): [
        *("stair up", "stair down", "slope up", "slope down")
    ],
    ("kaykit/Knight.glb", "Walking_A"): ["stair down", "slope up", "slope down"],
    ("kaykit/Barbarian.glb", "Walking_A"): ["stair down", "slope up", "slope down"],
    ("godot/player.glb", "walk"): ["slope up", "slope down"],
    ("quaternius/easy_enemies_pack/Spider.glb", "SpiderArmature|Spider_Walk"): [
        "stair up",
        "slope up",
        "slope down",
    ],
}
COURSES = {
    "stair up": lambda length: Stair(0.15 * length, 0.42 * length, 0.5 * length),
    "stair down": lambda length: Stair(-0.15 * length, 0.42 * length, 0.5 * length),
    "slope up": lambda length: Slope(15, 0.5 * length, 3 * length),
    "slope down": lambda length: Slope(-15, 0.5 * length, 3 * length),
}


def check(walk, course):
    ground = COURSES[course](walk.leg_length)
    result, figures = judge(walk, FootPlacement(walk.character, walk.legs, ground), ground)
    assert figures.penetration <= PENETRATION
    assert figures.hover <= HOVER
    assert figures.acceleration <= ACCELERATION
    assert np.isfinite(result.poses).all()


@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("build", ["adult", "child", "giant"])
def test_the_sample_stands_on_stairs_and_slopes(build, course):
    check(walk_of(samples.humanoid(build), "walk"), course)


MET = [(*case, course) for case, courses in REAL.items() for course in courses]


@pytest.mark.parametrize(
    "case", each_asset(MET if ASSETS.is_dir() else []), ids=lambda c: "-".join(map(str, c))
)
def test_real_characters_stand_on_stairs_and_slopes(case):
    file, clip, course = case
    check(walk_of(lissom.load(ASSETS / "characters" / file), clip), course)


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
    with pytest.raises(ValueError, match=r"FootResult.clip: one step has no times"):
        step.clip()


def test_repr_and_copies():
    placement = FootPlacement(HERO, LEGS, Slope(10))
    placement.update(WALK.at(0), 0.0)
    assert repr(FootPlacement(HERO, LEGS, Plane())).startswith("<FootPlacement: Foot.L, Foot.R on Plane(")
    result = placement.apply(WALK)
    assert "\n" not in repr(result)
    for other in (copy.deepcopy(placement), pickle.loads(pickle.dumps(placement))):
        steps = [some.update(WALK.at(0.1), 0.1) for some in (copy.deepcopy(placement), other)]
        for field in FIELDS:
            np.testing.assert_array_equal(*(getattr(step, field) for step in steps))
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, FootResult)
    np.testing.assert_array_equal(again.poses, result.poses)


@pytest.mark.parametrize(
    ("file", "clip"),
    each_asset(
        [
            ("khronos/Fox.glb", "Walk"),
            ("quaternius/easy_enemies_pack/Spider.glb", "SpiderArmature|Spider_Walk"),
        ]
        if ASSETS.is_dir()
        else []
    ),
)
def test_four_and_eight_legs_walk_over_rubble(file, clip):
    walk = walk_of(lissom.load(ASSETS / "characters" / file), clip, 2)
    size = walk.character.size

    def ground(origins, directions):
        distances, normals = rubble(origins / size * 3, directions)
        return distances * size / 3, normals

    result = FootPlacement(walk.character, walk.legs, ground).apply(
        (walk.times, walk.poses), walk.contacts, walk.world
    )
    assert np.isfinite(result.poses).all()
    assert result.reached.mean() > 0.9


# Bad input


NAN = np.full((len(HERO.skeleton), 10), np.nan)
PLACE = FootPlacement(HERO, LEGS, Plane())
POSE = WALK.at(0.0)
BAR = samples.twisted_bar()


def scaled(joint, scale):
    pose = POSE.copy()
    pose[HERO.skeleton.index(joint), 7:] = scale
    return pose


def answering(distances, normals):
    def ground(origins, directions):
        return distances, normals

    return FootPlacement(HERO, LEGS, ground).update(POSE, 0.0)


BAD = [
    (
        lambda: FootPlacement("hero", LEGS, Plane()),
        TypeError,
        "character must be a Character or a Skeleton, got",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, 3.0),
        TypeError,
        "ground must be callable as .*, got float; see lissom.g",
    ),
    (
        lambda: FootPlacement(HERO, [], Plane()),
        ValueError,
        "legs must hold at least one Leg, got none; Leg.fi",
    ),
    (lambda: FootPlacement(HERO, ["Foot.L"], Plane()), TypeError, "legs must hold Leg, got str"),
    (lambda: FootPlacement(BAR, LEGS, Plane()), ValueError, "hip of Leg.*no joint is named 'UpperLeg.L'"),
    (
        lambda: FootPlacement(HERO, [Leg("UpperLeg.L", "LowerLeg.R", "Foot.L")], Plane()),
        ValueError,
        "FootPlacement: the joints of Leg.* must be in line, but knee 'LowerLeg.R' does not hang below",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), max_angle=40),
        ValueError,
        "max_angle must be an angle in radia",
    ),
    (lambda: FootPlacement(HERO, LEGS, Plane(), lock=2), ValueError, r"lock must lie in \[0, 1\], got 2"),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body_time=-1),
        ValueError,
        "body_time must be finite and at lea",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), up=(0, 0, 0)),
        ValueError,
        "FootPlacement: up must not be z",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body="Hand.L"),
        ValueError,
        "body must be a joint that all le",
    ),
    (
        lambda: PLACE.update(POSE, -0.1),
        ValueError,
        "FootPlacement.update: dt must be finite and at least 0, got",
    ),
    (lambda: PLACE.update(POSE, float("nan")), ValueError, "dt must be finite and at least 0, got nan"),
    (lambda: PLACE.update(POSE, "0.1"), TypeError, "dt must be a number, got str"),
    (
        lambda: PLACE.update(NAN, 0.1),
        ValueError,
        "poses must be finite, got NaN or infinity at joint 'Pelvis'",
    ),
    (lambda: PLACE.update(POSE[:5], 0.1), ValueError, r"poses must have shape \(34, 10\), got \(5, 10\)"),
    (
        lambda: PLACE.update(POSE, 0.1, [1.0]),
        ValueError,
        r"contacts must have shape \(2,\) for 2 legs, got \(1,\)",
    ),
    (lambda: PLACE.update(POSE, 0.1, [1.0, 1.5]), ValueError, r"contacts must lie in \[0, 1\], got 1.5"),
    (lambda: PLACE.update(POSE, 0.1, [1.0, np.nan]), ValueError, r"contacts must lie in \[0, 1\], got nan"),
    (
        lambda: PLACE.update(POSE, 0.1, None, np.zeros(10)),
        ValueError,
        "world_from_model must be rigid, got a sc",
    ),
    (
        lambda: PLACE.update(POSE, 0.1, None, np.eye(4)),
        ValueError,
        r"world_from_model must have shape \(10,\), ",
    ),
    (lambda: PLACE.apply(POSE), TypeError, r"motion must be a Clip or a pair \(times, poses\), got ndarray"),
    (lambda: PLACE.apply(BAR.clips["twist"]), ValueError, "must be of the same skeleton"),
    (
        lambda: PLACE.apply(WALK, np.ones((3, 2))),
        ValueError,
        r"contacts must have shape \(68, 2\) for 2 legs, got",
    ),
    (lambda: PLACE.apply(([0, 1], POSE)), ValueError, r"poses \(F, 34, 10\), F at least 1, got \(2,\)"),
    (
        lambda: PLACE.apply(([1, 0], np.stack([POSE, POSE]))),
        ValueError,
        "must be finite and increase strictly",
    ),
    (
        lambda: PLACE.apply(([0, 1], np.stack([POSE, NAN.astype(np.float32)]))),
        ValueError,
        "poses must be finite, got NaN or infinity at frame 1, joint 'Pelvis'",
    ),
    (lambda: PLACE.apply(([0.0], POSE[None]), times=[0]), ValueError, "times are for clips"),
    (
        lambda: answering(np.zeros(3), np.zeros((3, 3))),
        ValueError,
        r"ground .*: distances must have shape \(\d+,\)",
    ),
    (lambda: PLACE.apply(([], POSE[None][:0])), ValueError, r"poses \(F, 34, 10\), F at least 1, got \(0,\)"),
    (lambda: PLACE.apply(WALK, times=[]), ValueError, r"times must have shape \(F,\), F at least 1, got"),
    (
        lambda: PLACE.apply(lissom.make_additive(WALK, POSE)),
        ValueError,
        "FootPlacement.apply: clip 'walk.*' is additive: it holds differences, no poses",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body="Pelvi"),
        ValueError,
        "^FootPlacement: body: no joint is named 'Pelvi'; did you mean 'Pelvis'",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body=0.5),
        TypeError,
        "^FootPlacement: body: a joint is given",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), stance=np.zeros_like(POSE)),
        ValueError,
        "FootPlacement: stance, the rest pose if none is given, must not scale the foot of Leg.* to zero",
    ),
    (
        lambda: PLACE.update(scaled("Pelvis", 0.0), 0.1),
        ValueError,
        "FootPlacement.update: poses must not scale feet to zero, got that at joint 'Foot",
    ),
    (
        lambda: PLACE.apply(([0, 1], np.stack([POSE, scaled("Pelvis", (1.0, 1.3, 1.0))]))),
        ValueError,
        "FootPlacement.apply: poses must not shear feet, got joints above joint '.*' of frame 1 that",
    ),
    (lambda: answering(1.0, None), (TypeError, ValueError), "distances must have shape"),
]


@pytest.mark.parametrize("case", BAD, ids=[message for *_, message in BAD])
def test_says_what_is_wrong(case):
    call, kind, message = case
    with pytest.raises(kind, match=message):
        call()
