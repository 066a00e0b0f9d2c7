# SPDX-License-Identifier: MIT
"""Which axis of a recording points up, and the turn that makes it y."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import unknown_name
from lissom._files.recorded_body import RecordedBody

__all__ = ["TURNS", "Turn", "checked_up", "guess_up"]

CLEARLY = 0.9  # cosine between an axis and the way from the feet to the head


class Turn(NamedTuple):
    """A rotation by quarters, whose result is exact: a number comes from another column, with a sign."""

    columns: tuple[int, int, int]
    signs: tuple[int, int, int]

    def of(self, vectors: NDArray[Any]) -> NDArray[Any]:
        """Return vectors, (..., 3), turned: places, or the x, y, z of rotations."""
        turned: NDArray[Any] = vectors[..., list(self.columns)] * np.array(self.signs, vectors.dtype)
        return turned


TURNS = {
    "y": Turn((0, 1, 2), (1, 1, 1)),
    "z": Turn((0, 2, 1), (1, 1, -1)),
    "x": Turn((1, 0, 2), (-1, 1, 1)),
    "-y": Turn((0, 1, 2), (1, -1, -1)),
    "-z": Turn((0, 2, 1), (1, -1, 1)),
    "-x": Turn((1, 0, 2), (1, -1, 1)),
}
"""By the axis that points up, the turn that makes it y: the shortest, of -y half a turn about x."""


def checked_up(up: str | None, function: str) -> str | None:
    """Return an axis, or None. ValueError for another name, TypeError for another type."""
    if up is not None and not isinstance(up, str):
        raise TypeError(f"{function}: up must be the name of an axis or None, got {type(up).__name__}")
    if up is not None and up not in TURNS:
        raise ValueError(f"{function}: {unknown_name('axis', up, TURNS)}")
    return up


def guess_up(body: RecordedBody) -> str:
    """Return the axis from the feet of a body to its head; "y" where poses differ in it."""
    axes = {_axis(body, pose) for pose in body.poses}
    return axes.pop() if len(axes) == 1 else "y"


def _axis(body: RecordedBody, pose: NDArray[Any]) -> str:
    places = body.skeleton.positions(pose)
    upwards = places[body.head] - places[list(body.feet)].mean(axis=0)
    axis = int(np.abs(upwards).argmax())
    if not abs(upwards[axis]) > CLEARLY * np.linalg.norm(upwards):
        return "y"
    return ("-" if upwards[axis] < 0 else "") + "xyz"[axis]
