# SPDX-License-Identifier: MIT
"""Soles that are kept with a mesh are those that would be measured anew, whatever else changes."""

from __future__ import annotations

import gc
import weakref
from dataclasses import fields

import numpy as np
import pytest

import lissom
from lissom.ik import FootPlacement, Leg
from lissom.ik._feet.boxes import points_in_boxes
from lissom.ik._feet.known_soles import MOST, _known
from lissom.ik._feet.sole_points import FEW, SolePoints


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def with_own_mesh(character, skeleton=None, skin=None):
    """A character whose mesh nobody has measured."""
    mesh = character.mesh.with_weights(character.mesh.indices, character.mesh.weights)
    return lissom.Character("fresh", skeleton or character.skeleton, mesh, skin or character.skin)


def assert_same(first, second):
    for field in fields(first):
        assert np.array_equal(getattr(first, field.name), getattr(second, field.name)), field.name


def soles_of(character, **options):
    return FootPlacement(character, Leg.find(character), lissom.ground.Plane(), **options).soles


def test_a_second_placement_measures_nothing_anew(hero):
    for first, second in zip(soles_of(hero), soles_of(hero), strict=True):
        assert first is second


def test_kept_soles_are_those_of_a_mesh_that_nobody_measured(hero):
    soles_of(hero)
    for kept, fresh in zip(soles_of(hero), soles_of(with_own_mesh(hero)), strict=True):
        assert_same(kept, fresh)


def test_another_stance_is_measured(hero):
    soles_of(hero)
    stance = hero.skeleton.rest.astype(np.float64)
    stance[hero.skeleton.index("Foot.L"), 3:7] = lissom.quat.from_axis_angle([1.0, 0, 0], 0.4)
    for kept, fresh in zip(
        soles_of(hero, stance=stance), soles_of(with_own_mesh(hero), stance=stance), strict=True
    ):
        assert_same(kept, fresh)
    assert soles_of(hero, stance=stance)[0].floor != soles_of(hero)[0].floor


def test_another_up_axis_is_measured(hero):
    soles_of(hero)
    up = (0.0, 1.0, 0.2)
    for kept, fresh in zip(soles_of(hero, up=up), soles_of(with_own_mesh(hero), up=up), strict=True):
        assert_same(kept, fresh)


def test_the_same_mesh_in_another_skin_is_measured(hero):
    soles_of(hero)
    moved = hero.skin.joint_from_bind.copy()
    moved[:, :3, 3] += [0.0, 0.03, 0.0]
    skin = lissom.Skin(hero.skin.joints, moved)
    other = lissom.Character("moved", hero.skeleton, hero.mesh, skin)
    for kept, fresh in zip(soles_of(other), soles_of(with_own_mesh(hero, skin=skin)), strict=True):
        assert_same(kept, fresh)
    assert soles_of(other)[0].ankle_height != soles_of(hero)[0].ankle_height


def test_the_same_mesh_on_another_skeleton_is_measured(hero):
    soles_of(hero)
    rest = hero.skeleton.rest.copy()
    rest[hero.skeleton.index("Foot.L"), 1] -= 0.05
    longer = lissom.Skeleton(hero.skeleton.names, hero.skeleton.parents, rest)
    other = lissom.Character("longer", longer, hero.mesh, hero.skin)
    for kept, fresh in zip(soles_of(other), soles_of(with_own_mesh(hero, skeleton=longer)), strict=True):
        assert_same(kept, fresh)
    assert soles_of(other)[0].floor != soles_of(hero)[0].floor


def test_a_skin_put_on_a_character_later_is_seen(hero):
    other = lissom.Character("later", hero.skeleton, hero.mesh, hero.skin)
    before = soles_of(other)
    moved = hero.skin.joint_from_bind.copy()
    moved[:, :3, 3] += [0.0, 0.03, 0.0]
    other.skin = lissom.Skin(hero.skin.joints, moved)
    assert soles_of(other)[0].ankle_height != before[0].ankle_height


def test_points_that_a_user_passes_are_not_mistaken_for_those_of_the_mesh(hero):
    left, _ = Leg.find(hero)
    measured = left.measure(hero)
    own = Leg(left.hip, left.knee, left.ankle, left.toe, sole=[[0.0, -0.2, 0.0]])
    assert own.measure(hero).points.tolist() == [[0.0, -0.2, 0.0]]
    assert left.measure(hero) is measured


def test_soles_are_kept_no_longer_than_their_mesh(hero):
    fresh = with_own_mesh(hero)
    soles_of(fresh)
    mesh = weakref.ref(fresh.mesh)
    assert mesh() in _known
    del fresh
    gc.collect()
    assert mesh() is None


def test_soles_of_many_stances_do_not_pile_up(hero):
    fresh = with_own_mesh(hero)
    left, _ = Leg.find(fresh)
    stance = fresh.skeleton.rest.astype(np.float64)
    floor = left.measure(fresh).floor
    for _ in range(MOST + 6):
        stance[0, 1] += 0.01
        floor += 0.01
        assert left.measure(fresh, stance).floor == pytest.approx(floor, abs=1e-5)
    assert len(_known[fresh.mesh]) == MOST


def test_points_in_boxes_are_those_that_a_comparison_of_all_finds():
    random = np.random.default_rng(7)
    points = random.uniform(-1, 1, (400, 3)) * [1.0, 2.0, 0.5]
    points[:50] = points[50:100]  # some coincide
    low = random.uniform(-2, 1, (60, 3))
    high = low + random.uniform(-0.1, 1.5, (60, 3))  # some are empty
    low[0] = high[0] = points[3]  # corners belong to the box
    inside = ((points >= low[:, None]) & (points <= high[:, None])).all(axis=-1)
    boxes, found = points_in_boxes(points, low, high)
    assert (np.diff(boxes) >= 0).all()
    pairs = sorted(zip(boxes.tolist(), found.tolist(), strict=True))
    assert pairs == [tuple(pair) for pair in np.argwhere(inside).tolist()]


def test_points_in_boxes_takes_nothing():
    nothing = np.zeros((0, 2))
    for points, corners in ((nothing, np.ones((3, 2))), (np.ones((3, 2)), nothing)):
        boxes, found = points_in_boxes(points, corners, corners)
        assert not len(boxes)
        assert not len(found)


def test_points_of_many_poses_are_those_of_each_to_the_bit(hero):
    soles = SolePoints.of(soles_of(hero))
    poses = hero.clips["walk"].sample(np.linspace(0, 1, 3 * FEW)).astype(np.float64)
    model = hero.skeleton.model_matrices(poses)
    together = soles.at(model)
    assert together.tobytes() == np.stack([soles.at(one) for one in model]).tobytes()
    assert np.array_equal(soles.at(model.reshape(3, FEW, *model.shape[1:])), together.reshape(3, FEW, -1, 3))
