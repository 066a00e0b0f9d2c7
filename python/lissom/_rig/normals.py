# SPDX-License-Identifier: MIT
"""Normals of vertices from the triangles as they lie, for any positions of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh


def face_normals(
    mesh: Mesh, positions: ArrayLike, out: NDArray[Any] | None = None, function: str = "Mesh.normals_of"
) -> NDArray[Any]:
    """Compute the vertex normals (..., V, 3) of `positions` (..., V, 3); `function` is who errors name."""
    prepared = as_floats(positions, f"{function}: positions")
    target = np.empty_like(prepared) if out is None else out
    mesh._vertex_faces().normals(function, prepared, target)
    return target
