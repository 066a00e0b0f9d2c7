# SPDX-License-Identifier: MIT
"""The instances of a crowd: their bytes, what is refused, and how time moves them."""

import numpy as np
import pytest

import lissom
from lissom import quat
from lissom.gpu import INSTANCE_DTYPE, Crowd, heading, plain_instances, scattered

FLOAT32 = 1e-6  # what is stored in single precision, near 1


@pytest.fixture(scope="module")
def bake():
    """Three looping clips and, at the end, one that is played once."""
    character = lissom.samples.humanoid()
    character.clips["wave"].loop = False
    return lissom.bake(character, ["idle", "walk", "run", "wave"], rate=15)


def names_of(bake):
    return list(bake.clips)


def test_an_instance_is_sixty_bytes_without_gaps():
    assert INSTANCE_DTYPE.itemsize == 60
    offsets = {name: INSTANCE_DTYPE.fields[name][1] for name in INSTANCE_DTYPE.names}
    assert offsets == {
        "position": 0, "rotation": 12, "scale": 28, "clip": 32, "next_clip": 34, "time": 36, "speed": 40,
        "next_time": 44, "fade": 48, "fade_duration": 52, "tint": 56,
    }  # fmt: skip


def test_plain_instances_stand_and_play():
    instances = plain_instances(3)
    assert instances.dtype == INSTANCE_DTYPE
    np.testing.assert_array_equal(instances["rotation"], [[0, 0, 0, 1]] * 3)
    np.testing.assert_array_equal(instances["scale"], 1)
    np.testing.assert_array_equal(instances["speed"], 1)
    np.testing.assert_array_equal(instances["next_clip"], -1)
    np.testing.assert_array_equal(instances["tint"], 255)
    with pytest.raises(ValueError, match=r"^plain_instances: count must be at least 0, got -1$"):
        plain_instances(-1)


def test_headings_look_along_z_and_turn_towards_x():
    looks = quat.rotate(heading([0, np.pi / 2, np.pi]), [0, 0, 1])
    np.testing.assert_allclose(looks, [[0, 0, 1], [1, 0, 0], [0, 0, -1]], atol=FLOAT32)
    assert heading(0.3).shape == (4,)
    assert heading(np.zeros((2, 3))).shape == (2, 3, 4)
    with pytest.raises(ValueError, match=r"^heading: angle must be finite, got nan$"):
        heading([0, np.nan])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("position", np.nan, r"position must be finite, got \[nan, nan, nan\]"),
        ("position", np.inf, r"position must be finite, got \[inf, inf, inf\]"),
        ("rotation", np.nan, "rotation must be finite"),
        ("rotation", 0, r"rotation must be a quaternion of length above 0, got \[0.0, 0.0, 0.0, 0.0\]"),
        ("scale", np.nan, "scale must be finite, got nan"),
        ("scale", 0, "scale must be above 0, got 0.0"),
        ("time", np.nan, "time must be finite, got nan"),
        ("speed", np.inf, "speed must be finite, got inf"),
        ("next_time", np.nan, "next_time must be finite, got nan"),
        ("fade", np.nan, "fade must be finite, got nan"),
        ("fade", 1.5, "fade must lie in \\[0, 1\\], got 1.5"),
        ("fade_duration", np.nan, "fade_duration must be finite, got nan"),
        ("fade_duration", -1, "fade_duration must be at least 0 seconds, got -1.0"),
        ("clip", -1, r"clip must be in \[0, 4\), got -1"),
        ("clip", 4, r"clip must be in \[0, 4\), got 4"),
        ("next_clip", -2, r"next_clip must be in \[0, 4\), or -1 for none, got -2"),
        ("next_clip", 4, r"next_clip must be in \[0, 4\), or -1 for none, got 4"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_field_and_instance(stage, bake, field, value, message):
    instances = scattered(bake, 3)
    instances[field][1] = value
    with pytest.raises(ValueError, match=rf"^Crowd: instances: {message}.* at instance 1$"):
        Crowd(bake, 3, stage=stage, instances=instances)
    with Crowd(bake, 3, stage=stage) as crowd:
        crowd.instances[field][1] = value
        for use in (lambda: stage.render(crowd), crowd.frames, lambda: crowd.update(0.1), crowd.points):
            with pytest.raises(ValueError, match=rf"^Crowd: instances: {message}.* at instance 1$"):
                use()


def test_what_are_no_instances_is_a_type_error(stage, bake):
    for thing, got in ((np.zeros(1), "float64"), ([0], "list"), (np.zeros(1, [("clip", "i4")]), ".*clip.*")):
        match = (
            rf"^Crowd: instances must be an array with dtype INSTANCE_DTYPE, got {got}; "
            "plain_instances and scattered make one$"
        )
        with pytest.raises(TypeError, match=match):
            Crowd(bake, 1, instances=thing)
        with Crowd(bake, 1, stage=stage) as crowd, pytest.raises(TypeError, match=match):
            crowd.instances = thing
    with pytest.raises(ValueError, match=r"^Crowd: instances must have shape \(count,\), got \(1, 2\)$"):
        Crowd(bake, 1, stage=stage, instances=np.zeros((1, 2), INSTANCE_DTYPE))


def test_a_crowd_keeps_its_own_copy(stage, bake):
    instances = scattered(bake, 3)
    with Crowd(bake, 3, stage=stage, instances=instances) as crowd:
        crowd.update(0.1)
        np.testing.assert_array_equal(instances, scattered(bake, 3))
        crowd.instances = scattered(bake, 6)[::2]
        crowd.update(0.1)
        assert crowd.deformed().shape[0] == 3


def test_time_wraps_half_open_where_a_clip_loops_and_stops_where_not(stage, bake):
    walk, wave = (names_of(bake).index(name) for name in ("walk", "wave"))
    clips = list(bake.clips.values())
    with Crowd(bake, 6, stage=stage, instances=plain_instances(6)) as crowd:
        now = crowd.instances
        now["clip"] = [walk, walk, walk, wave, wave, walk]
        now["speed"] = [1, -1, 1, 1, -1, 0]
        now["time"] = [clips[c].start for c in now["clip"]]
        now["time"][2] = clips[walk].end - 0.1
        crowd.update(0.1)
        duration = clips[walk].duration
        assert clips[walk].loop
        assert not clips[wave].loop
        start = clips[walk].start
        np.testing.assert_allclose(now["time"][:2], [start + 0.1, start + duration - 0.1], atol=FLOAT32)
        assert now["time"][2] == start or now["time"][2] > clips[walk].end - FLOAT32
        assert now["time"][2] < np.float32(clips[walk].end)
        np.testing.assert_allclose(now["time"][3:], [clips[wave].start + 0.1, clips[wave].start, start])
        crowd.update(1e5)
        assert now["time"][3] == np.float32(clips[wave].end)
        frames = crowd.frames()
        assert frames[3] == clips[wave].first_frame + clips[wave].frame_count - 1
        expected = start + np.mod(np.float64(np.float32(start + 0.1)) - start + 1e5, duration)
        np.testing.assert_allclose(now["time"][0], expected, rtol=1e-6)


def test_many_small_steps_arrive_where_one_large_one_does(stage, bake):
    with Crowd(bake, 20, stage=stage, seed=1) as many, Crowd(bake, 20, stage=stage, seed=1) as one:
        for _ in range(100):
            many.update(1 / 64)
        one.update(100 / 64)
        clips = list(bake.clips.values())
        lengths = np.array([clip.duration for clip in clips])[one.instances["clip"]]
        apart = np.abs(many.instances["time"] - one.instances["time"].astype(float))
        loops = np.array([clip.loop for clip in clips])[one.instances["clip"]]
        apart = np.where(loops, np.minimum(apart, lengths - apart), apart)
    assert apart.max() < 100 * 1e-7 * lengths.max()


def test_a_fade_grows_ends_and_leaves_the_next_clip(stage, bake):
    walk, run = (names_of(bake).index(name) for name in ("walk", "run"))
    with Crowd(bake, 3, stage=stage, instances=plain_instances(3)) as crowd:
        crowd.instances["clip"] = walk
        crowd.fade_to("run", 0.5, [0, 2])
        np.testing.assert_array_equal(crowd.instances["next_clip"], [run, -1, run])
        crowd.update(0.125)
        np.testing.assert_allclose(crowd.instances["fade"], [0.25, 0, 0.25], rtol=FLOAT32)
        np.testing.assert_allclose(
            crowd.instances["next_time"][[0, 2]], bake.clips["run"].start + 0.125, rtol=FLOAT32
        )
        crowd.update(0.375)
        now = crowd.instances
        np.testing.assert_array_equal(now["clip"], [run, walk, run])
        np.testing.assert_array_equal(now["next_clip"], -1)
        np.testing.assert_array_equal(now["fade"], 0)
        np.testing.assert_allclose(now["time"][0], bake.clips["run"].start + 0.5, rtol=FLOAT32)
        crowd.fade_to(walk, 0, 1)
        crowd.fade_to(walk, 0, np.array([True, False, False]), at=0.25)
        crowd.update(0)
        np.testing.assert_array_equal(now["clip"], [walk, walk, run])
        assert now["time"][0] == 0.25


def test_a_fade_within_a_fade_goes_on_from_the_clip_that_weighs_more(stage, bake):
    walk, run, idle = (names_of(bake).index(name) for name in ("walk", "run", "idle"))
    with Crowd(bake, 2, stage=stage, instances=plain_instances(2)) as crowd:
        crowd.instances["clip"] = walk
        crowd.fade_to("run", 1)
        crowd.instances["fade"] = [0.25, 0.75]
        crowd.instances["next_time"] = 0.4
        crowd.fade_to("idle", 0.5)
        np.testing.assert_array_equal(crowd.instances["clip"], [walk, run])
        np.testing.assert_array_equal(crowd.instances["next_clip"], idle)
        np.testing.assert_allclose(crowd.instances["time"], [0, 0.4])
        np.testing.assert_array_equal(crowd.instances["fade"], 0)


def test_fades_to_what_is_not_there_are_refused(stage, bake):
    with Crowd(bake, 2, stage=stage) as crowd:
        before = crowd.instances.copy()
        with pytest.raises(ValueError, match=r"^Crowd.fade_to: .*'rnu'"):
            crowd.fade_to("rnu", 1)
        with pytest.raises(ValueError, match=r"^Crowd.fade_to: clip must be in \[0, 4\), got 4$"):
            crowd.fade_to(4, 1)
        with pytest.raises(ValueError, match=r"duration must be at most 1e\+09 and at least 0, got -1$"):
            crowd.fade_to("run", -1)
        with pytest.raises(TypeError, match=r"^Crowd.fade_to: duration must be a number, got str$"):
            crowd.fade_to("run", "1")
        with pytest.raises(IndexError):
            crowd.fade_to("run", 1, 2)
        for dt in (np.nan, np.inf):
            with pytest.raises(ValueError, match=rf"^Crowd.update: dt must be finite, got {dt}$"):
                crowd.update(dt)
        np.testing.assert_array_equal(crowd.instances, before)


def test_randomize_repeats_and_leaves_places(stage, bake):
    with Crowd(bake, 200, stage=stage) as crowd:
        before = crowd.instances.copy()
        crowd.fade_to("run", 1)
        crowd.randomize(5)
        once = crowd.instances.copy()
        crowd.randomize(6)
        assert (crowd.instances["time"] != once["time"]).any()
        crowd.randomize(5)
        np.testing.assert_array_equal(crowd.instances, once)
    for name in ("position", "rotation", "scale", "tint"):
        np.testing.assert_array_equal(once[name], before[name])
    assert set(once["clip"]) == set(range(4))
    np.testing.assert_array_equal(once["next_clip"], -1)
    clips = list(bake.clips.values())
    starts, ends = np.array([(clip.start, clip.end) for clip in clips])[once["clip"]].T
    assert ((once["time"] >= starts - FLOAT32) & (once["time"] <= ends + FLOAT32)).all()


def test_scattered_crowds_repeat_and_do_not_collide(bake):
    one, two = (scattered(bake, 200, seed=5) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (scattered(bake, 200, seed=6) != one).any()
    positions = one["position"].astype(float)
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=2) + 1e9 * np.eye(200)
    bounds = np.array([clip.bounds for clip in bake.clips.values()])
    width = np.median(np.ptp(bounds, axis=1)[:, [0, 2]].max(axis=1))
    assert distances.min() > 0.4 * width
    assert set(one["clip"]) == set(range(len(bake.clips)))
    np.testing.assert_array_equal(one["tint"][:, 3], 255)


@pytest.mark.parametrize(
    ("which", "error", "message"),
    [
        (3, IndexError, r"must name instances in \[0, 3\), got 3$"),
        ([0, -4], IndexError, r"must name instances in \[0, 3\), got -4$"),
        ([True, False], IndexError, "must have a bool for each of the 3 instances, got 2$"),
        (True, TypeError, r"must be an index, a slice, or an array of indices or bools, \(n,\), got True$"),
        ([0.5], TypeError, "must be an index.*got float64$"),
        ([[0, 1]], TypeError, r"must be an index.*got shape \(1, 2\)$"),
        ("walk", TypeError, "must be an array of real numbers"),
    ],
)
def test_instances_that_do_not_exist_are_refused_by_name(stage, bake, which, error, message):
    with Crowd(bake, 3, stage=stage) as crowd:
        for name, call in (
            ("attach", lambda: crowd.attach("Hand.R", which)),
            ("fade_to", lambda: crowd.fade_to("walk", 1, which)),
        ):
            with pytest.raises(error, match=f"^Crowd.{name}: which {message}"):
                call()
        assert (crowd.instances["next_clip"] == -1).all()


def test_instances_are_named_as_numpy_does(stage, bake):
    with Crowd(bake, 3, stage=stage) as crowd:
        every = crowd.attach("Hand.R")
        for which, rows in (
            (1, [1]),
            (-1, [2]),
            (slice(1, None), [1, 2]),
            ([2, 0], [2, 0]),
            ([True, False, True], [0, 2]),
            (np.uint8([1]), [1]),
            ([], np.zeros(0, int)),
        ):
            np.testing.assert_array_equal(crowd.attach("Hand.R", which), every[rows])
