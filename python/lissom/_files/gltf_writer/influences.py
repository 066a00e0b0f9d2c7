# SPDX-License-Identifier: MIT
"""Influences as glTF holds them: sets of four, the heaviest first, each joint of a vertex once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._rig.mesh import Mesh

MAX_ROWS = 1 << 16
"""Palette rows that JOINTS_n can name: it is of unsigned shorts at most."""


def influence_sets(mesh: Mesh) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Give joints and weights of all vertices, in sets.

    Parameters
    ----------
    mesh : Mesh

    Returns
    -------
    joints : ndarray of uint8 or uint16, shape (sets, vertex, 4)
        0 where the weight is 0, as glTF asks.
    weights : ndarray of float32, shape (sets, vertex, 4)

    Notes
    -----
    Readers that know one set use the four heaviest influences this way.
    """
    rows, weights = _each_once(mesh.indices, mesh.weights)
    if (weights[:, 1:] > weights[:, :-1]).any():
        order = np.argsort(-weights, axis=1, kind="stable")
        rows, weights = np.take_along_axis(rows, order, axis=1), np.take_along_axis(weights, order, axis=1)
    used = max(1, int(np.count_nonzero(weights.any(axis=0))))
    sets = -(-used // 4)
    shape = (len(rows), 4 * sets)
    joints = np.zeros(shape, np.uint8 if mesh.row_count <= 1 << 8 else np.uint16)
    values = np.zeros(shape, "<f4")
    joints[:, :used] = np.where(weights > 0, rows, 0)[:, :used]
    values[:, :used] = weights[:, :used]
    split = (len(rows), sets, 4)
    return joints.reshape(split).swapaxes(0, 1), values.reshape(split).swapaxes(0, 1)


def _each_once(rows: NDArray[Any], weights: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """Give the weights of a row that a vertex names twice to its first slot."""
    for right in range(1, rows.shape[1]):
        for left in range(right):
            same = (rows[:, left] == rows[:, right]) & (weights[:, left] > 0) & (weights[:, right] > 0)
            if same.any():
                weights = weights.copy()
                weights[same, left] += weights[same, right]
                weights[same, right] = 0
    return rows, weights
