# SPDX-License-Identifier: MIT
"""Fades of many players to one clip: what `CrossFade.fade_to` does, for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.numbers import LARGEST
from lissom._playback.inertializer import Quintic, Spring, differences, spring_halflife
from lissom._playback.play_checks import Method
from lissom._playback.play_head import extrapolated_back
from lissom._playback.player_state import (
    NO_CLIP,
    NO_SYNC,
    QUINTIC,
    REMEMBERED,
    SPRING,
    STORED,
    PlayerArrays,
)
from lissom.clip import Clip

__all__ = ["FadeRequest", "fade", "keep_past", "start"]

_TOGETHER = 128  # players whose poses and their differences stay in the caches

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Shows(Protocol):
    """A function of rows: the poses (n, J, 10) and weights (n, M) they show, or showed a step before."""

    def __call__(
        self, rows: Rows, *, before: bool = False, layers: int = 0
    ) -> tuple[NDArray[Any], Floats]: ...


@dataclass(frozen=True)
class FadeRequest:
    """The arguments of `Players.fade_to`, checked, and what it knows of the clip."""

    clip: Clip
    number: int
    duration: Floats  # (n,)
    ease: int
    method: Method
    sync: bool
    at: Floats | None  # (n,)
    speed: Floats | None  # (n,)
    rest_weights: Floats  # (M,)
    cycles: NDArray[np.bool_]  # of all clips: whether they have a phase
    starts: Floats  # of all clips, seconds
    durations: Floats
    most_fades: int


def start(state: NDArray[np.void], rows: Rows, number: int, at: Any, speed: Any) -> None:
    """Let rows show one clip, and nothing else."""
    fresh = np.zeros(len(rows), state.dtype)
    fresh["id"] = state["id"][rows]
    fresh["layer_count"] = 1
    fresh["layers"]["clip"] = NO_CLIP
    fresh["layers"]["sync"] = NO_SYNC
    lowest = fresh["layers"][:, 0]
    lowest["clip"], lowest["time"], lowest["time_before"], lowest["speed"] = number, at, at, speed
    lowest["weight"] = lowest["fade"] = lowest["fade_before"] = 1
    lowest["is_fresh"] = 1
    state[rows] = fresh


def fade(arrays: PlayerArrays, rows: Rows, request: FadeRequest, shows: Shows, freeze: Any) -> None:
    """Start the fades of rows, all of which play."""
    tops, found = _heads(arrays.state[rows], request)
    layers = arrays.state["layers"]
    if request.at is None:
        same = layers["clip"][rows, tops] == request.number
        if request.speed is not None:
            layers["speed"][rows[same], tops[same]] = request.speed[same]
    else:
        same = np.zeros(len(rows), bool)
        found = np.full_like(found, -1)
    ends = ~same & (request.duration == 0)
    goes = ~same & ~ends
    if ends.any():
        _cut(arrays, rows[ends], _new_heads(arrays, rows[ends], tops[ends], found[ends], request, ends))
    begin = _blend if request.method == "blend" else _inertialize
    for part in np.split(np.flatnonzero(goes), range(_TOGETHER, int(goes.sum()), _TOGETHER)):
        if part.size:
            which = np.zeros(len(rows), bool)
            which[part] = True
            begin(arrays, rows[part], tops[part], found[part], which, request, shows, freeze)


def _heads(state: NDArray[np.void], request: FadeRequest) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the layer that owns the topmost head, and the one that owns the clip's latest head, or -1."""
    layers, index = state["layers"], np.arange(len(state))
    heads = layers["head"]
    top = heads[index, state["layer_count"] - 1].astype(np.int64)
    found = np.full(len(state), -1, np.int64)
    for i in range(heads.shape[1]):
        live = (i >= state["covered"]) & (i < state["layer_count"])
        first = live.copy()
        for k in range(i):
            first &= ~((k >= state["covered"]) & (heads[:, k] == heads[:, i]))
        plays = first & (layers["clip"][index, np.where(live, heads[:, i], 0)] == request.number)
        found = np.where(plays, heads[:, i], found)
    return top, found


def _new_heads(
    arrays: PlayerArrays,
    rows: Rows,
    tops: Rows,
    found: Rows,
    request: FadeRequest,
    which: NDArray[np.bool_],
) -> NDArray[np.void]:
    """Return the heads of the clip, as layers: those that play, or new ones, maybe in step."""
    layers = arrays.state["layers"]
    heads: NDArray[np.void] = layers[rows, np.maximum(found, 0)]
    new = found < 0
    fresh = np.zeros(len(rows), heads.dtype)
    fresh["clip"], fresh["sync"], fresh["is_fresh"] = request.number, NO_SYNC, 1
    fresh["time"] = request.clip.start if request.at is None else request.at[which]
    fresh["time_before"] = fresh["time"]
    fresh["speed"] = 1.0
    if request.sync:
        leader = layers[rows, tops]
        steps = new & request.cycles[leader["clip"]] & (leader["clip"] >= 0)
        alone = steps & (leader["sync"] == NO_SYNC)
        clips = leader["clip"][alone]
        phases = (leader["time"][alone] - request.starts[clips]) / request.durations[clips]
        leader["sync"][alone] = 1 + layers["sync"][rows[alone]].max(axis=1, initial=NO_SYNC)
        leader["phase"][alone] = leader["phase_before"][alone] = phases
        layers[rows[alone], tops[alone]] = leader[alone]
        fresh["sync"] = np.where(steps, leader["sync"], NO_SYNC)
        fresh["phase"] = fresh["phase_before"] = np.where(steps, leader["phase"], 0.0)
        in_step = request.clip.start + leader["phase"] * request.clip.duration
        fresh["time"] = np.where(steps, in_step, fresh["time"])
        fresh["time_before"] = fresh["time"]
    heads = np.where(new, fresh, heads)
    if request.speed is not None:
        heads["speed"] = request.speed[which]
    return heads


def _cut(arrays: PlayerArrays, rows: Rows, heads: NDArray[np.void]) -> None:
    """Let the heads show alone."""
    start(arrays.state, rows, 0, 0.0, 0.0)
    state = arrays.state[rows]
    for name in ("clip", "time", "time_before", "phase", "phase_before", "speed", "sync", "is_fresh"):
        state["layers"][name][:, 0] = heads[name]
    arrays.state[rows] = state


def _blend(
    arrays: PlayerArrays,
    rows: Rows,
    tops: Rows,
    found: Rows,
    which: NDArray[np.bool_],
    request: FadeRequest,
    shows: Shows,
    freeze: Any,
) -> None:
    state = arrays.state[rows]
    full = state["layer_count"] - state["covered"] > request.most_fades
    shown, _ = shows(rows)
    if full.any():
        keep_past(arrays, rows[full], shows)
        arrays.need("frozen", "frozen_weights")
        still = shows(rows[full], layers=2)
        freeze(rows[full])
        arrays.frozen[rows[full]], arrays.frozen_weights[rows[full]] = still  # type: ignore[index]
        tops[full], found[full] = _heads(arrays.state[rows[full]], request)
        if request.at is not None:
            found[full] = -1
    heads = _new_heads(arrays, rows, tops, found, request, which)
    slots = arrays.state["layer_count"][rows].astype(np.int64)
    arrays.need_layers(int(slots.max()) + 1)
    layers = arrays.state["layers"]
    new = found < 0
    layer = np.zeros(len(rows), layers.dtype)
    layer[new] = heads[new]
    layer["clip"][~new], layer["sync"][~new] = NO_CLIP, NO_SYNC
    layer["head"] = np.where(new, slots, found)
    layer["duration"], layer["ease"] = request.duration[which], request.ease
    if request.speed is not None:
        layers["speed"][rows[~new], found[~new]] = request.speed[which][~new]
    layers[rows, slots] = layer
    arrays.state["layer_count"][rows] = slots + 1
    target = request.clip.sample(heads["time"]).astype(arrays.dtype)
    _remember(arrays, rows, slots - 1, shown, target)


def _remember(
    arrays: PlayerArrays, rows: Rows, fades: Rows, below: NDArray[Any], target: NDArray[Any]
) -> None:
    """Let fades begin along the shorter arcs."""
    points = np.stack([below[..., 3:7], target[..., 3:7]], axis=1)  # (n, 2, J, 4)
    points[:, 1] *= np.where(quat.dot(points[:, 0], points[:, 1]) < 0, -1, 1).astype(arrays.dtype)[..., None]
    joints = points.shape[2]
    padded = np.zeros((len(rows), 2, 4, arrays.stride), arrays.dtype)
    padded[:, :, 3] = 1  # beyond the joints there is no rotation
    padded[..., :joints] = points.swapaxes(2, 3)
    arrays.points[rows, fades] = padded
    arrays.held[rows, fades] = 0
    arrays.differences[rows, fades] = 0


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


def _inertialize(
    arrays: PlayerArrays,
    rows: Rows,
    tops: Rows,
    found: Rows,
    which: NDArray[np.bool_],
    request: FadeRequest,
    shows: Shows,
    freeze: Any,
) -> None:
    keep_past(arrays, rows, shows)
    shown, shown_weights = shows(rows)
    heads = _new_heads(arrays, rows, tops, found, request, which)
    clip, times = request.clip, heads["time"]
    now = np.asarray(clip.sample(times), np.float64)
    target = now.astype(arrays.dtype).astype(np.float64)
    shown = shown.astype(np.float64)
    weights = _weights(request, times)
    state = arrays.state[rows]
    moves = (state["past"] == STORED) & (state["dt"] >= 1 / LARGEST)
    steps = times[moves] + state["dt"][moves] * heads["speed"][moves]
    ahead = np.asarray(clip.sample(steps), np.float64)
    curves = _curves(request, which)
    arrays.need("curves", "weight_curves")
    joints = arrays.joints

    def write(select: NDArray[np.bool_], past: Any, weight_speed: Floats) -> None:
        at = rows[select]
        if not len(at):
            return
        difference, velocity = differences(
            shown[select].reshape(-1, 10), target[select].reshape(-1, 10), past
        )
        curve_rows, ends, rate = curves(select, difference, velocity, joints)
        arrays.curves[at, : curve_rows.shape[1], :joints] = curve_rows  # type: ignore[index]
        away = (shown_weights[select] - weights[select]).reshape(1, -1, 1)
        weight_rows, weight_ends, _ = curves(select, away, weight_speed.reshape(1, -1, 1), arrays.morphs)
        arrays.weight_curves[at, : weight_rows.shape[1]] = weight_rows  # type: ignore[index]
        state["pose_end"][select], state["weights_end"][select] = ends, weight_ends
        state["rate"][select] = rate

    past = None
    weight_speed = np.zeros((int(moves.sum()), arrays.morphs))
    if moves.any():
        assert arrays.past is not None
        assert arrays.past_weights is not None
        dt = state["dt"][moves]
        back = extrapolated_back(target[moves], now[moves], ahead)
        before = arrays.past[rows[moves]].astype(np.float64)
        past = (before.reshape(-1, 10), back.reshape(-1, 10), np.repeat(dt, joints)[:, None])
        # `weights - previous_weights` of CrossFade, in its order of operations.
        previous = weights[moves] + (weights[moves] - _weights(request, steps))
        change = (shown_weights[moves] - arrays.past_weights[rows[moves]]) - (weights[moves] - previous)
        weight_speed = change / dt[:, None]
    write(moves, past, weight_speed)
    write(~moves, None, np.zeros((int((~moves).sum()), arrays.morphs)))

    kept = {name: state[name].copy() for name in ("past", "dt", "pose_end", "weights_end", "rate")}
    _cut(arrays, rows, heads)
    for name, values in kept.items():
        arrays.state[name][rows] = values
    arrays.state["inertia"][rows] = SPRING if request.method == "spring" else QUINTIC


def _weights(request: FadeRequest, times: Floats) -> Floats:
    if request.clip.morph_names:
        return np.asarray(request.clip.morphs(times), np.float64)
    return np.tile(request.rest_weights, (len(times), 1))


def _curves(request: FadeRequest, which: NDArray[np.bool_]) -> Any:
    """Return a function that lays out the curves of some players as the core takes them.

    From differences and velocities (kinds, n * joints, width) it makes (n, rows, joints), when they end, and
    the rate of springs.
    """
    durations = request.duration[which]

    def lay(
        select: NDArray[np.bool_], difference: Floats, velocity: Floats, joints: int
    ) -> tuple[Floats, Floats, Floats]:
        seconds, (kinds, _, width) = durations[select], difference.shape
        count = len(seconds)

        def rows(values: Floats) -> Floats:
            """(kinds, n * joints, width) to (n, kinds * width, joints)."""
            split = values.reshape(kinds, count, joints, values.shape[-1])
            return split.transpose(1, 0, 3, 2).reshape(count, kinds * values.shape[-1], joints)

        if request.method != "spring":
            curve = Quintic(difference, velocity, np.repeat(seconds, joints))
            # Coefficient by coefficient, each of all kinds.
            parts = [rows(curve.directions), *(rows(c[..., None]) for c in curve.coefficients)]
            ends = curve.ends.reshape(kinds, count, joints).max(axis=(0, 2), initial=0)
            return np.concatenate([*parts, rows(curve.times[..., None])], axis=1), ends, np.zeros(count)
        laid = np.zeros((count, 3 * kinds * width, joints))
        rates = np.zeros(count)
        for duration in np.unique(seconds):
            of_all = np.repeat(seconds, joints) == duration
            of_players = seconds == duration
            spring = Spring(
                difference[:, of_all], velocity[:, of_all], spring_halflife(float(duration)), float(duration)
            )
            several = int(of_players.sum())
            parts = [
                part.reshape(kinds, several, joints, width)
                .transpose(1, 0, 3, 2)
                .reshape(several, kinds * width, joints)
                for part in (spring.start, spring.slope, spring.last)
            ]
            laid[of_players] = np.concatenate(parts, axis=1)
            rates[of_players] = spring.rate
        return laid, seconds.copy(), rates

    return lay
