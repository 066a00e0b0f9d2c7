# SPDX-License-Identifier: MIT
"""Root motion as an object: where a clip takes its character, over any number of turns."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lissom
from lissom import Clip, RootMotion, Skeleton, blend_root_motions, quat, samples, trs

EXACT = 1e-9  # double, of lengths near 1


def move(x=0.0, y=0.0, z=0.0, yaw=0.0):
    return trs.from_parts(np.float64([x, y, z]), quat.from_axis_angle(np.float64([0, 1, 0]), yaw))


def path(*moves, times=None, loop=True):
    times = np.arange(len(moves)) / 2 if times is None else times
    return RootMotion.from_moves(times, np.stack(moves), loop=loop)


def same(a, b, tolerance=EXACT):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    np.testing.assert_allclose(trs.to_matrix(a), trs.to_matrix(b), rtol=0, atol=tolerance)


def product(*moves):
    result = moves[0]
    for factor in moves[1:]:
        result = trs.compose(result, factor)
    return result


@pytest.fixture
def curve():
    """A second and a half of walking to the left on a bend, not from where the model stands."""
    return path(
        move(0.2, 0, -1, 0.3), move(0.3, 0.1, -0.2, 0.5), move(0.9, 0, 0.3, 1.0), move(1.5, 0, 0.5, 1.2)
    )


def test_it_begins_where_the_character_is(curve):
    same(curve.at(0.0), move())
    same(curve.at([0.0, 1.5])[1], curve.cycle)


def test_within_a_turn_it_is_what_the_track_does_seen_from_the_start(curve):
    times = np.linspace(0, 1.49, 20)
    expected = trs.compose(
        trs.inverse(curve.track.sample(0.0)[0]), curve.track.sample(times, loop=False)[:, 0]
    )
    same(curve.at(times), expected)


def test_k_turns_are_the_power_of_one(curve):
    forwards = move()
    for turns in range(8):
        same(curve.at(turns * curve.duration), forwards)
        same(curve.at(-turns * curve.duration), trs.inverse(forwards))
        forwards = trs.compose(forwards, curve.cycle)


def test_a_turn_goes_on_where_the_last_ended(curve):
    times = np.linspace(0.0, 1.49, 7)
    same(
        curve.at(times + 3 * curve.duration), product(curve.cycle, curve.cycle, curve.cycle, curve.at(times))
    )


def test_a_million_turns_equal_repeated_squaring(curve):
    squared, power = curve.cycle, move()
    for bit in range(20):
        if 1_000_000 >> bit & 1:
            power = trs.compose(power, squared)
        squared = trs.compose(squared, squared)
    same(curve.at(1_000_000 * curve.duration), power, 1e-6)


def test_a_million_turns_in_a_full_circle_close_it():
    steps = 360
    circle = path(move(), move(0, 0, 1, 2 * np.pi / steps), times=[0, 1])
    same(circle.at(steps), move(), 1e-9)
    same(circle.at(1_000_000 // steps * steps), move(), 1e-6)


@pytest.mark.parametrize("start", [0.0, 0.1, -7.3])
def test_steady_motion_is_steady_where_cycles_meet(start):
    """Around whole cycles, where rounding decides which one a time is in, as anywhere else."""
    duration, speed = 1.1, 2.0  # seconds, metres a second
    steady = path(move(), move(z=speed * duration), times=[start, start + duration])
    seam = start + np.arange(-2000, 2000) * duration
    for times in (seam, np.nextafter(seam, -np.inf), np.nextafter(seam, np.inf), seam + 0.3):
        z = trs.translation(steady.at(times))[:, 2]
        np.testing.assert_allclose(z, speed * (times - start), rtol=0, atol=EXACT)


def test_straight_walking_keeps_its_line():
    stride = samples.humanoid().clips["walk"].root_motion
    cycles = np.arange(1001)
    places = stride.at(cycles * stride.duration)
    assert np.array_equal(places[:, [0, 1]], np.zeros((1001, 2)))  # not the width of an atom to the side
    assert np.array_equal(places[:, 3:], np.tile([0, 0, 0, 1, 1, 1, 1.0], (1001, 1)))
    np.testing.assert_allclose(places[:, 2], cycles * stride.distance, rtol=1e-12)


def test_a_straight_walk_with_the_rounding_of_a_turn_keeps_its_line():
    stride = path(move(), move(0, 0, 1.4, 1e-12), times=[0, 1])
    end = stride.at(1000.0)
    assert abs(end[0]) < 1e-6 * 1400
    assert abs(end[2] - 1400) < 1e-6 * 1400


TIMES = st.floats(-30, 30)


@given(TIMES, TIMES, TIMES, st.sampled_from([True, False, "ping_pong"]))
def test_moves_follow_upon_one_another(t0, t1, t2, loop):
    turning = path(move(), move(0.3, 0, 0.5, 0.4), move(0.1, 0.05, 1.1, -0.8), loop=loop)
    same(trs.compose(turning.between(t0, t1), turning.between(t1, t2)), turning.between(t0, t2), 1e-8)


@given(TIMES, TIMES, st.sampled_from([True, False, "ping_pong"]))
def test_a_move_takes_the_character_from_one_place_to_the_other(t0, t1, loop):
    turning = path(move(), move(0.3, 0, 0.5, 0.4), move(0.1, 0.05, 1.1, -0.8))
    same(trs.compose(turning.at(t0, loop), turning.between(t0, t1, loop)), turning.at(t1, loop), 1e-8)


def test_late_moves_are_as_exact_as_early_ones(curve):
    late = 1_000_000 * curve.duration
    same(
        curve.between(late + 0.25, late + 0.5), curve.between(0.25, 0.5), 1e-8
    )  # the times are rounded to 1e-10


def test_without_a_loop_it_stands_still_beyond_the_ends(curve):
    same(curve.at([-1.0, -0.1], loop=False), np.stack([move(), move()]))
    same(curve.at(9.0, loop=False), curve.cycle)


def test_to_and_fro_comes_back(curve):
    times = np.linspace(0, 1.5, 7)
    same(curve.at(3.0 - times, loop="ping_pong"), curve.at(times, loop=False))
    same(curve.between(-0.4, 5.6, loop="ping_pong"), move())  # two whole cycles of ping-pong


def test_a_bend_is_its_length_and_its_turn():
    steps = np.linspace(0, np.pi / 2, 91)  # a quarter of a circle of radius 2, to the left
    bend = path(*[move(2 - 2 * np.cos(a), 0, 2 * np.sin(a), a) for a in steps], times=steps)
    assert bend.distance == pytest.approx(np.pi, rel=1e-4)  # of the chords
    assert bend.speed == pytest.approx(2, rel=1e-4)
    assert bend.turn == pytest.approx(np.pi / 2)
    same(bend.at(2 * np.pi), move(), 1e-9)


def test_full_turns_are_counted():
    spin = path(*[move(yaw=a) for a in np.linspace(0, -4 * np.pi, 25)])
    assert spin.turn == pytest.approx(-4 * np.pi)
    same(spin.cycle, move())
    assert spin.distance == 0


def test_heights_do_not_count_as_distance():
    climb = path(move(), move(0, 5, 3), times=[0, 2])
    assert climb.distance == 3
    assert climb.speed == 1.5
    same(climb.at(4.0), move(0, 10, 6))


def test_without_duration_it_stands():
    still = path(move(1, 0, 2, 0.3))
    same(still.cycle, move())
    same(still.at([-3.0, 0.0, 7.0], loop=True), trs.identity(3))
    assert still.speed == 0
    assert still.turn == 0


def test_times_start_where_the_clip_does():
    late = path(move(), move(0, 0, 1), times=[5, 6])
    same(late.at(5.0), move())
    same(late.at(7.25), move(0, 0, 2.25))
    assert (late.start, late.end, late.duration) == (5, 6, 1)


def test_shapes_are_those_of_the_times(curve):
    assert curve.at(0.3).shape == (10,)
    assert curve.at(np.zeros((2, 3))).shape == (2, 3, 10)
    assert curve.between(np.zeros((2, 1)), np.zeros(3)).shape == (2, 3, 10)
    assert curve.at([]).shape == (0, 10)
    assert curve.at(np.float32(0.3)).dtype == np.float64


def test_it_goes_on_as_its_clip_does():
    walk = samples.humanoid().clips["walk"]
    once = copy.copy(walk)
    once.loop = False
    assert once.root_motion.loop is False
    assert walk.root_motion.loop is True
    assert once.root_motion.at(9.0)[2] == pytest.approx(walk.root_motion.distance)
    once.loop = "ping_pong"
    same(once.root_motion.at(2 * once.duration), move())


def test_it_goes_along_with_an_edit():
    walk = samples.humanoid().clips["walk"]
    fast = walk.at_speed(2)
    assert fast.root_motion.speed == pytest.approx(2 * walk.root_motion.speed)
    assert fast.root_motion.distance == pytest.approx(walk.root_motion.distance)


def test_a_track_in_float32_is_taken_in_float64():
    skeleton = Skeleton(["it"], [-1], trs.identity(1))
    poses = np.stack([move(), move(0, 0, 1)])[:, None].astype(np.float32)
    motion = RootMotion(Clip.from_poses(skeleton, [0, 1], poses, loop=True))
    assert motion.track.keys.dtype == np.float64
    assert motion.loop is True
    same(motion.at(2.5), move(0, 0, 2.5))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_move_alike(curve, duplicate):
    other = duplicate(RootMotion(curve.track, ["Hips"], 0.01))
    assert other.joints == ("Hips",)
    assert other.error == 0.01
    assert np.array_equal(other.at(np.linspace(-9, 9, 50)), curve.at(np.linspace(-9, 9, 50)))


def test_repr_says_what_it_does(curve):
    text = repr(curve)
    assert "\n" not in text
    assert text == "<RootMotion: 2.22 over the ground in 1.500 s, 1.48 a second, turns 51.6 degrees, loops>"
    assert "turns" not in repr(samples.humanoid().clips["walk"].root_motion)


def test_a_move_cannot_be_changed(curve):
    with pytest.raises(ValueError, match="read-only"):
        curve.cycle[0] = 1


# Blending


def test_blends_at_the_ends_are_the_moves():
    moves = [move(0, 0, 1, 0.3), move(0.4, 0, 2, -0.5)]
    same(blend_root_motions(moves, [1, 0]), moves[0])
    same(blend_root_motions(moves, [0, 3]), moves[1])


def test_straight_moves_blend_like_numbers():
    same(blend_root_motions([move(0, 0, 1), move(0, 0, 3)], [0.25, 0.75]), move(0, 0, 2.5))
    same(blend_root_motions([move(0, 0, 1), move(0, 0, 3)], [1, 3]), move(0, 0, 2.5))


def test_half_a_bend_is_an_arc_of_half_the_turn():
    bend, straight = move(2 - 2 * np.cos(1), 0, 2 * np.sin(1), 1), move(0, 0, 2)  # radius 2, and as long
    half = blend_root_motions([bend, straight], [0.5, 0.5])
    same(half, move(4 - 4 * np.cos(0.5), 0, 4 * np.sin(0.5), 0.5))


def test_how_steps_are_cut_does_not_matter():
    bend = path(move(), move(0.5, 0, 1, 0.8), times=[0, 1])
    steady = lissom.dual_quat.power(lissom.dual_quat.from_trs(bend.cycle), np.arange(11) / 10)
    pieces = lissom.dual_quat.to_trs(steady)
    small = [trs.compose(trs.inverse(a), b) for a, b in itertools.pairwise(pieces)]
    weights = [0.3, 0.7]
    steps = [blend_root_motions([step, move(0, 0, 0.2)], weights) for step in small]
    same(product(*steps), blend_root_motions([bend.cycle, move(0, 0, 2)], weights))


def test_the_sign_of_a_quaternion_changes_nothing():
    a, b = move(0, 0, 1, 0.3), move(0.4, 0, 2, -0.5)
    flipped = b.copy()
    flipped[3:7] *= -1
    same(blend_root_motions([a, flipped], [1, 1]), blend_root_motions([a, b], [1, 1]))


def test_blends_take_batches():
    rng = np.random.default_rng(3)
    moves = np.stack([[move(*rng.normal(size=3), rng.normal()) for _ in range(5)] for _ in range(3)])
    weights = rng.uniform(size=(3, 5))
    together = blend_root_motions(moves, weights)
    for i in range(5):
        same(together[i], blend_root_motions(moves[:, i], weights[:, i]))
    same(blend_root_motions(moves, weights[:, 0])[2], blend_root_motions(moves[:, 2], weights[:, 0]))


@pytest.mark.parametrize(
    ("moves", "weights", "message"),
    [
        (
            [move(), move()],
            [1],
            r"weights must have shape \(2, ...\), one for each of the 2 moves, got \(1,\)",
        ),
        ([move(), move()], [1, -1], "weights must be finite and at least zero"),
        ([move(), move()], [1, np.nan], "weights must be finite and at least zero"),
        ([move(), move()], [0, 0], "weights must not all be zero"),
        (move(), [1], r"moves must have shape \(N, ..., 10\), N at least 1, got \(10,\)"),
        ([np.append(move()[:7], [2, 2, 2])], [1], "moves must be rigid"),
    ],
)
def test_blends_that_cannot_be_are_refused(moves, weights, message):
    with pytest.raises(ValueError, match=f"blend_root_motions: {message}"):
        blend_root_motions(moves, weights)


# Bad input


@pytest.mark.parametrize("method", ["at", "between"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_times_must_be_finite(curve, method, bad):
    with pytest.raises(ValueError, match=f"RootMotion.{method}: times must be finite"):
        curve.at(bad) if method == "at" else curve.between(0.0, bad)


def test_a_loop_has_three_kinds(curve):
    with pytest.raises(ValueError, match='True, False or "ping_pong"'):
        curve.at(0.0, loop="bounce")


def test_tracks_that_are_no_root_motion_are_refused():
    with pytest.raises(TypeError, match="RootMotion: track must be a Clip, got list"):
        RootMotion([])
    with pytest.raises(ValueError, match="RootMotion: track must move one joint, got 34"):
        RootMotion(samples.humanoid().clips["walk"])
    skeleton = Skeleton(["it"], [-1], trs.identity(1))
    growing = np.stack([move(), np.append(move()[:7], [2, 2, 2])])[:, None]
    with pytest.raises(ValueError, match="RootMotion: track must be rigid, got keys of scale"):
        RootMotion(Clip.from_poses(skeleton, [0, 1], growing))
    with pytest.raises(ValueError, match="moves must be rigid"):
        RootMotion.from_moves([0, 1], growing[:, 0])
    with pytest.raises(ValueError, match=r"times must have shape \(F,\) and moves \(F, 10\)"):
        RootMotion.from_moves([0, 1, 2], growing[:, 0])
