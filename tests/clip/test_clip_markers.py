# SPDX-License-Identifier: MIT
"""Markers: each passed once, however the time is cut into steps."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lissom
from lissom import Clip, Marker, Skeleton

START, END = 0.25, 1.5
LOOPS = (False, True, "ping_pong")


def clip_of(start: float = START, end: float = END, dtype: type = np.float32) -> Clip:
    poses = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], dtype), (2, 1, 1))
    poses[1, 0, 0] = 1
    return Clip.from_poses(Skeleton(["only"], [-1], poses[0]), [start, end], poses, loop=True)


CLIP = clip_of().with_markers({"start": START, "step": [0.5, 1.25], "end": END})


def shown(markers: list[Marker]) -> list[tuple[float, str]]:
    return [(time, name) for time, name in markers]


def test_forwards_the_end_counts_and_the_beginning_does_not() -> None:
    assert shown(CLIP.markers_between(START, 1.25, False)) == [(0.5, "step"), (1.25, "step")]
    assert shown(CLIP.markers_between(0.5, 1.0, False)) == []
    assert shown(CLIP.markers_between(0.5, 1.0, False, include_start=True)) == [(0.5, "step")]
    assert CLIP.markers_between(0.5, 0.5) == []


def test_backwards_it_is_the_other_way() -> None:
    assert shown(CLIP.markers_between(1.25, START, False)) == [(0.5, "step"), (START, "start")]
    got = CLIP.markers_between(1.25, 0.6, False, include_start=True)
    assert shown(got) == [(1.25, "step")]


def test_a_loop_passes_each_marker_once_a_turn() -> None:
    got = shown(CLIP.markers_between(START, START + 2.5, True))
    want = [(0.5, "step"), (1.25, "step"), (1.5, "start"), (1.5, "end"), (1.75, "step"), (2.5, "step")]
    assert got[:2] == want[:2]
    assert sorted(got) == sorted([*want, (2.75, "start"), (2.75, "end")])
    first = CLIP.markers_between(START, START + 0.01, True, include_start=True)
    assert ("start", START) in [(name, time) for time, name in first]
    assert len(CLIP.markers_between(-100 * 1.25, 0, True)) == 400


def test_to_and_fro_passes_it_both_ways_and_the_ends_once() -> None:
    got = shown(CLIP.markers_between(START, START + 2.5, "ping_pong"))
    want = [(0.5, "step"), (1.25, "step"), (1.5, "end"), (1.75, "step"), (2.5, "step"), (2.75, "start")]
    assert got == want
    back = shown(CLIP.markers_between(START + 2.5, START, "ping_pong", include_start=True))
    assert back == [*reversed(want), (START, "start")]


def test_the_clip_says_how_it_loops() -> None:
    assert len(CLIP.markers_between(START, START + 12.5)) == 40
    assert len(clip_of(0, 1).with_markers({"a": 0.5}).markers_between(0, 10)) == 10


@settings(deadline=None)  # machines differ, and what they do at once
@given(
    st.sampled_from(LOOPS),
    st.lists(st.floats(-40, 40), min_size=2, max_size=7),
    st.lists(st.floats(0, 1), max_size=4),
    st.floats(-3, 3),
    st.floats(0.1, 7),
    st.booleans(),
)
def test_steps_of_any_length_pass_the_same(
    loop: object, stops: list[float], shares: list[float], start: float, length: float, exact: bool
) -> None:
    clip = clip_of(start, start + length)
    marked = clip.with_markers([(clip.start + share * clip.duration, str(share)) for share in shares])
    if exact:  # steps that end on markers
        stops += [marker.time + turn * clip.duration for marker in marked.markers for turn in (0, 1, 3)]
    for route in (sorted(stops), sorted(stops, reverse=True)):
        pieces = [
            marker for t0, t1 in itertools.pairwise(route) for marker in marked.markers_between(t0, t1, loop)
        ]
        assert pieces == marked.markers_between(route[0], route[-1], loop)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0.1, 3), st.integers(-5, 5), st.sampled_from([True, "ping_pong"]))
def test_a_marker_is_passed_where_the_clip_shows_its_pose(
    share: float, length: float, turn: int, loop: object
) -> None:
    clip = clip_of(0, length, np.float64)
    time = share * clip.duration
    marked = clip.with_markers({"it": time})
    begin = turn * clip.duration
    for found in marked.markers_between(begin, begin + 2 * clip.duration, loop):
        place = clip.sample(found.time, loop)[0, 0]
        # The pose goes evenly from 0 to 1; at the seam of a loop it is either.
        apart = abs(place - share)
        assert min(apart, 1 - apart if loop is True else 1) < 1e-9


def test_a_long_time_loses_none() -> None:
    clip = clip_of(0, 0.1).with_markers({"tick": 0.03})
    day = 86400.0
    times = day + np.arange(0, 100, 1 / 60)
    count = sum(len(clip.markers_between(t0, t1)) for t0, t1 in itertools.pairwise(times))
    assert count == len(clip.markers_between(times[0], times[-1]))
    assert abs(count - 1000) <= 1


def test_rounded_ends_are_ends() -> None:
    clip = clip_of(0, 0.7)  # float32
    marked = clip.with_markers({"end": 0.7, "begin": -1e-9})
    assert marked.markers == ((0.0, "begin"), (clip.end, "end"))
    late = clip._edited(markers=[(0.7, "end"), (5.0, "never")])
    assert [marker.name for marker in late.markers_between(-1, 6, False)] == ["end"]


def test_a_clip_without_duration_passes_its_markers_once() -> None:
    still = Clip.from_poses(CLIP.skeleton, [1.0], CLIP.skeleton.rest[None]).with_markers({"now": 1.0})
    for loop in LOOPS:
        assert shown(still.markers_between(0, 10, loop)) == [(1.0, "now")]


def test_markers_are_given_by_name_or_in_pairs_and_replaced() -> None:
    want = (Marker(0.5, "a"), Marker(0.75, "b"), Marker(1.0, "a"))
    assert CLIP.with_markers({"a": (1, 0.5), "b": 0.75}).markers == want
    assert CLIP.with_markers([(1, "a"), (0.5, "a"), (0.75, "b")]).markers == want
    assert CLIP.with_markers({}).markers == ()
    assert CLIP.with_markers([*CLIP.markers, (1, "new")]).markers[2] == (1.0, "new")
    assert np.shares_memory(CLIP.with_markers({}).keys, CLIP.keys)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Clip.with_markers: 'a' must lie inside the clip, from 0.25 s"):
        CLIP.with_markers({"a": 2})
    walk = lissom.samples.humanoid().clips["walk"]
    with pytest.raises(ValueError, match=r"from 0 s to 1.1 s, got 2$"):
        walk.with_markers({"a": 2})
    with pytest.raises(ValueError, match=r"Clip.with_markers: the time of 'a' must be finite, got nan"):
        CLIP.with_markers({"a": math.nan})
    with pytest.raises(TypeError, match=r"a marker must be a time and a name, got 'a' and 1"):
        CLIP.with_markers([("a", 1)])
    with pytest.raises(TypeError, match=r"markers must be pairs of a time and a name, got 1"):
        CLIP.with_markers([1, 2])
    with pytest.raises(ValueError, match=r"Clip.markers_between: t0 must be finite, got nan"):
        CLIP.markers_between(math.nan, 1)
    with pytest.raises(
        ValueError, match=r"Clip.markers_between: t0 and t1 must be less than 1000000 cycles of 1.25 s"
    ):
        CLIP.markers_between(0, 1e12)
    with pytest.raises(ValueError, match=r"loop must be True, False or"):
        CLIP.markers_between(0, 1, loop="pong")


def test_the_sample_walk() -> None:
    walk = lissom.samples.humanoid().clips["walk"].with_markers({"left": 0, "right": 0.5})
    assert [name for _, name in walk.markers_between(0, 5 * walk.duration)] == ["right", "left"] * 5
