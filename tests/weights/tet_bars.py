# SPDX-License-Identifier: MIT
"""Tetrahedra for tests of weights: bars of cubes, each cut into six."""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def bar(x: int, y: int, z: int, *, mirrored: bool = False) -> tuple[Floats, NDArray[np.int32]]:
    """Nodes at whole numbers, and tetrahedra along the diagonals of cubes, mirrored in x where asked."""
    axes = np.indices((z + 1, y + 1, x + 1)).reshape(3, -1)[::-1].T
    nodes = np.ascontiguousarray(axes, float)
    strides = np.array([1, x + 1, (x + 1) * (y + 1)])
    cells = np.indices((z, y, x)).reshape(3, -1)[::-1].T
    tets = []
    for order in permutations(range(3)):
        for flip in (False, True) if mirrored else (False,):
            chosen = cells[(cells[:, 0] >= x // 2) == flip] if mirrored else cells
            corner = chosen.copy()
            step = np.array([1, 1, 1])
            if flip:  # from the far corner in x, and back
                corner[:, 0] += 1
                step[0] = -1
            path = [corner.copy()]
            for axis in order:
                corner[:, axis] += step[axis]
                path.append(corner.copy())
            tets.append(np.stack([p @ strides for p in path], axis=1))
    return nodes, np.concatenate(tets).astype(np.int32)


def border(tets: NDArray[np.int32]) -> NDArray[np.int64]:
    """Triangles of one tetrahedron only."""
    faces = np.concatenate([np.delete(tets, corner, axis=1) for corner in range(4)])
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[counts == 1]].astype(np.int64)
