# SPDX-License-Identifier: MIT
"""Levels of detail of a crowd: which mesh or impostor an instance is drawn with, by its height in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.numbers import check_number
from lissom._lod.default_levels import LAST_FACE
from lissom.gpu._arguments import checked_mesh
from lissom.gpu._impostors import Impostors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._crowd.bounds import Visible
    from lissom._rig.mesh import Mesh

__all__ = ["Group", "checked_impostors", "checked_levels", "groups", "is_morphed", "level_of"]


class Group(NamedTuple):
    """Instances that are drawn with the same mesh.

    Attributes
    ----------
    members : ndarray of int
        Indices into `Visible`.
    level : int
        Of the mesh; -1 for impostors.
    in_picture : bool
        False where only the shadow is drawn.
    """

    members: NDArray[np.intp]
    level: int
    in_picture: bool


def groups(
    visible: Visible, heights: NDArray[np.float32], limits: Sequence[float], impostor_pixels: float
) -> list[Group]:
    """Group visible instances by what they are drawn with.

    Parameters
    ----------
    visible : Visible
        Nearest first, and so is each group.
    heights : ndarray of float32, shape (n,)
        In pixels, which the limits are compared with.
    limits : sequence of float
        As in `level_of`. Instances of which only the shadow is in the picture get the last level.
    impostor_pixels : float
        Height in pixels below which an impostor is drawn; 0 for never.
    """
    level = level_of(heights, limits)
    level[~visible.in_picture] = len(limits)
    level[visible.in_picture & (visible.pixels < impostor_pixels)] = -1
    result = []
    for k in range(-1, len(limits) + 1):
        for in_picture in (True, False):
            members = np.flatnonzero((level == k) & (visible.in_picture == in_picture))
            if len(members):
                result.append(Group(members, k, in_picture))
    return result


def level_of(pixels: NDArray[np.float32], limits: Sequence[float]) -> NDArray[np.intp]:
    """Return the level of detail of instances: how many limits their heights are below.

    Parameters
    ----------
    pixels : ndarray of float32, shape (n,)
        Heights on the picture.
    limits : sequence of float
        Descending, in pixels.

    Returns
    -------
    ndarray of int, shape (n,)
        0 for the whole mesh; k for the mesh drawn below limit k - 1.
    """
    ascending = np.asarray(limits, np.float64)[::-1]
    return len(ascending) - np.searchsorted(ascending, pixels, side="right")


def checked_levels(levels: Any, caller: str) -> list[tuple[Mesh, float]]:
    """Return pairs of a mesh and a height in pixels, the largest height first."""
    if isinstance(levels, (str, bytes)) or not isinstance(levels, Iterable):
        raise TypeError(f"{caller}: levels must be pairs (mesh, pixels), got {type(levels).__name__}")
    result = []
    for i, pair in enumerate(levels):
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(
                f"{caller}: levels must be pairs (mesh, pixels), got {type(pair).__name__} at index {i}"
            )
        mesh = checked_mesh(pair[0], f"{caller}: levels: mesh {i}")
        result.append((mesh, check_number(pair[1], f"{caller}: levels: pixels of mesh {i}", above_zero=True)))
    return sorted(result, key=lambda level: -level[1])


def is_morphed(mesh: Mesh, level: int, whole: Mesh, caller: str) -> bool:
    """Return whether a level is drawn with morph targets; other ones than the whole mesh's are refused."""
    if level > LAST_FACE or whole.morphs is None or mesh.morphs is None:
        return False
    if mesh.morphs.names != whole.morphs.names:
        raise ValueError(
            f"{caller}: levels: mesh {level - 1} must have the {len(whole.morphs)} morph targets of the "
            f"whole mesh, or none, got {len(mesh.morphs)} others"
        )
    return True


def checked_impostors(impostors: Any, caller: str) -> tuple[Impostors | None, float]:
    """Return impostors and the height in pixels below which they are drawn."""
    if impostors is None:
        return None, 0.0
    if not isinstance(impostors, Sequence) or len(impostors) != 2 or not isinstance(impostors[0], Impostors):
        got = type(impostors).__name__
        raise TypeError(f"{caller}: impostors must be a pair (Impostors, pixels), got {got}")
    return impostors[0], check_number(impostors[1], f"{caller}: impostors: pixels", above_zero=True)
