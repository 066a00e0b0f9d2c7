# SPDX-License-Identifier: MIT
"""Keys put where there were none, so that nothing moves differently: what edits cut and join with.

All is computed in float64 and stored in the type of the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom.clip._key_rate import SAME_TIME
from lissom.clip._tracks import CUBICSPLINE, LINEAR, ROTATION, STEP, Track, key_times, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion

Floats = NDArray[np.float64]

SNAP = 4  # units in the last place: a time given as text or float64 means the float32 key beside it

CROWD = 2  # moments that a key of a jump makes room; where more are needed it is no jump

# A cubic spline through keys of a slerp this far apart (as quaternions, half the turn), with its slopes, is
# off by h^4 / 384 = 4e-8.
SLERP_STEP = 0.06  # radians


def require_keys(function: str, clip: Clip) -> None:
    """Check the clip's keys, and refuse one without duration."""
    clip._ready()  # refuses keys that are not finite or times that do not increase
    if not clip.duration > 0:
        got = f"all its keys at {clip.start} s" if len(clip.tracks) else "no tracks"
        raise ValueError(
            f"{function}: the clip must last some time, got {clip.name!r} with {got}; give it keys at two "
            "times or more"
        )


def checked_tracks(clip: Clip) -> list[Track]:
    """Give the tracks of a clip whose keys are finite and whose times increase; refuse others."""
    clip._ready()
    return unpacked(clip.keys, clip.tracks)


def on_timeline(clip: Clip, times: ArrayLike) -> Floats:
    """Round times to the type of the keys, and to a key where one is a few last places away."""
    dtype = clip.keys.dtype
    wanted = np.atleast_1d(np.asarray(times, np.float64)).astype(dtype)
    known = key_times(unpacked(clip.keys, clip.tracks))
    if not len(known):
        return wanted.astype(np.float64)
    after = np.searchsorted(known, wanted.astype(np.float64)).clip(1, max(1, len(known) - 1))
    sides = known[[after - 1, np.minimum(after, len(known) - 1)]].astype(dtype)
    away = np.abs(sides - wanted)
    nearest = np.where(away[0] <= away[1], *sides)  # of the two keys of a jump the one that is meant
    slack = SNAP * np.spacing(np.maximum(np.abs(nearest), np.abs(wanted)))
    wanted = np.where(away.min(axis=0) <= slack, nearest, wanted)
    return wanted.astype(np.float64)


def shared(tracks: Iterable[Track], dtype: np.dtype[Any], function: str) -> list[Track]:
    """Store values in `dtype`, equal timelines once; refuse times that fall together there."""
    timelines: dict[bytes, NDArray[Any]] = {}
    result = []
    for track in tracks:
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
    """Round times to a type. The two keys of a jump, which are next to each other there, stay so.

    Others may fall together.
    """
    rounded = np.ascontiguousarray(times, dtype)
    together = np.diff(rounded) <= 0
    if not together.any() or np.diff(times)[together].max() > SAME_TIME:
        return rounded
    stored = rounded.copy()
    for key in range(len(stored) - 2, -1, -1):
        if stored[key] >= stored[key + 1] and times[key + 1] - times[key] <= SAME_TIME:
            stored[key] = _moment_before(stored[key + 1])
    moments = rounded - _moment_before(rounded)
    if stored[0] != rounded[0]:  # where a clip starts stays, and what follows makes room
        stored[0] = rounded[0]
        for key in range(1, len(stored)):
            if stored[key] > stored[key - 1]:
                break
            stored[key] = stored[key - 1] + moments[0]
    crowded = np.any(np.abs(stored - rounded) > CROWD * moments)
    return rounded if crowded else stored


def between_keys(track: Track, times: Floats) -> tuple[Floats, Floats]:
    """Values and slopes at times, shape (N, 3) or (N, 4): splines before they are normalised.

    Outside its keys a track stays, and its slope is zero there; so it is in STEP tracks. At a key the slope
    is the one after it.
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
        # Hermite's polynomial (glTF 2.0, appendix C.4) and its derivative.
        late = s * s * (3 - 2 * s)
        values = (1 - late) * first + late * last + s * (1 - s) * ((1 - s) * leaving - s * arriving)
        slopes = 6 * s * (1 - s) * (last - first)
        slopes += (1 - s) * (1 - 3 * s) * leaving + s * (3 * s - 2) * arriving
    elif track.path == ROTATION:
        values = quat.slerp(quat.normalize(first), quat.normalize(last), s[:, 0])
        # slerp is q0 exp(s L): its slope is itself times L.
        slopes = quat.multiply(values, turn_between(first, last))
    else:
        values = (1 - s) * first + s * last
        slopes = last - first
    inside = ((times >= at_keys[0]) & (times <= at_keys[-1]))[:, None]
    return values, np.where(inside, slopes / interval, 0)


def turn_between(first: Floats, last: Floats) -> Floats:
    """Logarithm of the turn from one quaternion to the other, the short way: half its rotation vector."""
    turn = quat.multiply(quat.conjugate(quat.normalize(first)), quat.normalize(last))
    return quat.log(np.where(turn[..., 3:] < 0, -turn, turn))


def with_keys(track: Track, times: Floats) -> Track:
    """Add keys that change nothing, where there is none. `times` are exact in the type of the track."""
    at_keys = track.times.astype(np.float64)
    new = np.setdiff1d(times, at_keys)
    if not len(new):
        return track
    values, slopes = between_keys(track, new)
    old = track.values.astype(np.float64)
    if track.interpolation == CUBICSPLINE:
        values = np.stack([slopes, values, slopes], axis=1)
        if new[0] < at_keys[0]:  # the track stays there
            values[new < at_keys[0], ::2] = 0
            old[0, 0] = 0
        if new[-1] > at_keys[-1]:
            values[new > at_keys[-1], ::2] = 0
            old[-1, 2] = 0
    at_all = np.concatenate([at_keys, new])
    order = np.argsort(at_all)
    return replace(track, times=at_all[order], values=np.concatenate([old, values])[order])


def lasting(tracks: Sequence[Track], ends: Floats) -> Sequence[Track]:
    """See that some track has a key at each of the two ends: the first gets those that none has."""
    if not tracks or np.isin(ends, key_times(tracks)).all():
        return tracks
    return [with_keys(tracks[0], ends), *tracks[1:]]


def stretch(track: Track, cuts: Floats) -> Track:
    """Give the keys of a track between two times, with keys at those that it reaches over."""
    start, end = cuts
    first, last = float(track.times[0]), float(track.times[-1])
    if last <= start or first >= end:  # it stays all the while
        at, key = (start, -1) if last <= start else (end, 0)
        values = track.values[key][None]
        if track.interpolation == CUBICSPLINE:
            values = np.stack([0 * values[:, 1], values[:, 1], 0 * values[:, 1]], axis=1)
        return replace(track, times=np.array([at]), values=values)
    whole = with_keys(track, cuts[(cuts > first) & (cuts < last)])
    inside = (whole.times >= start) & (whole.times <= end)
    return replace(whole, times=whole.times[inside], values=whole.values[inside])


def straight_as_cubic(track: Track) -> Track:
    """Give a LINEAR track between whose keys numbers go straight as the same CUBICSPLINE.

    Rotations go so, too, and are normalised afterwards, which is nlerp: not how LINEAR tracks go, but how
    uniform clips do.
    """
    times = track.times.astype(np.float64)
    points = track.points.astype(np.float64)
    if track.path == ROTATION:
        points = quat.align(quat.normalize(points))
    slopes = np.diff(points, axis=0) / np.diff(times)[:, None]
    none = np.zeros((1, points.shape[1]))
    values = np.stack([np.concatenate([none, slopes]), points, np.concatenate([slopes, none])], axis=1)
    return replace(track, interpolation=CUBICSPLINE, times=times, values=values)


def as_cubic(track: Track, dtype: np.dtype[Any]) -> Track:
    """Give any track as a CUBICSPLINE one, LINEAR rotations within 1e-7 (see SLERP_STEP).

    `dtype` is the type that times will be stored in.
    """
    if track.interpolation == CUBICSPLINE:
        return track
    track = as_linear(track, dtype)
    if track.path != ROTATION or len(track.times) == 1:
        return straight_as_cubic(track)
    times, points = track.times.astype(np.float64), quat.normalize(track.points.astype(np.float64))
    turns = np.linalg.norm(turn_between(points[:-1], points[1:])[:, :3], axis=1)
    steps = np.maximum(1, np.ceil(turns / SLERP_STEP)).astype(int)
    pieces = [
        begin + (end - begin) * np.arange(1, count) / count
        for begin, end, count in zip(times[:-1], times[1:], steps, strict=True)
    ]
    track = with_keys(track, np.concatenate([np.zeros(0), *pieces]).astype(dtype).astype(np.float64))
    times, points = track.times, quat.align(quat.normalize(track.points.astype(np.float64)))
    turn = turn_between(points[:-1], points[1:]) / np.diff(times)[:, None]
    none = np.zeros((1, 4))
    arriving = np.concatenate([none, quat.multiply(points[1:], turn)])
    leaving = np.concatenate([quat.multiply(points[:-1], turn), none])
    return replace(
        track, interpolation=CUBICSPLINE, times=times, values=np.stack([arriving, points, leaving], 1)
    )


def as_linear(track: Track, dtype: np.dtype[Any]) -> Track:
    """Give a STEP track as a LINEAR one that jumps in the moment before each key that differs."""
    if track.interpolation != STEP:
        return track
    times = track.times.astype(np.float64)
    jumps = np.flatnonzero(np.any(np.diff(track.values, axis=0) != 0, axis=1)) + 1
    held = replace(track, interpolation=LINEAR)
    if not len(jumps):
        return held
    moments = before(times[jumps], dtype)
    at_all = np.concatenate([times, moments])
    values = np.concatenate([track.values, track.values[jumps - 1]]).astype(np.float64)
    order = np.argsort(at_all)
    return replace(held, times=at_all[order], values=values[order])


def before(times: Floats, dtype: np.dtype[Any]) -> Floats:
    """Give the moments just before, as far as keys of a type can tell them apart."""
    return np.asarray(_moment_before(times.astype(dtype)), np.float64)


def _moment_before(times: Any) -> Any:
    # By the magnitude of a second at least: next to zero, the next float is too near to divide by.
    return times - np.spacing(np.maximum(np.abs(times), times.dtype.type(1)))


def free_tracks(clip: Clip) -> list[Track]:
    """Give tracks that may be cut anywhere: of a uniform clip, whose rotations nlerp, as cubic splines."""
    tracks = checked_tracks(clip)
    if not clip.uniform:
        return tracks
    return [straight_as_cubic(t) if t.path == ROTATION and len(t.times) > 1 else t for t in tracks]


def motion_along(clip: Clip, edit: Callable[..., Clip], *arguments: Any) -> RootMotion | None:
    """Give the root motion of a clip edited as the clip is.

    It is held in float64, so an edit may round its ends differently: they are put where the clip's are.
    """
    motion, dtype = clip._root_motion, clip.keys.dtype
    if motion is None or not clip.duration > 0:
        return motion

    def edited(track: Clip) -> Clip:
        track = edit(fitted(track, clip), *arguments)
        tracks = unpacked(track.keys, track.tracks)
        for timeline in tracks:
            times = timeline.times.astype(np.float64)
            times[[0, -1]] = times[[0, -1]].astype(dtype)
            timeline.times = times
        return track._edited(shared(tracks, track.keys.dtype, "Clip.root_motion"))

    return motion.edited(edited)


def fitted(track: Clip, clip: Clip) -> Clip:
    """Let a clip begin and end when another does: what a user made need not."""
    if (track.start, track.end) == (clip.start, clip.end) or not len(track.tracks):
        return track
    cuts = np.array([clip.start, clip.end])
    whole = [stretch(with_keys(t, cuts), cuts) for t in unpacked(track.keys, track.tracks)]
    return track._edited(shared(whole, track.keys.dtype, "Clip.root_motion"))


def are_on(times: Floats, knots: Sequence[float] | Floats) -> bool:
    """Whether every knot is one of the times."""
    return bool(np.isin(knots, times).all())
