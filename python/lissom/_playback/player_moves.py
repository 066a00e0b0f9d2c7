# SPDX-License-Identifier: MIT
"""What the last step of many players passed and covered: markers, and the root motion of their clips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._playback.cross_fade import MOST_CYCLES
from lissom.clip import Clip
from lissom.clip._markers import markers_passed
from lissom.clip._root_motion import blend_root_motions

__all__ = ["EVENT_DTYPE", "events_of", "root_motion_of"]

EVENT_DTYPE = np.dtype(
    [("player", "<i8"), ("clip", "<i4"), ("marker", "<i4"), ("time", "<f8"), ("weight", "<f8")]
)


def _heads(state: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return which layers own a play head that showed in the last step, (N, L)."""
    layers, numbers = state["layers"], np.arange(state["layers"].shape[1])
    owns = (layers["head"] == numbers) & (layers["clip"] >= 0)
    return np.asarray(owns & (numbers < state["layer_count"][:, None]))


def events_of(state: NDArray[np.void], clips: Sequence[Clip]) -> NDArray[np.void]:
    """Return the markers that a step passed, in the order of rows, heads and times."""
    parts: list[tuple[NDArray[Any], ...]] = []
    layers, heads = state["layers"], _heads(state)
    for number, clip in enumerate(clips):
        if not clip.markers:
            continue
        rows, places = np.nonzero(heads & (layers["clip"] == number))
        head = layers[rows, places]
        begin, end = head["time_before"], head["time"]
        first = begin
        if clip.loop is not False and clip.duration > 0:
            first = np.maximum(begin, end - MOST_CYCLES * clip.duration)
        starts = (head["is_fresh"] == 2) & (first == begin)
        which, times, markers = markers_passed(clip, first, end, starts)
        parts.append((rows[which], places[which], times, markers, np.full(len(which), number)))
    if not parts:
        return np.zeros(0, EVENT_DTYPE)
    rows, places, times, markers, numbers = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((markers, times, places, rows))
    rows, places = rows[order], places[order]
    events = np.zeros(len(order), EVENT_DTYPE)
    events["player"], events["clip"], events["marker"] = state["id"][rows], numbers[order], markers[order]
    events["time"], events["weight"] = times[order], layers["weight"][rows, places]
    return events


def root_motion_of(state: NDArray[np.void], clips: Sequence[Clip]) -> NDArray[np.float64]:
    """Return the moves of a step, (N, 10); players whose clips have no root motion stand still."""
    layers, heads = state["layers"], _heads(state)
    moves = trs.identity((heads.shape[1], len(state)), dtype=np.float64)
    moved = np.zeros(len(state), bool)
    for number, clip in enumerate(clips):
        if clip.root_motion is None:
            continue
        rows, places = np.nonzero(heads & (layers["clip"] == number))
        head = layers[rows, places]
        moves[places, rows] = clip.root_motion.between(head["time_before"], head["time"], loop=clip.loop)
        moved[rows] = True
    result = trs.identity(len(state), dtype=np.float64)
    if moved.any():
        weights = np.where(heads, layers["weight"], 0.0).T[:, moved]
        result[moved] = blend_root_motions(moves[:, moved], weights)
    return result
