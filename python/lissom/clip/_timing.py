# SPDX-License-Identifier: MIT
"""The same keys at other times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom.clip._cuts import (
    Floats,
    checked_tracks,
    edited_root_motion,
    free_tracks,
    on_timeline,
    require_keys,
    stored_tracks,
    with_keys,
)
from lissom.clip._tracks import CUBICSPLINE, STEP, Track

if TYPE_CHECKING:
    from lissom.clip import Clip


EVEN = 1e-6  # relative: speeds that differ by less, from rounding of times, are one speed


def at_speed(self: Clip, factor: float) -> Clip:
    """Return the clip played faster or slower.

    Parameters
    ----------
    factor : float
        2 takes half the time. Above zero: see `reversed` for playing backwards.

    Returns
    -------
    Clip
        Starts when this one does. Markers, root motion and the tangents of CUBICSPLINE tracks are scaled,
        too.

    Raises
    ------
    TypeError
        If `factor` is not a number.
    ValueError
        If `factor` is not above zero and finite, or keys coincide in the type they are stored in.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> round(walk.duration / walk.at_speed(2).duration, 6)
    2.0
    """
    advice = "; Clip.reversed plays backwards"
    factor = check_number(factor, "Clip.at_speed: factor", above_zero=True, advice=advice)
    return _at_speed(self, factor, "Clip.at_speed")


def _at_speed(self: Clip, factor: float, function: str) -> Clip:
    start = self.start

    def moved(times: Floats) -> Floats:
        with np.errstate(over="ignore"):  # refused when stored
            return start + (times - start) / factor

    tracks: list[Track] = []
    for track in checked_tracks(self):
        values = track.values
        if track.interpolation == CUBICSPLINE:  # tangents are per second
            values = values * np.array([[factor], [1], [factor]], values.dtype)
        tracks.append(replace(track, times=moved(track.times.astype(np.float64)), values=values))
    return self._edited(
        stored_tracks(tracks, self.keys.dtype, function),
        uniform=self.uniform,
        markers=[(start + (time - start) / factor, name) for time, name in self.markers],
        root_motion=edited_root_motion(self, _at_speed, factor, function),
    )


def retimed(
    self: Clip,
    times_from: ArrayLike | None = None,
    times_to: ArrayLike | None = None,
    *,
    duration: float | None = None,
) -> Clip:
    """Change the timing: of a whole clip to another duration, or of moments to other moments.

    Parameters
    ----------
    times_from, times_to : array_like of float, shape (N,), optional
        Seconds, both strictly increasing, N at least 2. The pose at ``times_from[i]`` moves to
        ``times_to[i]``; between two of them time is scaled evenly. The first is at the start of the clip or
        before it, the last at its end or after it.
    duration : float, optional
        Instead of them: the duration of the result in seconds, from the same start.

    Returns
    -------
    Clip
        With keys added where the speed changes, so that poses agree at all times. Markers and root motion are
        retimed, too.

    Raises
    ------
    TypeError
        If neither or both are passed, or one is not a number.
    ValueError
        If `duration` is not above zero and finite, shapes differ, times do not increase or do not cover the
        clip, the clip has no duration, or keys coincide in the type they are stored in.

    Notes
    -----
    ``times_from`` are rounded to the type of the keys. Tangents of CUBICSPLINE keys are scaled by the speed
    on their side. A uniform clip stays uniform where there is one speed; elsewhere its rotations become
    splines that nlerp as its frames do.

    Examples
    --------
    Both halves of a walk take as long as each other, and a little longer:

    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> slow = walk.retimed([walk.start, 0.5, walk.end], [0, 0.6, 1.2])
    >>> bool(np.abs(slow.sample(0.6) - walk.sample(0.5)).max() < 1e-6)
    True
    """
    require_keys("Clip.retimed", self)
    if (duration is None) == (times_from is None) or (times_from is None) != (times_to is None):
        raise TypeError("Clip.retimed: pass either duration, or both times_from and times_to")
    if duration is not None:
        duration = check_number(duration, "Clip.retimed: duration", above_zero=True)
        return _at_speed(self, self.duration / duration, "Clip.retimed")
    assert times_from is not None
    assert times_to is not None
    knots = on_timeline(self, _knots("times_from", times_from))
    targets = _knots("times_to", times_to)
    if knots.shape != targets.shape:
        raise ValueError(
            f"Clip.retimed: times_from and times_to must be equally many, got {len(knots)} and {len(targets)}"
        )
    if np.any(np.diff(knots) <= 0):
        raise ValueError(f"Clip.retimed: times_from must be further apart than {self.keys.dtype} rounds")
    if knots[0] > self.start or knots[-1] < self.end:
        raise ValueError(
            f"Clip.retimed: times_from must cover the clip, from {self.start} s to {self.end} s, got "
            f"{knots[0]} s to {knots[-1]} s"
        )
    slowness = np.diff(targets) / np.diff(knots)
    even = bool(np.ptp(slowness) <= EVEN * slowness.max())
    if even:  # no key is needed in between, and a uniform clip may have no others than its frames
        knots, targets = knots[[0, -1]], targets[[0, -1]]
    tracks = checked_tracks(self) if even else free_tracks(self)
    return self._edited(
        stored_tracks([_warped(track, knots, targets) for track in tracks], self.keys.dtype, "Clip.retimed"),
        uniform=self.uniform and even,
        markers=[(float(np.interp(time, knots, targets)), name) for time, name in self.markers],
        root_motion=edited_root_motion(self, retimed, times_from, times_to),
    )


def _knots(argument: str, value: ArrayLike) -> Floats:
    knots = as_numbers(value, f"Clip.retimed: {argument}").astype(np.float64)
    if knots.ndim != 1 or len(knots) < 2:
        raise ValueError(f"Clip.retimed: {argument} must have shape (N,), N at least 2, got {knots.shape}")
    if not np.isfinite(knots).all() or np.any(np.diff(knots) <= 0):
        raise ValueError(f"Clip.retimed: {argument} must be finite and increase strictly, got {knots}")
    return knots


def _warped(track: Track, knots: Floats, targets: Floats) -> Track:
    first, last = float(track.times[0]), float(track.times[-1])
    track = with_keys(track, knots[(knots > first) & (knots < last)])
    times, values = track.times.astype(np.float64), track.values
    if track.interpolation == CUBICSPLINE:  # tangents are per second, each scaled by the speed on its side
        slowness = np.diff(targets) / np.diff(knots)
        top = len(slowness) - 1
        left = slowness[(np.searchsorted(knots, times, side="left") - 1).clip(0, top)]
        right = slowness[(np.searchsorted(knots, times, side="right") - 1).clip(0, top)]
        values = values.astype(np.float64)
        values[:, 0] /= left[:, None]
        values[:, 2] /= right[:, None]
    return replace(track, times=np.interp(times, knots, targets), values=values)


def shifted(self: Clip, seconds: float) -> Clip:
    """Return the clip at later, or earlier, times.

    Parameters
    ----------
    seconds : float
        Added to all key times and markers; ``-clip.start`` moves the start to zero.

    Returns
    -------
    Clip

    Raises
    ------
    TypeError
        If `seconds` is not a number.
    ValueError
        If it is not finite, or keys coincide in the type they are stored in.

    Examples
    --------
    >>> step = lissom.samples.humanoid().clips["walk"].trimmed(0.25, 0.5)
    >>> step.shifted(-step.start).start
    0.0
    """
    shift = check_number(seconds, "Clip.shifted: seconds")
    if not len(self._table):  # without keys it is at 0 s, and its markers with it
        return self._edited()
    tracks = [replace(track, times=track.times.astype(np.float64) + shift) for track in checked_tracks(self)]
    return self._edited(
        stored_tracks(tracks, self.keys.dtype, "Clip.shifted"),
        uniform=self.uniform,
        markers=[(time + shift, name) for time, name in self.markers],
        root_motion=edited_root_motion(self, shifted, shift),
    )


def reversed(self: Clip) -> Clip:
    """Return the clip played backwards.

    Returns
    -------
    Clip
        From the same start to the same end: ``reversed().sample(start + end - t)`` is ``sample(t)``. Markers
        and root motion are reversed, too; the loop mode stays.

    Raises
    ------
    ValueError
        If keys coincide in the type they are stored in.

    Notes
    -----
    STEP tracks show a key from its time up to the next, and so does the reversed clip: at exactly a mirrored
    key time it shows the value that this clip shows just before. The last key, which may be shown at the end
    only, is shown at the start for the shortest time that the type of the keys can distinguish.

    Examples
    --------
    >>> wave = lissom.samples.humanoid().clips["wave"]
    >>> back = wave.reversed()
    >>> bool(np.abs(back.at(0.25) - wave.at(0.75)).max() < 1e-6)
    True
    """
    start, end = self.start, self.end
    tracks = [_backwards(track, start, end) for track in checked_tracks(self)]
    return self._edited(
        stored_tracks(tracks, self.keys.dtype, "Clip.reversed"),
        uniform=self.uniform,
        markers=[(start + end - time, name) for time, name in self.markers],
        root_motion=edited_root_motion(self, reversed),
    )


def _backwards(track: Track, start: float, end: float) -> Track:
    old = track.times[::-1].astype(np.float64)
    times = start + (end - old)
    times[old == start] = end  # to the bit
    values: NDArray[Any] = track.values[::-1]
    if track.interpolation == CUBICSPLINE:  # in-tangents become out-tangents, negated
        values = values[:, ::-1] * np.array([[-1], [1], [-1]], values.dtype)
    elif track.interpolation == STEP and len(times) > 1:
        shown_last = values[:1]
        values = np.concatenate([values[1:], values[-1:]])
        if np.any(shown_last != values[0]):
            dtype = track.times.dtype
            spacing = float(np.spacing(np.array(max(abs(start), abs(end), 1.0), dtype)))
            times = np.concatenate([[start], times])
            times[1] = max(times[1], start + spacing)
            values = np.concatenate([shown_last, values])
    return replace(track, times=times, values=values)
