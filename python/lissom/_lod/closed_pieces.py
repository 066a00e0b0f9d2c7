# SPDX-License-Identifier: MIT
"""Which triangles belong to closed pieces of a mesh, whose insides nobody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from lissom._base.arrays import read_only
from lissom._rig.weld import weld_bound
from lissom.metrics._surface import surface_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh

__all__ = ["in_closed_piece"]

_found: WeakKeyDictionary[Mesh, NDArray[np.bool_]] = WeakKeyDictionary()


def in_closed_piece(mesh: Mesh) -> NDArray[np.bool_]:
    """Return for each triangle whether its piece is closed and faces outwards, ``(T,)``.

    A piece is connected by vertices at the same place with the same influences: it stays connected in every
    pose. It is closed as `Surface` defines it, and faces outwards where the volume it encloses is positive.
    Pieces of which alpha may leave something out are seen from inside, and not closed. Computed when first
    asked for, then kept as long as the mesh; read-only.
    """
    if mesh not in _found:
        _found[mesh] = read_only(_closed(mesh))
    return _found[mesh]


def _closed(mesh: Mesh) -> NDArray[np.bool_]:
    if not len(mesh.triangles):
        return np.zeros(0, np.bool_)
    positions = mesh.positions.astype(np.float64)
    triangles = mesh.triangles.astype(np.int64)
    rows = np.where(mesh.weights > 0, mesh.indices, 0)
    first, number = weld_bound(mesh.positions, rows, mesh.weights)
    surface = surface_of(positions, triangles, first[number])
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    volume = np.bincount(surface.pieces, weights=np.einsum("tk,tk->t", a, np.cross(b, c)))
    closed = surface.closed & (volume > 0)
    for part in mesh.parts:
        if part.alpha_mode != "opaque":
            closed[surface.pieces[part.triangles]] = False
    result: NDArray[np.bool_] = closed[surface.pieces]
    return result
