# SPDX-License-Identifier: MIT
"""What many players play from a call on: one clip alone, or fades to one, as `CrossFade` starts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._playback.play_checks import METHODS, Method
from lissom._playback.player_state import NO_CLIP, NO_SYNC, REMEMBERED, STORED, PlayerArrays

__all__ = ["FadeRequest", "fade", "keep_past", "start"]

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Shows(Protocol):
    """A function of rows: the poses (n, J, 10) and weights (n, M) they show, or showed a step before."""

    def __call__(
        self, rows: Rows, *, before: bool = False, layers: int = 0
    ) -> tuple[NDArray[Any], Floats]: ...


@dataclass(frozen=True)
class FadeRequest:
    """The arguments of `Players.fade_to`, checked."""

    number: int  # of the clip
    duration: Floats  # (n,)
    ease: int
    method: Method
    sync: bool
    at: Floats | None  # (n,)
    speed: Floats | None  # (n,)
    parameter: Floats | None  # (n, 2) of a space
    most_fades: int


def start(
    state: NDArray[np.void],
    rows: Rows,
    number: int,
    at: Any,
    speed: Any,
    space: tuple[Floats, Floats] | None = None,
) -> None:
    """Let rows show one clip, and nothing else; or a space, at parameters (n, 2) and phases (n,)."""
    fresh = np.zeros(len(rows), state.dtype)
    fresh["id"] = state["id"][rows]
    fresh["layer_count"] = 1
    fresh["layers"]["clip"] = NO_CLIP
    fresh["layers"]["sync"] = NO_SYNC
    lowest = fresh["layers"][:, 0]
    lowest["clip"], lowest["time"], lowest["time_before"], lowest["speed"] = number, at, at, speed
    lowest["weight"] = lowest["fade"] = lowest["fade_before"] = 1
    lowest["is_fresh"] = 1
    if space is not None:
        parameters, phases = space
        for name in ("parameter", "parameter_shown", "parameter_before"):
            lowest[name] = parameters
        lowest["sync"], lowest["phase"], lowest["phase_before"] = 0, phases, phases
    state[rows] = fresh


def fade(
    arrays: PlayerArrays, clips: _core.PlayerClips, rows: Rows, request: FadeRequest, shows: Shows, where: str
) -> None:
    """Start the fades of rows, all of which play."""
    if request.method == "blend":
        _make_room(arrays, clips, rows, request, shows)
    else:
        arrays.need("curves", "weight_curves", "past", "past_weights")
    clips.fade(
        where,
        arrays.for_core(),
        arrays.for_transitions(),
        rows,
        request.number,
        request.ease,
        METHODS.index(request.method),
        request.sync,
        request.duration,
        request.at,
        request.speed,
        request.parameter,
    )


def _make_room(
    arrays: PlayerArrays, clips: _core.PlayerClips, rows: Rows, request: FadeRequest, shows: Shows
) -> None:
    """Make room for a further layer of those rows that will blend."""
    state = arrays.state
    goes = request.duration > 0
    counts = state["layer_count"][rows]
    if request.at is None:
        tops = state["layers"]["head"][rows, counts - 1]
        goes &= state["layers"]["clip"][rows, tops] != request.number
    if not goes.all():
        rows, counts = rows[goes], counts[goes]
    if not len(rows):
        return
    if counts.max() > request.most_fades:
        full = rows[counts - state["covered"][rows] > request.most_fades]
        if len(full):
            keep_past(arrays, full, shows)
            arrays.need("frozen", "frozen_weights")
            still = shows(full, layers=2)
            clips.freeze(arrays.for_core(), full, arrays.joints)
            arrays.frozen[full], arrays.frozen_weights[full] = still  # type: ignore[index]
            counts = state["layer_count"][rows]
    arrays.need_layers(int(counts.max()) + 1)


def keep_past(arrays: PlayerArrays, rows: Rows, shows: Shows) -> None:
    """Store the poses before the last step, where they are known by what the state remembers alone."""
    rows = rows[arrays.state["past"][rows] == REMEMBERED]
    if not len(rows):
        return
    arrays.need("past", "past_weights")
    assert arrays.past is not None
    assert arrays.past_weights is not None
    arrays.past[rows], arrays.past_weights[rows] = shows(rows, before=True)
    arrays.state["past"][rows] = STORED
