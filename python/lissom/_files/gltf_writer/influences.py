# SPDX-License-Identifier: MIT
"""Influences in the form of glTF: sets of four, the heaviest first, each joint of a vertex once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.weights import heaviest_first, merge_duplicates
from lissom._rig.mesh import Mesh

MAX_ROWS = 1 << 16
"""Number of palette rows that JOINTS_n can name, which is of unsigned shorts at most."""


def influence_sets(mesh: Mesh) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Return joints and weights of all vertices, in sets.

    Parameters
    ----------
    mesh : Mesh

    Returns
    -------
    joints : ndarray of uint8 or uint16, shape (sets, vertex, 4)
        0 where the weight is 0, as glTF requires.
    weights : ndarray of float32, shape (sets, vertex, 4)

    Notes
    -----
    Sorting makes readers of only one set use the four heaviest influences.
    """
    rows, weights = heaviest_first(mesh.indices, merge_duplicates(mesh.indices, mesh.weights)[0])
    used = max(1, int(np.count_nonzero(weights.any(axis=0))))
    sets = -(-used // 4)
    shape = (len(rows), 4 * sets)
    joints = np.zeros(shape, np.uint8 if mesh.row_count <= 1 << 8 else np.uint16)
    values = np.zeros(shape, "<f4")
    joints[:, :used] = np.where(weights > 0, rows, 0)[:, :used]
    values[:, :used] = weights[:, :used]
    split = (len(rows), sets, 4)
    return joints.reshape(split).swapaxes(0, 1), values.reshape(split).swapaxes(0, 1)
