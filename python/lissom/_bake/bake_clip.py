# SPDX-License-Identifier: MIT
"""One clip at the rate requested, at a default rate, or at the lowest one that keeps `max_error`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._bake.encoding import Encoding
from lissom._bake.measured_clip import MeasuredClip
from lissom._bake.rate_search import RateSearch
from lissom._bake.stored_clip import StoredClip, store
from lissom.clip._frames import HIGHEST_RATE, multiple_on_keys

if TYPE_CHECKING:
    from lissom._bake.clip_request import ClipRequest
    from lissom._bake.error_metric import BakeErrorMetric
    from lissom.clip import Clip

__all__ = ["TOLERABLE", "bake_clip", "store_screened"]

TOLERABLE = 1.5e-3
"""Error, as a fraction of the size, above which a default rate is doubled: half a pixel for a character 300
pixels high."""

DOUBLING_GAIN = 0.5
"""Part of the error that may remain for twice the frames to be worth it; for smooth motion a quarter does."""

SCREENED = 48
"""Frames of a clip at which the error of the stored type is looked at before a clip is measured in full."""


def bake_clip(request: ClipRequest, encoding: Encoding, metric: BakeErrorMetric) -> MeasuredClip | Encoding:
    """Bake a clip at the rate that suits the request; or return the wider encoding that it needs."""
    if request.max_error is not None:
        return _at_lowest_rate(request, encoding, metric)
    if request.rate is not None:
        return _at_rate(request, request.rate, encoding, metric)
    return _at_default_rate(request, encoding, metric)


def store_screened(
    request: ClipRequest, rate: float, encoding: Encoding, metric: BakeErrorMetric
) -> StoredClip | Encoding:
    """Store a clip, and see at a few frames whether the type alone takes too much of `max_error`.

    At each rate again: the error of bytes grows with the number of frames.
    """
    stored = store(request, rate, encoding, metric.sampler)
    if isinstance(stored, Encoding) or encoding.wider_dtype is None:
        return stored
    needed = encoding.for_dtype_error(request, metric.largest_at_frames(stored, SCREENED))
    return stored if needed is encoding else needed


def _at_rate(
    request: ClipRequest, rate: float, encoding: Encoding, metric: BakeErrorMetric
) -> MeasuredClip | Encoding:
    stored = store(request, rate, encoding, metric.sampler)
    return stored if isinstance(stored, Encoding) else _measured(stored, metric)


def _at_default_rate(
    request: ClipRequest, encoding: Encoding, metric: BakeErrorMetric
) -> MeasuredClip | Encoding:
    """Bake a clip at its default rate, or at twice that where it is worth it."""
    stored = store(request, request.first_rate, encoding, metric.sampler)
    if isinstance(stored, Encoding):
        return stored
    if not stored.interval_count:
        return _measured(stored, metric)
    tolerable = TOLERABLE * (request.size or 1.0) - request.root_motion_error
    errors = metric.measure_up_to(tolerable, stored)
    if errors is not None:
        return MeasuredClip.of(stored, errors)
    is_highest = 2 * request.first_rate > metric.sampler.highest_rate(request.clip)
    if is_highest or metric.largest_at_frames(stored, SCREENED) > tolerable:  # more frames would not help
        return _measured(stored, metric)
    doubled = _at_rate(request, 2 * request.first_rate, encoding, metric)
    if isinstance(doubled, Encoding) or doubled.error.max_relative <= TOLERABLE:
        return doubled
    first = _measured(stored, metric)
    return doubled if doubled.error.max <= DOUBLING_GAIN * first.error.max else first


def _at_lowest_rate(
    request: ClipRequest, encoding: Encoding, metric: BakeErrorMetric
) -> MeasuredClip | Encoding:
    """Bake a clip at the lowest multiple of its first rate that keeps `max_error`, or at the best there is.

    A multiple is tried at the moments that were worst before, and measured in full where it holds there:
    what fails costs next to nothing, and what is returned was measured in full while one multiple less was
    seen to fail.
    """
    first = _at_rate(request, request.first_rate, encoding, metric)
    if isinstance(first, Encoding) or request.is_met_by(first.error):
        return first
    needed = encoding.for_dtype_error(request, first.dtype_error)
    if needed is not encoding:
        return needed
    rate, most = _rate_and_most(request, metric)
    keys_multiple = _keys_multiple(request.clip, rate, most)
    search = RateSearch.after_first(
        request.allowed, most, first.texture_error, first.dtype_error, keys_multiple
    )
    last, best = first, None
    measured, seen = [first], dict[int, float]()
    worst_times = first.worst_times
    while (multiple := search.next_multiple()) is not None:
        stored = store_screened(request, multiple * rate, encoding, metric)
        if isinstance(stored, Encoding):
            return stored
        error = metric.largest_near(stored, worst_times)
        if error > request.allowed and not search.must_measure(multiple):
            search = search.after(multiple, holds=False, error=error)
            seen[multiple] = error
            continue
        last = _measured(stored, metric)
        measured.append(last)
        worst_times += last.worst_times
        holds = request.is_met_by(last.error)
        best = last if holds else best
        search = search.after(multiple, holds=holds, error=last.texture_error, dtype_error=last.dtype_error)
    if best is not None:
        return best
    if last.dtype_error > last.texture_error - request.allowed:  # a wider type alone may be enough
        needed = encoding.for_dtype_error(request, last.dtype_error, tolerated=0.0)
    if needed is not encoding:
        return needed
    # What was seen of a multiple that failed is a lower bound of its error: it may be the best of all.
    for multiple in sorted(seen, key=lambda multiple: seen[multiple]):
        if seen[multiple] >= min(clip.texture_error for clip in measured):
            break
        again = _at_rate(request, multiple * rate, encoding, metric)
        if isinstance(again, Encoding):
            return again
        measured.append(again)
    return min(measured, key=lambda clip: clip.texture_error)


def _measured(stored: StoredClip, metric: BakeErrorMetric) -> MeasuredClip:
    return MeasuredClip.of(stored, metric.measure(stored))


def _rate_and_most(request: ClipRequest, metric: BakeErrorMetric) -> tuple[float, int]:
    """Return the rate whose multiples are tried, and the highest multiple, as far as memory goes."""
    rate, duration = request.first_rate, request.clip.duration
    if duration <= 0:
        return rate, 1
    # A clip has one interval at least: from there on, multiples reach every number of intervals.
    rate = max(rate, 1.0 / duration)
    most = min(
        int(max(HIGHEST_RATE, rate) / rate + 1e-6), int(metric.sampler.highest_rate(request.clip) / rate)
    )
    return rate, max(1, most)


def _keys_multiple(clip: Clip, rate: float, most: int) -> int | None:
    """Return the multiple that makes frames of all irregular keys."""
    return None if clip.key_rate or most > HIGHEST_RATE else multiple_on_keys(clip, rate, most)
