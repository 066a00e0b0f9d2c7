# SPDX-License-Identifier: MIT
"""Bodies and legs on slopes: backs lean, legs fold as in the clip, heels rise before bodies crouch."""

import numpy as np
import pytest

import lissom
from conftest import asset
from feet_grounds import Slope, Stair, walk_of
from hero_strides import HERO, LEGS
from lissom import quat, trs
from lissom.ground import Plane
from lissom.ik import FootPlacement, Leg

HEIGHT, LENGTH, WIDTH = 0.8, 1.2, 0.3  # of the animal, metres


def animal():
    """An animal whose fore legs bend once and hind legs twice, forwards at the stifle, back at the hock."""
    names, parents, places = ["Body"], [-1], [[0, HEIGHT, 0]]
    for x in (WIDTH / 2, -WIDTH / 2):
        for z, bones in (
            (LENGTH / 2, [[0, -0.45, -0.1], [0, -0.35, 0.1]]),
            (-LENGTH / 2, [[0, -0.3, 0.15], [0, -0.25, -0.2], [0, -0.25, 0.05]]),
        ):
            for number, place in enumerate([[x, 0, z], *bones]):
                parents.append(0 if number == 0 else len(names) - 1)
                names.append(f"{'fore' if z > 0 else 'hind'}{'L' if x > 0 else 'R'}{number}")
                places.append(place)
    local = trs.identity(len(names), dtype=np.float64)
    local[:, :3] = places
    skeleton = lissom.Skeleton(names, parents, local)
    legs = [
        *(Leg(f"fore{side}0", f"fore{side}1", f"fore{side}2") for side in "LR"),
        *(Leg(f"hind{side}0", (f"hind{side}1", f"hind{side}2"), f"hind{side}3") for side in "LR"),
    ]
    return skeleton, legs


def standing(degrees: float, way: str, **options):
    skeleton, legs = animal()
    tangent = np.tan(np.radians(degrees))
    ground = Plane(normal=(0, 1, -tangent) if way == "ahead" else (-tangent, 1, 0))
    pose = skeleton.rest.astype(np.float64)
    result = FootPlacement(skeleton, legs, ground, **options).update(pose, 0.0, np.ones(4))
    return skeleton, legs, pose, result.poses, result.reached


def bends(skeleton, legs, pose):
    """Signed angles between the bones of each leg, in the plane that it stands in, radians."""
    places = skeleton.positions(pose)
    result = []
    for leg in legs:
        line = places[[skeleton.index(joint) for joint in (leg.hip, *leg.knees, leg.ankle)]]
        bones = np.diff(line, axis=0)
        across = np.cross(bones[:-1], bones[1:])
        side = np.sign(across[:, 0])
        result.append(
            side * np.arctan2(np.linalg.norm(across, axis=1), np.sum(bones[:-1] * bones[1:], axis=1))
        )
    return result


@pytest.mark.parametrize("degrees", [-25, -10, 10, 25])
def test_a_long_back_leans_as_the_ground_does(degrees):
    skeleton, legs, _, pose, reached = standing(degrees, "ahead")
    hips = skeleton.positions(pose)[[skeleton.index(leg.hip) for leg in legs]]
    back = hips[:2].mean(axis=0) - hips[2:].mean(axis=0)
    slope = np.degrees(np.arctan2(back[1], back[2]))
    assert 0.9 < slope / degrees < 1.0  # soft: legs take the rest
    assert reached.all()
    for chosen in (0, 0.5):
        *_, pose, _ = standing(degrees, "ahead", lean=chosen)
        back = skeleton.positions(pose)[1] - skeleton.positions(pose)[skeleton.index("hindL0")]
        assert abs(np.arctan2(back[1], back[2])) <= chosen * np.radians(abs(degrees)) + 1e-9


@pytest.mark.parametrize(
    ("degrees", "way", "lean"),
    [
        *((-25, "ahead", None), (20, "ahead", None), (-12, "ahead", 0), (12, "ahead", 0)),
        *((10, "sideways", None), (10, "sideways", 0)),
    ],
)
def test_legs_fold_as_the_clip_folds_them(degrees, way, lean):
    """Each knee bends to its own side, and those of one leg by the same share more or less."""
    skeleton, legs, before, after, reached = standing(degrees, way, lean=lean)
    assert reached.all()
    changed = 0.0
    pairs = list(zip(bends(skeleton, legs, before), bends(skeleton, legs, after), strict=True))
    for was, now in pairs:
        assert (np.sign(was) == np.sign(now)).all()
        np.testing.assert_allclose(now / was, (now / was)[0], rtol=1e-6)
        changed = max(changed, np.abs(now - was).max())
    assert changed > np.radians(2)  # there was something to fold


@pytest.mark.parametrize("degrees", [-15, 15])
def test_a_horse_does_not_kneel_on_a_slope(degrees):
    """Of all bends of its legs, nineteen in twenty differ by less than 60 degrees from those of its walk."""
    character = lissom.load(asset("characters/quaternius/animals_pack/Horse.glb"))
    walk = walk_of(character, "AnimalArmature|Walk", 2)
    placement = FootPlacement(character, walk.legs, Slope(degrees), ray_height=6, max_up=6, max_down=6)
    result = placement.apply((walk.times, walk.poses), walk.contacts, walk.world)
    changes = []
    for frame in range(40, len(walk.times), 3):
        pairs = (bends(character.skeleton, walk.legs, some[frame]) for some in (walk.poses, result.poses))
        changes += [np.abs(np.abs(was) - np.abs(now)).ravel() for was, now in zip(*pairs, strict=True)]
    assert np.degrees(np.quantile(np.concatenate(changes), 0.95)) < 60  # 120 where the back stays level


@pytest.mark.parametrize("degrees", [-20, 20])
def test_people_lean_into_a_slope_and_not_sideways(degrees):
    tangent = np.tan(np.radians(degrees))
    pose = HERO.skeleton.rest.astype(np.float64)
    for normal, expected in (((0, 1, -tangent), 0.2 * tangent), ((-tangent, 1, 0), 0.0)):
        result = FootPlacement(HERO, LEGS, Plane(normal=normal)).update(pose, 0.0, np.ones(2))
        leaned = quat.multiply(result.poses[0, 3:7], quat.conjugate(pose[0, 3:7]))
        axis = quat.to_rotation_vector(leaned)
        np.testing.assert_allclose(axis, [np.arctan(expected), 0, 0], atol=1e-3)


@pytest.mark.parametrize(("degrees", "lowest"), [(15, 0.10), (20, 0.135)])
def test_up_a_slope_heels_rise_before_the_body_is_lowered(degrees, lowest):
    """The hips' height over the slope below them, beside that over level ground: metres; a leg is 0.83."""
    walk = walk_of(HERO, "walk")
    slope = Slope(degrees)
    placement = FootPlacement(HERO, LEGS, slope, ray_height=5)
    result = placement.apply((walk.times, walk.poses), walk.contacts, walk.world)
    hips = [HERO.skeleton.index(leg.hip) for leg in LEGS]
    feet = [HERO.skeleton.index(leg.ankle) for leg in LEGS]

    def places(poses, joints):
        return trs.transform_point(walk.world[:, None], HERO.skeleton.positions(poses)[:, joints])

    before, after = (places(poses, hips).mean(axis=1) for poses in (walk.poses, result.poses))
    drop = (before[:, 1] - (after[:, 1] - slope.height(after)))[60:]
    assert drop.max() < lowest
    # Feet that stand far behind the body are steeper on the slope than they are on level ground in the clip.
    toes = [HERO.skeleton.index(leg.toe) for leg in LEGS]
    steep = []
    for poses in (walk.poses, result.poses):
        foot = places(poses, toes) - places(poses, feet)
        steep.append(np.degrees(np.arctan2(-foot[..., 1], foot[..., 2])))
    behind = places(walk.poses, hips).mean(axis=1)[:, None, 2] - places(walk.poses, feet)[..., 2]
    trailing = (walk.contacts == 1) & (behind > 0.25)
    trailing[:60] = False
    assert (steep[1] + degrees - steep[0])[trailing].max() > 15


def test_the_body_may_follow_another_ground_than_the_feet():
    """Feet stand on the steps of a stair, while the body leans and travels along a plane: not at all."""
    walk = walk_of(HERO, "walk")
    stair = Stair(0.05, 0.35, 0.4, steps=4)
    own, other = (
        FootPlacement(HERO, LEGS, stair, body_ground=ground, lean=1.0).apply(
            (walk.times, walk.poses), walk.contacts, walk.world
        )
        for ground in (None, Plane())
    )
    np.testing.assert_array_equal(other.poses[:, 0, 3:7], walk.poses[:, 0, 3:7])
    leaned = quat.multiply(own.poses[:, 0, 3:7], quat.conjugate(walk.poses[:, 0, 3:7]))
    assert np.linalg.norm(quat.to_rotation_vector(leaned), axis=-1).max() > 0.08  # the stair rises by 0.14
    assert other.body_offset.max() < 0.5 * own.body_offset.max()
    np.testing.assert_array_equal(other.ground_heights, own.ground_heights)  # of the feet, on the stair
    assert own.ground_heights.max() == pytest.approx(4 * 0.05, abs=0.01)
    with pytest.raises(TypeError, match=r"^FootPlacement: body_ground must be callable as .* got float"):
        FootPlacement(HERO, LEGS, stair, body_ground=1.5)
