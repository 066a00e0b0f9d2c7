# SPDX-License-Identifier: MIT
"""Levels of detail of a crowd: what an instance of a certain height on the picture is drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.numbers import check_number
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._crowd.bounds import Seen
    from lissom.gpu._impostors import Impostors

__all__ = ["Group", "checked_impostors", "checked_levels", "checked_mesh", "groups", "level_of"]


class Group(NamedTuple):
    """Instances that are drawn alike.

    Attributes
    ----------
    members : ndarray of int
        Places in what was seen.
    level : int
        Of the mesh; -1: an impostor.
    in_picture : bool
        False where the shadow alone is drawn.
    """

    members: NDArray[np.intp]
    level: int
    in_picture: bool


def groups(found: Seen, limits: Sequence[float], impostor_pixels: float) -> list[Group]:
    """Sort what is seen by what it is drawn with.

    Parameters
    ----------
    found : Seen
        Nearest first, and so is each group.
    limits : sequence of float
        As `level_of` takes them. What casts a shadow and is not in the picture is drawn with the last level.
    impostor_pixels : float
        Height in pixels below which an impostor is drawn; 0: never.
    """
    level = level_of(found.pixels, limits)
    level[~found.in_picture] = len(limits)
    level[found.in_picture & (found.pixels < impostor_pixels)] = -1
    result = []
    for k in range(-1, len(limits) + 1):
        for in_picture in (True, False):
            members = np.flatnonzero((level == k) & (found.in_picture == in_picture))
            if len(members):
                result.append(Group(members, k, in_picture))
    return result


def level_of(pixels: NDArray[np.float32], limits: Sequence[float]) -> NDArray[np.intp]:
    """Return the level of instances: how many limits their height in pixels is below.

    Parameters
    ----------
    pixels : ndarray of float32, shape (n,)
        Heights on the picture.
    limits : sequence of float
        Falling, in pixels.

    Returns
    -------
    ndarray of int, shape (n,)
        0: the whole mesh; k: what is drawn below limit k - 1.
    """
    rising = np.asarray(limits, np.float64)[::-1]
    return len(rising) - np.searchsorted(rising, pixels, side="right")


def checked_mesh(mesh: object, caller: str) -> Mesh:
    """Return a mesh, or what a prepared one results in; refuse what is none."""
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if not isinstance(mesh, Mesh):
        raise TypeError(f"{caller}: expected a Mesh, got {type(mesh).__name__}")
    return mesh


def checked_levels(levels: Any, caller: str) -> list[tuple[Mesh, float]]:
    """Return pairs of a mesh and a height in pixels, the greatest height first; refuse what are none."""
    result = []
    for i, pair in enumerate(levels):
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(
                f"{caller}: levels: expected pairs (mesh, pixels), got {type(pair).__name__} at place {i}"
            )
        mesh = checked_mesh(pair[0], f"{caller}: levels: mesh {i}")
        result.append((mesh, check_number(pair[1], f"{caller}: levels: pixels of mesh {i}", above_zero=True)))
    return sorted(result, key=lambda level: -level[1])


def checked_impostors(impostors: Any, caller: str) -> tuple[Impostors | None, float]:
    """Return impostors and the height in pixels below which they are drawn; refuse what are none."""
    from lissom.gpu._impostors import Impostors

    if impostors is None:
        return None, 0.0
    if not isinstance(impostors, Sequence) or len(impostors) != 2 or not isinstance(impostors[0], Impostors):
        got = type(impostors).__name__
        raise TypeError(f"{caller}: impostors: expected a pair (Impostors, pixels), got {got}")
    return impostors[0], check_number(impostors[1], f"{caller}: impostors: pixels", above_zero=True)
