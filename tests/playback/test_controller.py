# SPDX-License-Identifier: MIT
"""The character controller of the docs, run for ten seconds and more: what the page says of it holds."""

import re
from pathlib import Path

import numpy as np
import pytest

from lissom import samples, trs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "character-controller.md"
RATE = 60

# What the page states, metres: how far the toes of a standing foot stray in the world.
SLIDE_STRAIGHT = 0.007
SLIDE_BETWEEN_GAITS = 0.03
SLIDE_IN_A_BEND = 0.02
SOLES = 0.035  # how deep soles get into the ground, while fading and between the gaits

# No pop: no joint is accelerated more than the clips accelerate it by themselves, and a little for fades.
ACCELERATION = 1.25
FADES = 25.0  # metres per second squared; a pop of a centimetre is 36


@pytest.fixture(scope="module")
def page():
    code = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)[1]
    names = {}
    exec(compile(code, str(PAGE), "exec"), names)  # drives it, too
    return names


def driven(page, seconds, wishes):
    """Poses (N, J, 10) in the world and places (N, 10) of a controller that is given wishes(time)."""
    controller = page["Controller"](samples.humanoid())
    poses, places = [], []
    for frame in range(round(seconds * RATE)):
        poses.append(controller.update(1 / RATE, **wishes(frame / RATE)))
        places.append(controller.world_from_character)
    return np.array(poses, np.float64), np.array(places)


def positions(poses):
    return samples.humanoid().skeleton.positions(poses)


def accelerations(poses):
    """Largest of each joint, (J,)."""
    return (np.linalg.norm(np.diff(positions(poses), 2, axis=0), axis=-1) * RATE**2).max(axis=0)


def slides(poses, start, end=np.inf):
    """How far the toes stray while they are on the ground, one number for each foot that stands."""
    skeleton = samples.humanoid().skeleton
    times = np.arange(len(poses)) / RATE
    places, rest = positions(poses), skeleton.positions(skeleton.rest)
    result = []
    for joint in (skeleton.index("Toes.L"), skeleton.index("Toes.R")):
        down = (places[:, joint, 1] < rest[joint, 1] + 0.004) & (times >= start) & (times < end)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], down, [0]]).astype(int)))
        for first, stop in edges.reshape(-1, 2):
            if stop - first >= 6:  # landing and leaving are half a frame early or late
                path = places[first + 1 : stop - 1, joint][:, [0, 2]]
                result.append(np.linalg.norm(path - path[0], axis=1).max())
    assert result
    return max(result)


def test_it_is_about_forty_lines(page):
    lines = PAGE.read_text().split("class Controller")[1].split("\n\n\n")[0].splitlines()
    assert 35 <= len([line for line in lines if line.strip()]) <= 50


def test_the_page_drives_it(page):
    controller = page["controller"]
    place = controller.world_from_character
    assert place[0] > 5  # to the left
    assert place[2] > 5  # and ahead
    assert abs(place[1]) < 1e-9
    assert controller.fade.playing[-1].clip.name == "idle"


@pytest.fixture(scope="module")
def run(page):
    """Stand, walk, run, bend to the left, wave, stop, walk again."""

    def wishes(time):
        speed = np.select([time < 1, time < 3.5, time < 8.5, time < 10], [0.0, 1.3, 3.0, 0.0], 0.9)
        return {"speed": float(speed), "turning": 0.9 * (5 < time < 7), "wave": 2 < time < 2.1}

    return driven(page, 12, wishes)


def test_nothing_pops(run):
    poses, _ = run
    own = np.zeros(poses.shape[1])
    hero = samples.humanoid()
    for name in ("idle", "walk", "run", "wave"):
        clip = hero.clips[name]
        for shift in np.linspace(0, 1 / RATE, 6):
            times = np.arange(clip.start, clip.start + 2 * clip.duration, 1 / RATE) + shift
            alone = clip.sample(times).astype(np.float64)
            if clip.root_motion:
                alone[:, 0] = trs.compose(clip.root_motion.at(times), alone[:, 0])
            own = np.maximum(own, accelerations(alone))
    assert (accelerations(poses) < ACCELERATION * own + FADES).all()
    rotations = np.sum(poses[1:, :, 3:7] * poses[:-1, :, 3:7], axis=-1)
    assert (2 * np.arccos(np.minimum(np.abs(rotations), 1))).max() < 0.25  # radians in a frame
    assert np.isfinite(poses).all()


def test_it_gets_ahead_and_stays_on_the_ground(run):
    poses, places = run
    steps = np.linalg.norm(np.diff(places[:, :3], axis=0), axis=1)
    assert steps.max() < 3.1 / RATE
    assert 18 < steps.sum() < 24  # metres
    np.testing.assert_allclose(places[:, 1], 0, atol=1e-12)
    yaw = np.unwrap(2 * np.arctan2(places[:, 4], places[:, 6]))
    assert yaw[-1] == pytest.approx(0.9 * 2, abs=0.05)  # two seconds of turning
    soles = [p.vertices for p in samples.humanoid().mesh.parts if p.name == "Soles"]
    lowest = samples.humanoid().deform(poses[::20].astype(np.float32))[:, soles[0], 1].min(axis=1)
    assert lowest.min() > -SOLES


def test_it_faces_where_it_goes(run):
    _, places = run
    forwards = trs.transform_vector(places, np.float64([0, 0, 1]))
    for before, after, ahead in zip(places[:-1], places[1:], forwards[:-1], strict=True):
        step = after[:3] - before[:3]
        if np.linalg.norm(step) > 0.5 / RATE:
            assert step @ ahead > 0.99 * np.linalg.norm(step)


def test_one_who_is_told_nothing_stands(page):
    poses, places = driven(page, 3, lambda time: {})
    np.testing.assert_array_equal(places[-1], trs.identity(dtype=np.float64))
    assert slides(poses, 0) < 0.002


@pytest.mark.parametrize("speed", [0.7, 1.0, 1.29, 3.0])
def test_it_walks_and_runs_at_the_speed_asked_for_and_feet_stand(page, speed):
    poses, places = driven(page, 7, lambda time: {"speed": speed})
    reached = (places[-1, 2] - places[240, 2]) / ((len(places) - 241) / RATE)
    assert reached == pytest.approx(speed, rel=0.01)
    assert slides(poses, 3) < SLIDE_STRAIGHT


@pytest.mark.parametrize("speed", [1.6, 2.0, 2.5])
def test_between_the_gaits_it_is_a_little_slower(page, speed):
    poses, places = driven(page, 7, lambda time: {"speed": speed})
    reached = (places[-1, 2] - places[240, 2]) / ((len(places) - 241) / RATE)
    assert 0.9 * speed < reached < speed
    assert slides(poses, 3) < SLIDE_BETWEEN_GAITS


def test_in_a_bend_feet_turn_with_the_body(run):
    poses, _ = run
    assert slides(poses, 5.3, 7) < SLIDE_IN_A_BEND


def test_it_leans_into_the_bend_and_not_before(run):
    poses, places = run
    skeleton = samples.humanoid().skeleton
    head, hips = (skeleton.index(name) for name in ("Head", "Pelvis"))
    upright = positions(poses)[:, head] - positions(poses)[:, hips]
    left = trs.transform_vector(places, np.float64([1, 0, 0]))
    lean = np.sum(upright * left, axis=1)
    bend, straight = slice(6 * RATE, 7 * RATE), slice(4 * RATE, 5 * RATE)
    assert lean[bend].mean() > lean[straight].mean() + 0.05


def test_it_waves_while_it_walks(run):
    poses, _ = run
    skeleton = samples.humanoid().skeleton
    places = positions(poses)
    raised = places[:, skeleton.index("Hand.R"), 1] > places[:, skeleton.index("Neck"), 1]
    times = np.flatnonzero(raised) / RATE
    assert 2 < times.min() < times.max() < 5.1
    left = places[:, skeleton.index("Hand.L"), 1] > places[:, skeleton.index("Spine"), 1]
    assert not left[2 * RATE : 3 * RATE].any()


def test_steps_follow_the_rate(page):
    """Thirty or two hundred and forty steps a second get to the same place."""

    def place(rate):
        controller = page["Controller"](samples.humanoid())
        for frame in range(5 * rate):
            controller.update(1 / rate, speed=2.5 if frame >= rate else 0.0, turning=0.3)
        return controller.world_from_character

    np.testing.assert_allclose(place(30)[:3], place(240)[:3], atol=0.15)
