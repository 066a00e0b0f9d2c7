# SPDX-License-Identifier: MIT
"""Insertion of keys without a change of motion, for edits that cut and join tracks.

All is computed in float64 and stored in the type of the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.hermite import hermite
from lissom.clip._key_rate import SAME_TIME
from lissom.clip._tracks import (
    CUBICSPLINE,
    LINEAR,
    ROTATION,
    STEP,
    Track,
    all_key_times,
    all_tracks,
    key_times,
    unpacked,
)

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion

Floats = NDArray[np.float64]

SNAP = 4  # units in the last place: a time passed as text or float64 means the float32 key beside it

MAX_SHIFT = 2  # spacings of the type by which a key beside a jump may be moved to make room for it

# A cubic spline through keys of a slerp this far apart (as quaternions: half the rotation angle), with its
# slopes, is off by h^4 / 384 = 4e-8.
SLERP_STEP = 0.06  # radians


def require_keys(function: str, clip: Clip) -> None:
    """Check the clip's keys, and refuse a clip without duration."""
    clip._ready()  # refuses keys that are not finite or times that do not increase
    if not clip.duration > 0:
        got = f"all its keys at {clip.start} s" if len(clip._table) else "no tracks"
        raise ValueError(
            f"{function}: the clip must have a duration, got {clip.name!r} with {got}; it needs keys at two "
            "times or more"
        )


def checked_tracks(clip: Clip) -> list[Track]:
    """Return the tracks of a clip; refuse keys that are not finite and times that do not increase."""
    clip._ready()
    return all_tracks(clip)


def on_timeline(clip: Clip, times: ArrayLike) -> Floats:
    """Round times to the type of the keys, and to a key that is at most `SNAP` units away."""
    dtype = clip.keys.dtype
    largest = np.finfo(dtype).max / 4  # a time beyond stays beyond keys; `spacing` needs room above
    rounded = np.atleast_1d(np.asarray(times, np.float64)).clip(-largest, largest).astype(dtype)
    known = all_key_times(clip)
    if not len(known):
        return rounded.astype(np.float64)
    after = np.searchsorted(known, rounded.astype(np.float64)).clip(1, max(1, len(known) - 1))
    neighbours = known[[after - 1, np.minimum(after, len(known) - 1)]].astype(dtype)
    gaps = np.abs(neighbours - rounded)
    nearest = np.where(gaps[0] <= gaps[1], *neighbours)  # of the two keys of a jump the one that is meant
    slack = SNAP * np.spacing(np.maximum(np.abs(nearest), np.abs(rounded)))
    return np.where(gaps.min(axis=0) <= slack, nearest, rounded).astype(np.float64)


def stored_tracks(tracks: Iterable[Track], dtype: np.dtype[Any], function: str) -> list[Track]:
    """Return tracks in `dtype`, those of equal times sharing an array.

    Refuse times that coincide there, and numbers beyond it.
    """
    largest = np.finfo(dtype).max
    timelines: dict[bytes, NDArray[Any]] = {}
    result = []
    for track in tracks:
        for numbers, what in ((track.times, "times"), (track.values, "values and tangents")):
            if not (np.abs(numbers) <= largest).all():
                raise ValueError(
                    f"{function}: {what} of keys must fit {dtype}, whose numbers end at {largest:.3g}, got "
                    f"{float(np.ravel(numbers)[np.abs(numbers).argmax()]):g}"
                )
        times = stored_times(track.times, dtype)
        if np.any(np.diff(times) <= 0):
            at = int(np.argmin(np.diff(times)))
            raise ValueError(
                f"{function}: keys must be further apart than {dtype} rounds their times, got keys at "
                f"{float(track.times[at])} s and {float(track.times[at + 1])} s; stay nearer to 0 s or use "
                "float64 keys"
            )
        times = timelines.setdefault(times.tobytes(), times)
        result.append(replace(track, times=times, values=np.asarray(track.values, dtype)))
    return result


def stored_times(times: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Round times to a type, and keep the two keys of a jump, neighbours in that type, apart.

    Other keys may coincide.
    """
    rounded = np.ascontiguousarray(times, dtype)
    coincide = np.diff(rounded) <= 0
    if not coincide.any() or np.diff(times)[coincide].max() > SAME_TIME:
        return rounded
    result = rounded.copy()
    for key in range(len(result) - 2, -1, -1):
        if result[key] >= result[key + 1] and times[key + 1] - times[key] <= SAME_TIME:
            result[key] = _time_before(result[key + 1])
    spacings = rounded - _time_before(rounded)
    if result[0] != rounded[0]:  # the start of a clip stays, and the keys after it make room
        result[0] = rounded[0]
        for key in range(1, len(result)):
            if result[key] > result[key - 1]:
                break
            result[key] = result[key - 1] + spacings[0]
    too_far = np.any(np.abs(result - rounded) > MAX_SHIFT * spacings)
    return rounded if too_far else result


def between_keys(track: Track, times: Floats) -> tuple[Floats, Floats]:
    """Return values and slopes at times, shape (N, W) each; splines of rotations are not normalised.

    Outside its keys a track is constant and its slope zero; the slope of STEP tracks is zero, too. At a key
    the slope is the one after it.
    """
    at_keys = track.times.astype(np.float64)
    points = track.points.astype(np.float64)
    if len(at_keys) == 1:
        values = np.repeat(points, len(times), axis=0)
        return values, np.zeros_like(values)
    key = (np.searchsorted(at_keys, times, side="right") - 1).clip(0, len(at_keys) - 2)
    interval = (at_keys[key + 1] - at_keys[key])[:, None]
    s = ((times - at_keys[key])[:, None] / interval).clip(0, 1)
    first, last = points[key], points[key + 1]
    if track.interpolation == STEP:
        values = np.where(s < 1, first, last)
        slopes = np.zeros_like(values)
    elif track.interpolation == CUBICSPLINE:
        leaving = track.values[key, 2].astype(np.float64) * interval
        arriving = track.values[key + 1, 0].astype(np.float64) * interval
        values, slopes = hermite(s, first, leaving, last, arriving)
    elif track.path == ROTATION:
        values = quat.slerp(quat.normalize(first), quat.normalize(last), s[:, 0])
        # slerp is q0 exp(s L): its slope is itself times L.
        slopes = quat.multiply(values, log_between(first, last))
    else:
        values = (1 - s) * first + s * last
        slopes = last - first
    inside = ((times >= at_keys[0]) & (times <= at_keys[-1]))[:, None]
    return values, np.where(inside, slopes / interval, 0)


def log_between(first: Floats, last: Floats) -> Floats:
    """Return the logarithm of the shorter rotation between quaternions: half its rotation vector."""
    rotation = quat.multiply(quat.conjugate(quat.normalize(first)), quat.normalize(last))
    return quat.log(np.where(rotation[..., 3:] < 0, -rotation, rotation))


def with_keys(track: Track, times: Floats) -> Track:
    """Add keys at times without one, leaving the motion as it is; `times` are exact in the track's type."""
    at_keys = track.times.astype(np.float64)
    new = np.setdiff1d(times, at_keys)
    if not len(new):
        return track
    values, slopes = between_keys(track, new)
    old = track.values.astype(np.float64)
    if track.interpolation == CUBICSPLINE:
        values = np.stack([slopes, values, slopes], axis=1)
        if new[0] < at_keys[0]:  # the track is constant there
            values[new < at_keys[0], ::2] = 0
            old[0, 0] = 0
        if new[-1] > at_keys[-1]:
            values[new > at_keys[-1], ::2] = 0
            old[-1, 2] = 0
    at_all = np.concatenate([at_keys, new])
    order = np.argsort(at_all)
    return replace(track, times=at_all[order], values=np.concatenate([old, values])[order])


def with_end_keys(tracks: Sequence[Track], ends: Floats) -> Sequence[Track]:
    """Ensure a key at each of two ends, so that a clip keeps its times; the first track gets missing ones."""
    if not tracks or np.isin(ends, key_times(tracks)).all():
        return tracks
    return [with_keys(tracks[0], ends), *tracks[1:]]


def cut(track: Track, cuts: Floats) -> Track:
    """Return the keys of a track between two times, with keys at the cuts that lie between its keys."""
    start, end = cuts
    first, last = float(track.times[0]), float(track.times[-1])
    if last <= start or first >= end:  # it is constant from start to end
        at, key = (start, -1) if last <= start else (end, 0)
        values = track.values[key][None]
        if track.interpolation == CUBICSPLINE:
            values = np.stack([0 * values[:, 1], values[:, 1], 0 * values[:, 1]], axis=1)
        return replace(track, times=np.array([at]), values=values)
    whole = with_keys(track, cuts[(cuts > first) & (cuts < last)])
    inside = (whole.times >= start) & (whole.times <= end)
    return replace(whole, times=whole.times[inside], values=whole.values[inside])


def straight_as_cubic(track: Track) -> Track:
    """Return a track that lerps between its keys as the equal CUBICSPLINE track.

    Rotations lerp, too, and are normalised afterwards, which is the nlerp of uniform clips, not the slerp of
    other LINEAR tracks.
    """
    times = track.times.astype(np.float64)
    points = track.points.astype(np.float64)
    if track.path == ROTATION:
        points = quat.align(quat.normalize(points))
    slopes = np.diff(points, axis=0) / np.diff(times)[:, None]
    zero = np.zeros((1, points.shape[1]))
    values = np.stack([np.concatenate([zero, slopes]), points, np.concatenate([slopes, zero])], axis=1)
    return replace(track, interpolation=CUBICSPLINE, times=times, values=values)


def as_cubic(track: Track, dtype: np.dtype[Any]) -> Track:
    """Return any track as a CUBICSPLINE one, LINEAR rotations within 1e-7 (see SLERP_STEP).

    `dtype` is the type that times will be stored in.
    """
    if track.interpolation == CUBICSPLINE:
        return track
    track = as_linear(track, dtype)
    if track.path != ROTATION or len(track.times) == 1:
        return straight_as_cubic(track)
    times, points = track.times.astype(np.float64), quat.normalize(track.points.astype(np.float64))
    half_angles = np.linalg.norm(log_between(points[:-1], points[1:])[:, :3], axis=1)
    steps = np.maximum(1, np.ceil(half_angles / SLERP_STEP)).astype(int)
    pieces = [
        begin + (end - begin) * np.arange(1, count) / count
        for begin, end, count in zip(times[:-1], times[1:], steps, strict=True)
    ]
    track = with_keys(track, np.concatenate([np.zeros(0), *pieces]).astype(dtype).astype(np.float64))
    times, points = track.times, quat.align(quat.normalize(track.points.astype(np.float64)))
    rate = log_between(points[:-1], points[1:]) / np.diff(times)[:, None]
    zero = np.zeros((1, 4))
    arriving = np.concatenate([zero, quat.multiply(points[1:], rate)])
    leaving = np.concatenate([quat.multiply(points[:-1], rate), zero])
    return replace(
        track, interpolation=CUBICSPLINE, times=times, values=np.stack([arriving, points, leaving], 1)
    )


def as_linear(track: Track, dtype: np.dtype[Any]) -> Track:
    """Return a STEP track as a LINEAR one that jumps just before each key that differs from the last."""
    if track.interpolation != STEP:
        return track
    times = track.times.astype(np.float64)
    jumps = np.flatnonzero(np.any(np.diff(track.values, axis=0) != 0, axis=1)) + 1
    linear = replace(track, interpolation=LINEAR)
    if not len(jumps):
        return linear
    at_all = np.concatenate([times, before(times[jumps], dtype)])
    values = np.concatenate([track.values, track.values[jumps - 1]]).astype(np.float64)
    order = np.argsort(at_all)
    return replace(linear, times=at_all[order], values=values[order])


def before(times: Floats, dtype: np.dtype[Any]) -> Floats:
    """Return the last times before, as far as keys of a type can distinguish them."""
    return np.asarray(_time_before(times.astype(dtype)), np.float64)


def _time_before(times: Any) -> Any:
    # At least the spacing at one second: next to zero, the next float is too near to divide by.
    return times - np.spacing(np.maximum(np.abs(times), times.dtype.type(1)))


def free_tracks(clip: Clip) -> list[Track]:
    """Return tracks that may be cut anywhere: rotations of a uniform clip, which nlerp, as cubic splines."""
    tracks = checked_tracks(clip)
    if not clip.uniform:
        return tracks
    return [straight_as_cubic(t) if t.path == ROTATION and len(t.times) > 1 else t for t in tracks]


def edited_root_motion(clip: Clip, edit: Callable[..., Clip], *arguments: Any) -> RootMotion | None:
    """Return the root motion of a clip with an edit of the clip applied to it.

    It is stored in float64, so an edit may round its ends differently: they are moved to those of the clip.
    """
    motion, dtype = clip._root_motion, clip.keys.dtype
    if motion is None or not clip.duration > 0:
        return motion

    def edited(track: Clip) -> Clip:
        track = edit(with_span(track, clip), *arguments)
        tracks = unpacked(track.keys, track.tracks)
        for timeline in tracks:
            times = timeline.times.astype(np.float64)
            times[[0, -1]] = times[[0, -1]].astype(dtype)
            timeline.times = times
        return track._edited(stored_tracks(tracks, track.keys.dtype, "Clip.root_motion"))

    return motion.edited(edited)


def with_span(track: Clip, clip: Clip) -> Clip:
    """Return a clip that starts and ends when another does: root motion made by a user need not."""
    if (track.start, track.end) == (clip.start, clip.end) or not len(track.tracks):
        return track
    cuts = np.array([clip.start, clip.end])
    whole = [cut(with_keys(t, cuts), cuts) for t in unpacked(track.keys, track.tracks)]
    return track._edited(stored_tracks(whole, track.keys.dtype, "Clip.root_motion"))
