# SPDX-License-Identifier: MIT
"""A mesh in the shape that the default weights of its morph targets give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh

__all__ = ["default_shape"]


def default_shape(mesh: Mesh) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return positions and unit normals, ``(V, 3)`` each, in bind space."""
    positions = mesh.positions
    normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    morphs = mesh.morphs
    if morphs is None or not morphs.defaults.any():
        return positions, normals
    positions, normals = positions.copy(), normals.copy()
    for target in np.flatnonzero(morphs.defaults):
        rows = morphs.rows(int(target))
        weight = morphs.defaults[target]
        positions[morphs.vertices[rows]] += weight * morphs.positions[rows]
        if morphs.normals is not None:
            normals[morphs.vertices[rows]] += weight * morphs.normals[rows]
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return positions, np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
