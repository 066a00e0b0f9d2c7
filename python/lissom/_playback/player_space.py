# SPDX-License-Identifier: MIT
"""Blend spaces that many players play, each at a parameter of its own."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._playback.blend_space import FARTHEST, BlendSpace1D, BlendSpace2D
from lissom._playback.player_numbers import number_of_each
from lissom.clip import Clip

__all__ = ["BlendSpace", "PlayerSource", "Shares", "hold_space", "parameters_for", "shares_at"]

BlendSpace: TypeAlias = BlendSpace1D | BlendSpace2D
PlayerSource: TypeAlias = Clip | BlendSpace
"""What players play."""

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


class Shares(NamedTuple):
    """The clips that a blend space is blended from, for n parameters."""

    numbers: NDArray[np.int32]  # (n, 3) of clips; -1: none
    weights: Floats  # (n, 3)
    seconds: Floats  # (n,) of a cycle


def shares_at(held: _core.PlayerClips, number: int, parameters: Floats) -> Shares:
    """Return the shares of a space's clips at parameters (n, 2)."""
    count = len(parameters)
    found = Shares(np.empty((count, 3), np.int32), np.empty((count, 3)), np.empty(count))
    held.shares(number, np.ascontiguousarray(parameters), *found)
    return found


def hold_space(
    held: _core.PlayerClips, space: BlendSpace, numbers: list[int], rest_weights: Floats, loop: int
) -> None:
    """Add a space, whose clips have these numbers, to what the core holds."""
    is_double = space._dtype == np.float64
    knows = bool(space.morph_names)
    defaults = space.morph_defaults.astype(np.float64) if knows else np.zeros(0)
    held.add_space(
        numbers,
        bool(is_double),
        space.additive,
        defaults.tolist(),
        rest_weights.tolist(),
        loop,
        *space._for_core(),
    )


def parameters_for(source: PlayerSource, value: ArrayLike | None, count: int, where: str) -> Floats | None:
    """Return the parameter of each of `count` players, (n, 2), as the state has it; None if not given."""
    if value is None:
        return None
    what = f"{where}: parameter"
    if isinstance(source, Clip):
        raise ValueError(f"{what} must be omitted for a clip, got one for {source.name!r}; it is of spaces")
    return _checked(value, count, 1 if isinstance(source, BlendSpace1D) else 2, what)


def _checked(value: ArrayLike, count: int, dimensions: int, what: str) -> Floats:
    parameters = np.zeros((count, 2))
    if dimensions == 1:
        parameters[:, 0] = number_of_each(value, what, count, -FARTHEST, FARTHEST)
        return parameters
    points = as_numbers(value, what).astype(np.float64)
    if points.shape not in ((2,), (count, 2)):
        raise ValueError(
            f"{what} must be one point (2,), or one for each of {count} players, got {points.shape}"
        )
    wrong = ~(np.abs(points) <= FARTHEST)
    if wrong.any():
        raise ValueError(f"{what} must be finite and within {FARTHEST:g}, got {points[wrong][0]:g}")
    parameters[:] = points
    return parameters


def own_parameter(space: BlendSpace) -> Floats:
    """Return the parameter that a space has by itself, (2,), as the state has it."""
    return np.array([space.value, 0.0]) if isinstance(space, BlendSpace1D) else space.point.copy()


def played_parameters(state: NDArray[np.void], rows: Rows, number: int, space: BlendSpace) -> Floats:
    """Return the parameters (n, 2) at which rows play a space, or its own where they do not."""
    parameters = np.tile(own_parameter(space), (len(rows), 1))
    plays = playing(state[rows], number)
    for layer in range(plays.shape[1]):
        which = plays[:, layer]
        parameters[which] = state["layers"]["parameter"][rows[which], layer]
    return parameters


def playing(state: NDArray[np.void], number: int) -> NDArray[np.bool_]:
    """Return which layers, (n, L), own a play head of the clip or space."""
    layers, index = state["layers"], np.arange(state["layers"].shape[1])
    live = (index >= state["covered"][:, None]) & (index < state["layer_count"][:, None])
    # A covered layer may own the head of one that is not.
    owners = np.zeros(live.shape, bool)
    rows, places = np.nonzero(live)
    owners[rows, layers["head"][rows, places]] = True
    return np.asarray(owners & (layers["clip"] == number))


def set_parameters(state: NDArray[np.void], rows: Rows, number: int, parameters: Floats) -> None:
    """Let rows that play a space go on at other parameters."""
    which, layers = np.nonzero(playing(state[rows], number))
    state["layers"]["parameter"][rows[which], layers] = parameters[which]


def move_rows(
    state: NDArray[np.void],
    rows: Rows,
    sources: list[PlayerSource],
    value: ArrayLike,
    space: PlayerSource | None,
    where: str,
) -> None:
    """Move the parameters of all spaces that rows play, or of one of them."""
    what = f"{where}: parameter"
    if space is not None:
        if isinstance(space, Clip) or not isinstance(space, (BlendSpace1D, BlendSpace2D)):
            raise TypeError(f"{where}: space must be a blend space, got {type(space).__name__}")
        wanted = [(n, s) for n, s in enumerate(sources) if s is space]
        parameters = _checked(value, len(rows), 1 if isinstance(space, BlendSpace1D) else 2, what)
        for number, _ in wanted:
            set_parameters(state, rows, number, parameters)
        return
    spaces = [(n, s) for n, s in enumerate(sources) if not isinstance(s, Clip)]
    has_lines = any(isinstance(s, BlendSpace1D) for _, s in spaces)
    array = as_numbers(value, what)
    is_point = array.ndim == 2 or (array.ndim == 1 and not has_lines and bool(spaces))
    parameters = _checked(value, len(rows), 2 if is_point else 1, what)
    for number, each in spaces:
        if isinstance(each, BlendSpace2D) == is_point:
            set_parameters(state, rows, number, parameters)
