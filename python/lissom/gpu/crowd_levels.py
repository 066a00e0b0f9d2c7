# SPDX-License-Identifier: MIT
"""Levels of detail of a crowd: which mesh an instance of a certain height on the picture is drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._numbers import check_number
from lissom.mesh import Mesh
from lissom.prepared_mesh import PreparedMesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["checked_levels", "checked_mesh", "level_of"]


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
