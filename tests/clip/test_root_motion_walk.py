# SPDX-License-Identifier: MIT
"""The sample walk and run, moved by their root motion: how far they get, and whether standing feet stand."""

import itertools

import numpy as np
import pytest

import lissom
from lissom import samples, trs
from lissom.samples import _gait as gait

GAITS = {"walk": gait.WALK, "run": gait.RUN}
SPEEDS = {"walk": samples.WALK_SPEED, "run": samples.RUN_SPEED}
KEY_RATE = 30
PER_CYCLE = 1e-3  # metres

# How far a standing joint slides over the ground, metres. At keys the foot is where it was planned; between
# them joints slerp, so that it lies on a chord: of 30 keys a second, and the faster the leg turns the longer.
AT_KEYS = 5e-5
BETWEEN_KEYS = {"walk": 1.2e-3, "run": 3e-3}


@pytest.fixture(params=["adult", "child", "giant"])
def build(request):
    return request.param


@pytest.fixture(params=list(GAITS))
def name(request):
    return request.param


def test_steps_of_a_game_add_up_to_the_stated_speed(name, build):
    motion = samples.humanoid(build).clips[name].root_motion
    cycles, rate = 10, 60
    seconds = np.arange(round(cycles * motion.duration * rate) + 1) / rate
    world_from_character = trs.identity(dtype=np.float64)
    for t0, t1 in itertools.pairwise(seconds):
        world_from_character = trs.compose(world_from_character, motion.between(t0, t1))
    assert abs(world_from_character[2] - SPEEDS[name][build] * seconds[-1]) < PER_CYCLE * cycles
    assert abs(motion.distance - SPEEDS[name][build] * motion.duration) < 1e-9
    np.testing.assert_allclose(world_from_character[[0, 1]], 0, atol=1e-12)


def slide(hero, clip, joint, start, end, steps=1):
    """How far a joint strays over the ground from the first key of a time to the last, metres.

    In each of three strides; looked at `steps` times from key to key.
    """
    worst = 0.0
    for stride in range(3):
        first, last = np.array([start, end]) + stride * clip.duration
        keys = np.ceil(first * KEY_RATE - 1e-4), np.floor(last * KEY_RATE + 1e-4)
        times = np.arange(keys[0] * steps, keys[1] * steps + 1) / (KEY_RATE * steps)
        local = hero.skeleton.positions(clip.sample(times))[:, hero.skeleton.index(joint)]
        world = trs.transform_point(clip.root_motion.at(times), local.astype(np.float64))
        worst = max(worst, np.linalg.norm((world - world[0])[:, [0, 2]], axis=1).max())
    return worst


@pytest.mark.parametrize("side", ["L", "R"])
def test_standing_feet_stand_in_the_world(name, build, side):
    hero, plan = samples.humanoid(build), GAITS[name]
    clip = hero.clips[name]
    shift = 0.0 if side == "L" else 0.5
    flat, off = plan.flat, plan.stance
    for joint, start, end in ((f"Foot.{side}", *flat), (f"Toes.{side}", flat[0], off)):
        begin, until = ((phase + shift) * clip.duration for phase in (start, end))
        assert slide(hero, clip, joint, begin, until) < AT_KEYS
        assert slide(hero, clip, joint, begin, until, steps=8) < BETWEEN_KEYS[name]


def test_without_root_motion_they_slide(name):
    hero, plan = samples.humanoid(), GAITS[name]
    clip = hero.clips[name]
    stand = lissom.RootMotion.from_moves([clip.start, clip.end], trs.identity(2))
    begin, until = plan.flat[0] * clip.duration, plan.stance * clip.duration
    assert slide(hero, clip._edited(root_motion=stand), "Toes.L", begin, until) > 0.3


def test_bakes_stay_in_place(name):
    hero = samples.humanoid()
    still = {name: hero.clips[name]._edited(root_motion=None)}
    other = lissom.Character(hero.name, hero.skeleton, hero.mesh, hero.skin, still)
    with_motion, without = (lissom.bake(character, [name], rate=30) for character in (hero, other))
    np.testing.assert_array_equal(with_motion.texels, without.texels)


def test_the_walk_in_the_tracks_is_the_walk_moved(name, build):
    hero = samples.humanoid(build)
    clip = hero.clips[name]
    times = np.linspace(clip.start, clip.end, 50)
    world = trs.transform_point(
        clip.root_motion.at(times)[:, None], hero.skeleton.positions(clip.sample(times, loop=False))
    )
    travelling = clip.restore_root_motion()
    np.testing.assert_allclose(
        hero.skeleton.positions(travelling.sample(times, loop=False)), world, atol=2e-6
    )


@pytest.mark.parametrize("other", ["idle", "wave", "lean"])
def test_what_stays_has_no_root_motion(other):
    assert samples.humanoid().clips[other].root_motion is None
