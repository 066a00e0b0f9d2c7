# SPDX-License-Identifier: MIT
"""Which triangles belong to closed pieces of a mesh, whose insides nobody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh

__all__ = ["in_closed_piece"]

WELD = 1e-6  # of the diagonal: vertices nearer than this are one


def in_closed_piece(mesh: Mesh) -> NDArray[np.bool_]:
    """Return for each triangle whether its piece is closed and turned outside, ``(T,)``.

    A piece is what hangs together by vertices at the same place and bound alike, which stays so however it
    moves. It is closed where every edge has as many triangles that go along it as go against it, and turned
    outside where it holds a positive volume.
    """
    if not len(mesh.triangles):
        return np.zeros(0, np.bool_)
    corners = _welded(mesh)[mesh.triangles.astype(np.int64)]
    piece = _pieces(corners, int(corners.max()) + 1)[corners[:, 0]]
    count = int(piece.max()) + 1
    edges = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    # Each edge adds 1 one way, takes 1 the other: closed pieces have zeros alone.
    low, high = edges.min(axis=1), edges.max(axis=1)
    sign = np.sign(edges[:, 1] - edges[:, 0])  # 0 where a triangle has no area
    _, edge = np.unique(low * (high.max() + 1) + high, return_inverse=True)
    balance = np.bincount(edge.ravel(), weights=sign)
    is_open = np.zeros(count, np.bool_)
    np.logical_or.at(is_open, np.repeat(piece, 3), balance[edge.ravel()] != 0)
    a, b, c = np.moveaxis(mesh.positions.astype(np.float64)[mesh.triangles], 1, 0)
    volume = np.bincount(piece, weights=np.einsum("tk,tk->t", a, np.cross(b, c)), minlength=count)
    result: NDArray[np.bool_] = (~is_open & (volume > 0))[piece]
    return result


def _welded(mesh: Mesh) -> NDArray[np.int64]:
    """Give vertices at the same place and bound alike the same number."""
    positions = mesh.positions.astype(np.float64)
    grid = WELD * (float(np.linalg.norm(np.ptp(positions, axis=0))) or 1.0)
    rows = np.where(mesh.weights > 0, mesh.indices, 0).astype(np.int64)
    shares = np.ascontiguousarray(mesh.weights, np.float32).view(np.int32).astype(np.int64)
    keys = np.concatenate([np.rint(positions / grid).astype(np.int64), rows, shares], axis=1)
    _, number = np.unique(keys, axis=0, return_inverse=True)
    return np.asarray(number, np.int64).ravel()


def _pieces(corners: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Give each vertex the number of its piece: take the lowest neighbour's label, until none is lower."""
    label = np.arange(count)
    while True:
        lowest = label[corners].min(axis=1)
        before = label.copy()
        for k in range(3):
            np.minimum.at(label, corners[:, k], lowest)
        label = label[label]
        if np.array_equal(label, before):
            return np.asarray(np.unique(label, return_inverse=True)[1], np.int64).ravel()
