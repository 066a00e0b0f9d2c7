# SPDX-License-Identifier: MIT
"""Layouts of handles for tests of weights: far points, cages, and what is solved for on a lattice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom.weights._inputs import as_cage_faces, as_handles, as_surface
from lissom.weights._lattice import lattice_options, lattice_volume

Floats = NDArray[np.float64]


def far_points(positions: Floats, count: int) -> list[Floats]:
    """Vertices, each as far from those before it as can be."""
    chosen = [0]
    away = np.linalg.norm(positions - positions[0], axis=1)
    while len(chosen) < count:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, np.linalg.norm(positions - positions[chosen[-1]], axis=1))
    return [positions[k].astype(float) for k in chosen]


def cage(positions: Floats, margin: float) -> tuple[list[Floats], NDArray[np.int64]]:
    """Corners and triangles of the box, larger by a part of its longest side."""
    low, high = positions.min(axis=0).astype(float), positions.max(axis=0).astype(float)
    out = margin * (high - low).max()
    low, high = low - out, high + out
    corners = [np.where([k & 1, k & 2, k & 4], high, low) for k in range(8)]
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return corners, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])


def humanoid_lattice(count: int, *, cells: int) -> tuple[Any, Any, Any, Any]:
    """Nodes, tetrahedra, fixed nodes and their rows of the sample with far points as handles."""
    function = "weights.bounded_biharmonic"
    positions, triangles = as_surface(lissom.samples.humanoid().mesh, function)
    handles = as_handles(far_points(positions, count), function)
    options = lattice_options(function, cells, None, 2.0**32, "move")
    volume = lattice_volume(
        function, positions, triangles, handles, as_cage_faces(None, handles, function), options, None
    )
    return volume.nodes, volume.tets, volume.fixed_nodes, volume.fixed_rows
