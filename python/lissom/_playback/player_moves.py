# SPDX-License-Identifier: MIT
"""What the last step of many players passed and covered: markers, and the root motion of their clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._playback.cross_fade import MOST_CYCLES
from lissom._playback.player_clips import PlayerClips
from lissom._playback.player_space import shares_at
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


@dataclass
class _Parts:
    """Clips that played in a step, each for itself or as one of a space."""

    rows: NDArray[np.intp]  # of players
    places: NDArray[np.intp]  # of layers, and of parts in spaces: three for each layer
    begins: NDArray[np.float64]  # seconds on the clip's time line
    ends: NDArray[np.float64]
    weights: NDArray[np.float64]  # share in the pose
    is_fresh: NDArray[np.bool_]


def _parts(state: NDArray[np.void], clips: PlayerClips) -> dict[int, _Parts]:
    """Return what played, by the numbers of clips."""
    layers, heads = state["layers"], _heads(state)
    found: dict[int, list[tuple[NDArray[Any], ...]]] = {}
    for number, _ in clips.clips:
        rows, places = np.nonzero(heads & (layers["clip"] == number))
        if len(rows):
            head = layers[rows, places]
            times = head["time_before"], head["time"]
            found[number] = [(rows, 3 * places, *times, head["weight"], head["is_fresh"] == 2)]
    for number in clips.spaces:
        rows, places = np.nonzero(heads & (layers["clip"] == number))
        if not len(rows):
            continue
        head = layers[rows, places]
        shares = shares_at(clips.for_core(), number, head["parameter_shown"])
        for part in range(3):
            for played in np.unique(shares.numbers[:, part][shares.weights[:, part] > 0]).tolist():
                which = (shares.numbers[:, part] == played) & (shares.weights[:, part] > 0)
                clip, own = clips.all[played], head[which]
                times = tuple(clip.start + own[name] * clip.duration for name in ("phase_before", "phase"))
                weights = own["weight"] * shares.weights[which, part]
                row = (rows[which], 3 * places[which] + part, *times, weights, own["is_fresh"] == 2)
                found.setdefault(played, []).append(row)
    return {
        number: _Parts(*(np.concatenate(column) for column in zip(*rows_of, strict=True)))
        for number, rows_of in found.items()
    }


def events_of(state: NDArray[np.void], clips: PlayerClips) -> NDArray[np.void]:
    """Return the markers that a step passed, in the order of rows, heads and times."""
    parts: list[tuple[NDArray[Any], ...]] = []
    if not any(clip.markers for _, clip in clips.clips):
        return np.zeros(0, EVENT_DTYPE)
    for number, played in _parts(state, clips).items():
        clip: Any = clips.all[number]
        if not clip.markers:
            continue
        first = played.begins
        if clip.loop is not False and clip.duration > 0:
            first = np.maximum(first, played.ends - MOST_CYCLES * clip.duration)
        starts = played.is_fresh & (first == played.begins)
        which, times, markers = markers_passed(clip, first, played.ends, starts)
        of = played.rows[which], played.places[which], played.weights[which]
        parts.append((*of, times, markers, np.full(len(which), number)))
    if not parts:
        return np.zeros(0, EVENT_DTYPE)
    rows, places, weights, times, markers, numbers = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.lexsort((markers, times, places, rows))
    events = np.zeros(len(order), EVENT_DTYPE)
    events["player"], events["clip"], events["marker"] = (
        state["id"][rows[order]],
        numbers[order],
        markers[order],
    )
    events["time"], events["weight"] = times[order], weights[order]
    return events


def root_motion_of(state: NDArray[np.void], clips: PlayerClips) -> NDArray[np.float64]:
    """Return the moves of a step, (N, 10); players whose clips have no root motion stand still."""
    result = trs.identity(len(state), dtype=np.float64)
    if not any(clip.root_motion for _, clip in clips.clips):
        return result
    played = _parts(state, clips)
    places = 3 * state["layers"].shape[1]
    if not clips.spaces:  # one for each layer is enough
        places //= 3
        for parts in played.values():
            parts.places = parts.places // 3
    moves = trs.identity((places, len(state)), dtype=np.float64)
    shares = np.zeros((places, len(state)))
    moved = np.zeros(len(state), bool)
    for number, parts in played.items():
        clip: Any = clips.all[number]
        shares[parts.places, parts.rows] = parts.weights
        if clip.root_motion is not None:
            moved[parts.rows] = True
            steps = clip.root_motion.between(parts.begins, parts.ends, loop=clip.loop)
            moves[parts.places, parts.rows] = steps
    if moved.any():
        result[moved] = blend_root_motions(moves[:, moved], shares[:, moved])
    return result
