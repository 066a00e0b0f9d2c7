# SPDX-License-Identifier: MIT
"""Tracks: the flat storage of a clip, and the same keys one track at a time for editing them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lissom.clip import Clip

TRACK_DTYPE = np.dtype(
    [
        ("joint", "<i4"),
        ("path", "<i4"),
        ("interpolation", "<i4"),
        ("key_count", "<i4"),
        ("times", "<i8"),
        ("values", "<i8"),
    ]
)
"""One track: a joint, a path, an interpolation, and where its key times and values begin in ``Clip.keys``.

The joint of a weight is the number of its morph target.
"""

TRANSLATION = 0
ROTATION = 1
SCALE = 2
WEIGHT = 3

STEP = 0
LINEAR = 1
CUBICSPLINE = 2

COLUMNS = {TRANSLATION: slice(0, 3), ROTATION: slice(3, 7), SCALE: slice(7, 10)}
"""Columns of a path in the ten numbers of a joint's trs."""

WIDTHS = {TRANSLATION: 3, ROTATION: 4, SCALE: 3, WEIGHT: 1}
"""Numbers in a value of each path."""


@dataclass(slots=True)
class Track:
    """The keys of one track as arrays, for edits.

    Attributes
    ----------
    joint, path, interpolation : int
        As in TRACK_DTYPE; the joint of a weight is the number of its morph target.
    times : ndarray, shape (K,)
        Seconds. Tracks that share one array of times share it when packed, too: keep it shared.
    values : ndarray, shape (K, W); of CUBICSPLINE (K, 3, W)
        W numbers a key: 3, of rotations 4 (x, y, z, w), of weights 1; cubic keys are in-tangent, value,
        out-tangent.
    """

    joint: int
    path: int
    interpolation: int
    times: NDArray[Any]
    values: NDArray[Any]

    @property
    def points(self) -> NDArray[Any]:
        """The values without tangents, (K, W); a view."""
        return self.values[:, 1] if self.interpolation == CUBICSPLINE else self.values


def unpacked(keys: NDArray[Any], tracks: NDArray[np.void]) -> list[Track]:
    """Return views of the keys, track by track. Tracks with the same times in `keys` share an array."""
    timelines: dict[tuple[int, int], NDArray[Any]] = {}
    result = []
    for joint, path, interpolation, count, times, values in tracks.tolist():
        timeline = timelines.setdefault((times, count), keys[times : times + count])
        width = WIDTHS[path]
        shape = (count, 3, width) if interpolation == CUBICSPLINE else (count, width)
        value_count = count * width * (3 if interpolation == CUBICSPLINE else 1)
        points = keys[values : values + value_count].reshape(shape)
        result.append(Track(joint, path, interpolation, timeline, points))
    return result


def all_tracks(clip: Clip) -> list[Track]:
    """Return the tracks of a clip, those of joints and those of weights, as `unpacked` does."""
    return unpacked(clip.keys, clip._table)


def key_times(tracks: Iterable[Track]) -> NDArray[np.float64]:
    """Return all key times, sorted, each once."""
    timelines = {id(track.times): track.times for track in tracks}
    return np.unique(np.concatenate([np.zeros(0), *timelines.values()]).astype(np.float64))


def all_key_times(clip: Clip) -> NDArray[np.float64]:
    """Return what `key_times` does of all tracks of a clip, without a view for each of them."""
    table = clip._table
    timelines = set(zip(table["times"].tolist(), table["key_count"].tolist(), strict=True))
    times = [clip.keys[begin : begin + count] for begin, count in timelines]
    return np.unique(np.concatenate([np.zeros(0), *times]).astype(np.float64))


def packed(tracks: Iterable[Track], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.void]]:
    """Return the flat storage (keys, tracks). Times that are the same array object are stored once."""
    tracks = list(tracks)
    table = np.zeros(len(tracks), TRACK_DTYPE)
    parts: list[NDArray[Any]] = [np.zeros(0, dtype)]
    places: dict[int, int] = {}  # by id: `tracks` keeps the arrays alive
    size = 0

    def place(values: NDArray[Any]) -> int:
        nonlocal size
        begin = size
        parts.append(np.asarray(values, dtype).ravel())
        size += values.size
        return begin

    for entry, track in zip(table, tracks, strict=True):
        times = places.get(id(track.times))
        if times is None:
            times = places[id(track.times)] = place(track.times)
        entry["joint"], entry["path"], entry["interpolation"] = track.joint, track.path, track.interpolation
        entry["key_count"], entry["times"], entry["values"] = len(track.times), times, place(track.values)
    return np.concatenate(parts), table
