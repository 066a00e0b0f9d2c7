# SPDX-License-Identifier: MIT
"""The same keys at other times."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.clip._tracks import CUBICSPLINE, Track, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip


def at_speed(self: Clip, factor: float) -> Clip:
    """Play faster or slower.

    Parameters
    ----------
    factor : float
        2 takes half the time. Above zero: see `reversed` for playing backwards.

    Returns
    -------
    Clip
        Starts when this one does. Markers, root motion and the tangents of CUBICSPLINE tracks go along.

    Raises
    ------
    ValueError
        If `factor` is not above zero and finite.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> round(walk.duration / walk.at_speed(2).duration, 6)
    2.0
    """
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(f"Clip.at_speed: factor must be above zero and finite, got {factor}")
    start = self.start

    def moved(times: NDArray[Any]) -> NDArray[Any]:
        return (start + (times.astype(np.float64) - start) / factor).astype(times.dtype)

    timelines: dict[int, NDArray[Any]] = {}  # tracks that share their times go on sharing them
    tracks: list[Track] = []
    old = unpacked(self.keys, self.tracks)
    for track in old:
        times = timelines.setdefault(id(track.times), moved(track.times))
        values = track.values
        if track.interpolation == CUBICSPLINE:  # tangents are per second
            values = values * np.array([[factor], [1], [factor]], values.dtype)
        tracks.append(replace(track, times=times, values=values))
    return self._edited(
        tracks,
        uniform=self.uniform,
        markers=[(start + (time - start) / factor, name) for time, name in self.markers],
        root_motion=self.root_motion and self.root_motion.edited(at_speed, factor),
    )
