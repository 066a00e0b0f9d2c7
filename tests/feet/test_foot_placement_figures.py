# SPDX-License-Identifier: MIT
"""Figures of feet on stairs, slopes and rubble: the sample and real characters."""

from functools import lru_cache

import numpy as np
import pytest

import lissom
from conftest import asset
from feet_courses import ACCELERATION, COURSES, HOVER, PENETRATION, REAL
from feet_grounds import judge, walk_of
from hero_strides import rubble
from lissom import samples
from lissom.ik import FootPlacement


def check(walk, course):
    ground = COURSES[course](walk.leg_length)
    result, figures = judge(walk, FootPlacement(walk.character, walk.legs, ground), ground)
    assert figures.penetration <= PENETRATION
    assert figures.hover <= HOVER
    assert figures.acceleration <= ACCELERATION
    assert np.isfinite(result.poses).all()


@lru_cache(maxsize=1)
def sample_walk(build):
    return walk_of(samples.humanoid(build), "walk")


@lru_cache(maxsize=1)
def real_walk(file, clip):
    return walk_of(lissom.load(asset(f"characters/{file}")), clip)


@pytest.mark.parametrize(
    ("build", "course"),
    [
        *(("adult", course) for course in COURSES),
        *(("child", course) for course in ("stair up", "slope down")),
        *(("giant", course) for course in ("stair down", "slope up")),
    ],
)
def test_the_sample_stands_on_stairs_and_slopes(build, course):
    check(sample_walk(build), course)


MET = [(*case, course) for case, courses in REAL.items() for course in courses]


@pytest.mark.parametrize("case", MET, ids=lambda c: "-".join(map(str, c)))
def test_real_characters_stand_on_stairs_and_slopes(case):
    file, clip, course = case
    check(real_walk(file, clip), course)


def test_a_toe_cap_does_not_get_into_a_riser():
    """The knight's feet are as long as two steps: raised heels turn the walls of its toes forwards."""
    walk = real_walk("kaykit/Knight.glb", "Walking_A")
    ground = COURSES["stair up"](walk.leg_length)
    _, figures = judge(walk, FootPlacement(walk.character, walk.legs, ground), ground)
    assert figures.penetration <= 2 * PENETRATION


@pytest.mark.parametrize(
    ("file", "clip"),
    [
        ("khronos/Fox.glb", "Walk"),
        ("quaternius/animals_pack/Wolf.glb", "AnimalArmature|Walk"),
        ("quaternius/easy_enemies_pack/Spider.glb", "SpiderArmature|Spider_Walk"),
    ],
)
def test_four_and_eight_legs_walk_over_rubble(file, clip):
    walk = walk_of(lissom.load(asset(f"characters/{file}")), clip, 2)
    size = walk.character.size

    def ground(origins, directions):
        distances, normals = rubble(origins / size * 3, directions)
        return distances * size / 3, normals

    result = FootPlacement(walk.character, walk.legs, ground).apply(
        (walk.times, walk.poses), walk.contacts, walk.world
    )
    assert np.isfinite(result.poses).all()
    assert result.reached.mean() > 0.9
