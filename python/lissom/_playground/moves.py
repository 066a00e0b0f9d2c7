# SPDX-License-Identifier: MIT
"""What a drag in the page means: handles by their ids, moved to positions in model space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._playground import editing
from lissom._playground.turning import rotation_of, turned

if TYPE_CHECKING:
    from lissom._playground.playground import Playground
    from lissom.ik._chain import Chain


def move(
    playground: Playground, moves: Mapping[str, Sequence[float]], gesture: object, seconds: float
) -> None:
    """Move handles, as was asked for at a time, and solve once for all; nothing changes if one is refused."""
    state = playground._state
    rows: dict[str, Any] = {
        "target": state.targets.copy(),
        "pole": state.poles.copy(),
        "turn": state.orientations.copy(),
    }
    chains, body = state.chains, None
    moved = False
    for handle, position in moves.items():
        which, *where = handle.split(":")
        if which == "limit":
            chains = _bounded(playground, chains, int(where[0]), where[1], position)
            continue
        moved = True
        if which == "body":
            body = position
        elif which == "turn":
            index, axis = map(int, where)
            direction = np.asarray(position, np.float64) - rows["target"][index]
            rows["turn"][index] = turned(rows["turn"][index], axis, direction)
        else:
            rows[which][int(where[0])] = position
    if moved:
        playground._move(rows["target"], rows["pole"], rows["turn"], body, gesture, seconds, chains)
    else:
        editing.take_chains(playground, chains, gesture, seconds)


def orient(playground: Playground, index: int, on: bool) -> None:
    """Request the orientation that an effector has now, or none."""
    rows = playground._state.orientations.copy()
    chain = playground.chains[index]
    skeleton = chain.skeleton
    rows[index] = rotation_of(skeleton, playground.pose, int(chain.joints[-1])) if on else np.nan
    playground._move(None, None, rows, None)


def _bounded(
    playground: Playground, chains: tuple[Chain, ...], joint: int, name: str, position: Sequence[float]
) -> tuple[Chain, ...]:
    """Return chains in which a bound is where its handle was dragged to."""
    model = playground._model_matrices()
    for gizmo in playground._gizmos():
        if gizmo.joint == joint and name in gizmo.grips(playground.pose, model):
            bounds = {name: gizmo.bound_at(name, position, playground.pose, model)}
            return editing.bounded_chains(chains, joint, bounds)
    return chains
