# SPDX-License-Identifier: MIT
"""Cutting a clip to the part between two times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.numbers import check_number
from lissom.clip._cuts import (
    cut,
    edited_root_motion,
    free_tracks,
    on_timeline,
    require_keys,
    stored_tracks,
)
from lissom.clip._tracks import all_tracks

if TYPE_CHECKING:
    from lissom.clip import Clip


def trimmed(self: Clip, start: float | None = None, end: float | None = None) -> Clip:
    """Keep the part between two times.

    Nothing is resampled: keys inside stay, and each cut gets a key that does not change the motion, in
    CUBICSPLINE tracks with the slope there.

    Parameters
    ----------
    start, end : float, optional
        Seconds of this clip, inside it; its own where omitted.

    Returns
    -------
    Clip
        With the times of this one: `shifted` moves the start to zero. Its poses agree with this clip's from
        `start` to `end`. Markers inside are kept. Whether it loops is inferred again, unless nothing was cut
        off or the loop is "ping_pong".

    Raises
    ------
    TypeError
        If a time is not a number.
    ValueError
        If `end` is not after `start`, one of them lies outside the clip, or the clip has no duration.

    Notes
    -----
    Times are rounded to the type of the keys. A spline of rotations is cut before it is normalised, so the
    rotation stored at a cut need not be unit. A uniform clip stays uniform where both cuts fall on frames;
    elsewhere its rotations become splines that nlerp as its frames do.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> step = walk.trimmed(0.25, 0.5)
    >>> bool(np.abs(step.sample(0.3) - walk.sample(0.3)).max() < 1e-6)
    True
    """
    require_keys("Clip.trimmed", self)
    start = self.start if start is None else check_number(start, "Clip.trimmed: start")
    end = self.end if end is None else check_number(end, "Clip.trimmed: end")
    cuts = on_timeline(self, [start, end])
    first, last = cuts.tolist()
    for argument, seconds, rounded in (("start", start, first), ("end", end, last)):
        if not self.start <= rounded <= self.end:
            raise ValueError(
                f"Clip.trimmed: {argument} must lie inside the clip, from {self.start:g} s to "
                f"{self.end:g} s, got {seconds}"
            )
    if not first < last:
        raise ValueError(f"Clip.trimmed: end must be after start, got {start} s to {end} s")
    if (first, last) == (self.start, self.end):
        return self._edited()
    tracks = all_tracks(self)
    uniform = self.uniform and all(np.isin(cuts, track.times).all() for track in tracks)
    if not uniform:
        tracks = free_tracks(self)
    return self._edited(
        stored_tracks([cut(track, cuts) for track in tracks], self.keys.dtype, "Clip.trimmed"),
        uniform=uniform,
        loop="ping_pong" if self.loop == "ping_pong" else None,
        markers=[marker for marker in self.markers if first <= marker.time <= last],
        root_motion=edited_root_motion(self, trimmed, first, last),
    )
