# SPDX-License-Identifier: MIT
"""Vertices that move as one: files repeat vertices where normals, textures or parts differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._rig.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["distinct_vertices", "points_of"]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits irregular: of multiplicative hashing (Knuth, 6.4)
_SHIFT = np.uint64(32)


def distinct_vertices(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Find the vertices that differ in what skinning reads: position, palette rows and weights, to the bit.

    Parameters
    ----------
    mesh : Mesh
        All vertices of one with morph targets are distinct, as targets move equal ones apart.

    Returns
    -------
    first : ndarray of int64, shape (D,)
        The first vertex of each kind, in the mesh's order.
    copies : ndarray of uint32, shape (D,)
        How many vertices of the mesh are of that kind; their sum is V.
    """
    if mesh.morphs or not mesh.vertex_count:
        return np.arange(mesh.vertex_count), np.ones(mesh.vertex_count, np.uint32)
    rows = np.where(mesh.weights > 0, mesh.indices, 0).astype(np.uint32)
    bits = np.concatenate([mesh.positions.view(np.uint32), rows, mesh.weights.view(np.uint32)], axis=1)
    # Equal vertices become neighbours by their hash, the first one first. Of vertices that share a hash by
    # chance some copies may stay apart, which costs their time alone: neighbours are compared by all bits.
    hashes = np.zeros(len(bits), np.uint64)
    for column in bits.T:
        hashes = (hashes ^ column) * _FACTOR
        hashes ^= hashes >> _SHIFT
    order = np.argsort(hashes, kind="stable")
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (bits[order[1:]] != bits[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(is_first)
    copies = np.diff(starts, append=len(order)).astype(np.uint32)
    first = order[starts]
    in_order = np.argsort(first)
    return first[in_order], copies[in_order]


def points_of(mesh: Mesh, vertices: NDArray[Any]) -> Mesh:
    """Return some vertices of a mesh without morph targets as points: a mesh without triangles and parts."""
    return Mesh(
        mesh.positions[vertices],
        np.empty((0, 3), np.uint32),
        mesh.indices[vertices],
        mesh.weights[vertices],
        parts=(),
    )
