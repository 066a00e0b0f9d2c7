# SPDX-License-Identifier: MIT
"""Vertices that are one in every pose: at the same place, and bound to the same joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.metrics._surface import WELD, welded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh

__all__ = ["weld_bound"]


def weld_bound(mesh: Mesh, *influences: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Weld vertices that are in one place, as `lissom.metrics.Surface` does, and have equal influences.

    Parameters
    ----------
    mesh : Mesh
        With at least one vertex.
    *influences : ndarray, shape (V, K)
        Compared by value.

    Returns
    -------
    first : ndarray of int64, shape (W,)
        The first source vertex of each welded one; these are sorted by place, whatever the order of the file.
    number : ndarray of int64, shape (V,)
        The welded vertex of each source vertex.
    """
    distance = np.float64(WELD * (np.linalg.norm(np.ptp(mesh.positions, axis=0)) or 1.0))
    places = np.rint(mesh.positions[welded(mesh.positions.astype(np.float64))] / distance)
    keys = np.concatenate([places, *influences], axis=1)
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first.astype(np.int64), number.astype(np.int64).ravel()
