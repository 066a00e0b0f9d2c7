# SPDX-License-Identifier: MIT
"""Characters that move through the world: how their model spaces move from step to step."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from lissom import quat
from lissom._base.arrays import finite_floats
from lissom._base.numbers import refuse_larger
from lissom._base.pose_batch import Shape

__all__ = ["Motion", "checked_world", "motion_of"]

Floats = NDArray[np.float64]

UNIT = 1e-3  # how far the length of a rotation, and a scale, may be from 1


class Motion(NamedTuple):
    """What the core takes of the world, for F frames and N characters; None where they stand still.

    ``moves`` (F, N, 7) are model space from that of the frame before, translation and rotation, and ``turns``
    (F, N, 4) the rotations of world_from_model.
    """

    moves: NDArray[Any] | None
    turns: NDArray[Any] | None


STILL = Motion(None, None)


def checked_world(world: ArrayLike, batch: Shape, what: str) -> Floats:
    """Return world_from_model of characters, (N, 10); refuse what is not rigid."""
    places = finite_floats(world, what)
    if places.shape != (*batch, 10):
        raise ValueError(f"{what} must have shape {(*batch, 10)} for these poses, got {places.shape}")
    refuse_larger(places, what)
    places = places.reshape(prod(batch), 10)
    length = np.linalg.norm(places[:, 3:7], axis=-1)
    is_rigid = (np.abs(length - 1) <= UNIT) & (np.abs(places[:, 7:] - 1) <= UNIT).all(axis=-1)
    if not is_rigid.all():
        first = places[np.flatnonzero(~is_rigid)[0]]
        raise ValueError(f"{what} must have unit rotations and scale 1, got {first.tolist()}")
    places[:, 3:7] /= length[:, None]
    return places


def motion_of(places: Floats | None, dtype: DTypeLike) -> Motion:
    """Return the motion of world_from_model (1 + F, N, 10), the first of which is that before all frames."""
    if places is None:
        return STILL
    now, before = places[1:], places[:-1]
    back = quat.conjugate(now[..., 3:7])
    moves = np.empty((*now.shape[:-1], 7))
    moves[..., :3] = quat.rotate(back, before[..., :3] - now[..., :3])
    moves[..., 3:] = quat.multiply(back, before[..., 3:7])
    return Motion(moves.astype(dtype), np.ascontiguousarray(now[..., 3:7], dtype))
