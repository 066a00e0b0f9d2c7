# SPDX-License-Identifier: MIT
"""Resampling: the same motion as frames of one regular grid, at a requested or a searched rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_number
from lissom.clip._frames import (
    HIGHEST_RATE,
    RATE_SLACK,
    Moments,
    checked_interval_count,
    default_rate,
    frame_times,
    interval_count,
    jump_times,
)
from lissom.clip._tracks import COLUMNS, LINEAR, ROTATION, WEIGHT, Track, all_key_times
from lissom.errors import ResampleError
from lissom.quat import align

if TYPE_CHECKING:
    from lissom._base.doors import Character
    from lissom.clip import Clip
    from lissom.clip._clip_error import ClipDistances, Metric

UNIT_OF_IRREGULAR = 5.0
"""Frames per second of which searched rates are multiples where the keys are irregular."""

KEY_SLACK = 2.0
"""A frame this near to a key is at the key, in units of the last place of the clip's times."""


def resampled(
    self: Clip,
    rate: float | None = None,
    *,
    max_error: float | None = None,
    character: Character | None = None,
) -> Clip:
    """Replace the keys by frames of one regular grid: the fastest clips to sample at random times.

    Every track becomes LINEAR with the same times, from the start to the end; between frames rotations
    nlerp. The error is measured, at the frames, at 1/4, 1/2 and 3/4 between them and at the keys that lie
    elsewhere, and stated in `Clip.report`.

    Parameters
    ----------
    rate : float, optional
        Frames per second, rounded up so that a whole number of intervals fits. When omitted: the smallest
        multiple of the key rate that is at least 60, or 60 where the keys are irregular.
    max_error : float, optional
        Largest error allowed, as a fraction of size (0.001 is a thousandth): then the rate is the lowest
        one within it that the search finds; a weight of 1 of a morph target counts as the size. It tries
        whole multiples and whole fractions of the key rate, because they keep keys (with `rate`,
        multiples of it; with irregular keys, multiples of 5), up to 960. Jumps of STEP tracks do not
        count: no rate reproduces them; the rate of a clip with jumps is at least the default.
    character : Character, optional
        Measure at its vertices, skinned by its method, and relative to its size; where it has the morph
        targets of the clip they are morphed, and weights count by what they move alone. When omitted, or
        without a mesh, at a shell around each joint: see Notes.

    Returns
    -------
    Clip
        With ``uniform`` True and a `report`. Markers, loop and root motion stay as they are.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If a number is not finite and above 0, the rate would give 2^24 frames or more, the character has
        other joints, or the clip's times are too far from 0 to distinguish frames.
    ResampleError
        If `max_error` is not reached; ``.report`` is that of the best try. It is a ValueError.

    Notes
    -----
    With d seconds at rate r there are ``n = max(1, ceil(d r - 0.001))`` intervals and n + 1 frames, frame i
    at ``start + i d / n``; a clip without duration has one. Signs of rotations are aligned along time.

    The joint shell is four points: the joint, and one along each of its axes, as far as its farthest child at
    rest, but at least 3 % of the size. Distances are in model space, so the errors of parents count. Joints
    scaled to zero have no error while they are.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"].resampled(max_error=1e-3)
    >>> walk.uniform, walk.report.max_relative <= 1e-3
    (True, True)
    """
    from lissom.clip._clip_error import excess, metric_of, report_of

    requested = None if rate is None else check_number(rate, "Clip.resampled: rate", above_zero=True)
    bound = None
    if max_error is not None:
        bound = check_number(max_error, "Clip.resampled: max_error", above_zero=True)
    metric = metric_of(self, character, "Clip.resampled")
    tries: dict[int, tuple[Clip, ClipDistances]] = {}

    def error_at(rate: float) -> float:
        intervals = checked_interval_count("Clip.resampled", self, rate)
        if intervals not in tries:
            tries[intervals] = _measured(self, intervals, metric)
        return excess(tries[intervals][1], metric)

    if bound is None:
        chosen = default_rate(self) if requested is None else requested
        error_at(chosen)
        missed = False
    else:
        chosen = _lowest_rate(self, requested, lambda rate: error_at(rate) <= bound)
        missed = error_at(chosen) > bound
    if missed:
        best = min(tries, key=lambda intervals: excess(tries[intervals][1], metric))
    else:
        best = interval_count(self.duration, chosen)
    result, measured = tries[best]
    rate_of_result = best / self.duration if best else 0.0
    result._report = report_of(self, result, measured, metric, rate_of_result)
    if missed:
        raise ResampleError(
            f"Clip.resampled: max_error={bound:g} was not reached by {self.name!r}; the error at "
            f"{rate_of_result:.6g} frames per second is {result._report.max_relative:.3g} of the size, at "
            f"{result._report.worst!r} and {result._report.worst_time:.4f} s{_weights_text(measured)}; "
            "allow more, or keep the keys (see .report)",
            result._report,
        )
    return result


def _weights_text(measured: ClipDistances) -> str:
    return f", and {measured.weights:.3g} of a weight" if measured.weights > 0 else ""


def _lowest_rate(clip: Clip, requested: float | None, holds: Callable[[float], bool]) -> float:
    """Find the lowest rate that holds, by doubling and bisection; the highest one tried if none does.

    Rates are numbered: 1 is the unit, 2 twice the unit, and 0, -1, -2 are 1/2, 1/3, 1/4 of it.
    """
    unit = requested or clip.key_rate or UNIT_OF_IRREGULAR

    def rate(step: int) -> float:
        return unit * step if step > 0 else unit / (2 - step)

    first = least = 1
    if requested is None and jump_times(clip).size:
        # Motion within the interval of a jump is not measured, so the intervals must not become long.
        first = least = max(1, math.ceil(default_rate(clip) / unit - RATE_SLACK))
    elif requested is None and clip.key_rate is not None:
        least = min(1, 2 - math.ceil(unit * clip.duration))  # one interval
    highest = max(first, math.floor(HIGHEST_RATE / unit + 1e-6))
    if holds(rate(first)):
        good, stride = first, 1
        while good > least:
            bad = max(good - stride, least)
            if not holds(rate(bad)):
                break
            good, stride = bad, 2 * stride
        else:
            return rate(good)
    else:
        bad = first
        while not holds(rate(good := min(2 * bad, highest))):
            if good == highest:
                return rate(highest)
            bad = good
    while good - bad > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(rate(middle)) else (good, middle)
    return rate(good)


def _measured(clip: Clip, intervals: int, metric: Metric) -> tuple[Clip, ClipDistances]:
    result = _framed(clip, intervals)
    moments = Moments.of_frames(clip, intervals)
    # A key that rounding puts beside a frame is at the frame: it decides whether a STEP track has jumped
    # there.
    moments = Moments(moments.coordinates, _on_keys(clip, moments.times), moments.groups)
    return result, metric.measure(clip, result, moments)


def _framed(clip: Clip, intervals: int) -> Clip:
    """Sample a clip into frames."""
    seconds = frame_times(clip, intervals)
    times = seconds.astype(clip.keys.dtype)
    if not (np.diff(times) > 0).all():
        raise ValueError(
            f"Clip.resampled: rate must leave frames that {times.dtype} distinguishes, got {intervals} "
            f"intervals in {clip.duration:.6g} s from {clip.start:.6g} s; move the clip nearer to 0 first"
        )
    moments = _on_keys(clip, seconds)
    poses = clip.sample(moments, loop=False)
    poses[..., COLUMNS[ROTATION]] = align(poses[..., COLUMNS[ROTATION]], axis=0)
    tracks = [
        Track(int(joint), int(path), LINEAR, times, poses[:, joint, COLUMNS[int(path)]])
        for joint, path in zip(clip.tracks["joint"], clip.tracks["path"], strict=True)
    ]
    weights = clip.morphs(moments, loop=False)
    moved = clip.weight_tracks["joint"].tolist()
    tracks += [Track(morph, WEIGHT, LINEAR, times, weights[:, morph, None]) for morph in moved]
    return clip._edited(tracks, uniform=True)


def _on_keys(clip: Clip, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round times that differ from a key's by rounding alone to the key's."""
    keys = all_key_times(clip)
    if not len(keys):
        return times
    after = np.clip(np.searchsorted(keys, times), 1, max(len(keys) - 1, 1))
    after = np.minimum(after, len(keys) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(times - keys[before] < keys[after] - times, keys[before], keys[after])
    largest = np.abs(keys).max().astype(clip.keys.dtype)
    return np.where(np.abs(nearest - times) <= KEY_SLACK * np.spacing(largest), nearest, times)
