# SPDX-License-Identifier: MIT
"""All clips of a bake, in one encoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._bake.bake_clip import bake_clip, store_screened
from lissom._bake.encoding import Encoding, widened_plan
from lissom.pose_texture._layouts import LAYOUTS

if TYPE_CHECKING:
    from lissom._bake.clip_request import ClipRequest
    from lissom._bake.error_metric import BakeErrorMetric
    from lissom._bake.measured_clip import MeasuredClip
    from lissom.pose_texture._layouts import Layout

__all__ = ["Progress", "bake_clips", "first_encoding", "layouts_that_hold"]

Progress = Callable[[int, int, str], None]


def first_encoding(
    requests: Sequence[ClipRequest], layout: Layout, dtype: np.dtype[Any], metric: BakeErrorMetric
) -> Encoding:
    """Return an encoding that suits all clips at their first rates: sampling is cheaper than measuring."""
    plan = None
    for request in requests:
        source = metric.sampler.at_rate(request.clip, request.first_rate)
        plan = widened_plan(layout, source, plan, metric.method)
    assert plan is not None
    return Encoding(layout, plan, metric.method, dtype)


def bake_clips(
    requests: Sequence[ClipRequest], encoding: Encoding, metric: BakeErrorMetric, progress: Progress | None
) -> list[MeasuredClip]:
    """Bake all clips, again from the first in a wider encoding where one of them needs it."""
    while True:
        baked = _in_encoding(requests, encoding, metric, progress)
        if not isinstance(baked, Encoding):
            return baked
        encoding = baked


def layouts_that_hold(request: ClipRequest, missed: Encoding, metric: BakeErrorMetric) -> list[str]:
    """Return the layouts that keep the `max_error` which a clip missed in some encoding."""
    holding = []
    for layout in LAYOUTS.values():
        if layout is missed.layout:
            continue
        try:
            encoding = first_encoding([request], layout, missed.dtype, metric)
        except ValueError:  # it cannot hold the frames, or drive the method
            continue
        (baked,) = bake_clips([request], encoding, metric, None)
        if request.is_met_by(baked.error):
            holding.append(layout.name)
    return holding


def _in_encoding(
    requests: Sequence[ClipRequest], encoding: Encoding, metric: BakeErrorMetric, progress: Progress | None
) -> list[MeasuredClip] | Encoding:
    """Bake all clips in an encoding; or return the wider one that the first clip in need asks for."""
    if encoding.wider_dtype is not None:
        # Screening all clips first finds most wider types before any clip is measured.
        for request in requests:
            if request.max_error is not None:
                screened = store_screened(request, request.first_rate, encoding, metric)
                if isinstance(screened, Encoding):
                    return screened
    clips = []
    for index, request in enumerate(requests):
        baked = bake_clip(request, encoding, metric)
        if isinstance(baked, Encoding):
            return baked
        clips.append(baked)
        if progress is not None:
            progress(index + 1, len(requests), request.clip.name)
    return clips
