# SPDX-License-Identifier: MIT
"""Influences as shaders take them: 4 or 8 per vertex, the heaviest first; what leaving out others costs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._rig.mesh import Mesh
from lissom.skinning._deform import deform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = ["MOST_INFLUENCES", "Influences", "frame_ranges", "left_out_distance", "reduced_influences"]

FRAMES_AT_A_TIME = 64
"""Frames of which palettes and vertices are computed at a time, so that memory does not grow with a bake."""

MOST_INFLUENCES = 8
"""Influences per vertex that shaders take: more would need more than the 16 attributes that OpenGL grants."""


@dataclass(frozen=True)
class Influences:
    """The influences of a mesh, as uploaded.

    Attributes
    ----------
    rows : ndarray of uint32, shape (V, 4) or (V, 8)
        Palette rows, 0 where unused.
    weights : ndarray of float32, shape (V, 4) or (V, 8)
        Sum to 1 per vertex, 0 where unused.
    left_out : ndarray of float32, shape (V,)
        The sum of the weights that a vertex lost.
    """

    rows: NDArray[np.uint32]
    weights: NDArray[np.float32]
    left_out: NDArray[np.float32]


def reduced_influences(
    indices: NDArray[Any], weights: NDArray[Any], *, max_count: int = MOST_INFLUENCES
) -> Influences:
    """Reduce or pad influences to 4 or 8 per vertex.

    Parameters
    ----------
    indices : ndarray of int, shape (V, K)
        Palette rows.
    weights : ndarray of float, shape (V, K)
        Sum to 1 per vertex. Of more than `max_count` above zero, the largest stay, scaled to sum to 1.
    max_count : int
        Influences to keep at most, 1 to 8.

    Returns
    -------
    Influences
        Heaviest first, equal weights by row: shaders take the first as the pivot of dual quaternion signs.
    """
    weights = _merge_repeated(np.asarray(indices), np.array(weights, np.float32))
    # Sorted, so that unused influences come last and columns of them can be dropped.
    order = np.lexsort((indices, -weights), axis=1)
    rows = np.take_along_axis(np.asarray(indices, np.uint32), order, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    used = int((weights > 0).any(axis=0).sum())
    width = 4 if min(used, max_count) <= 4 else 8
    left_out = weights[:, max_count:].sum(axis=1)
    if used > max_count:
        weights = weights[:, :max_count] / weights[:, :max_count].sum(axis=1, keepdims=True)
    count = min(width, weights.shape[1])
    padded_rows = np.zeros((len(rows), width), np.uint32)
    padded_weights = np.zeros((len(rows), width), np.float32)
    padded_rows[:, :count] = rows[:, :count]
    padded_weights[:, :count] = weights[:, :count]
    padded_rows[padded_weights == 0] = 0
    return Influences(padded_rows, padded_weights, left_out)


def frame_ranges(frame_count: int) -> Iterator[NDArray[np.float64]]:
    """Return the coordinates of all frames in ranges, of which vertices are computed at a time."""
    for first in range(0, frame_count, FRAMES_AT_A_TIME):
        yield np.arange(first, min(first + FRAMES_AT_A_TIME, frame_count), dtype=np.float64)


def left_out_distance(
    mesh: Mesh,
    kept: Influences,
    palettes: Iterable[Any],
    method: str = "linear",
    morphs: Iterable[NDArray[np.float32]] | None = None,
) -> float:
    """Return how far leaving out influences moves a vertex at most, in any of the palettes; model units.

    `morphs` are the weights that go with each of the palettes, the mesh's defaults when omitted.
    """
    lost = np.flatnonzero(kept.left_out)
    if not len(lost):
        return 0.0
    none = np.zeros((0, 3), np.uint32)
    own = None if mesh.morphs is None else mesh.morphs._taken(lost)
    whole = Mesh(mesh.positions[lost], none, mesh.indices[lost], mesh.weights[lost], morphs=own)
    reduced = Mesh(mesh.positions[lost], none, kept.rows[lost], kept.weights[lost], morphs=own)
    each = zip(palettes, repeat(None)) if morphs is None else zip(palettes, morphs, strict=True)
    return max(
        float(
            np.linalg.norm(
                deform(whole, palette, method, morphs=weights)
                - deform(reduced, palette, method, morphs=weights),
                axis=-1,
            ).max(initial=0)
        )
        for palette, weights in each
    )


def _merge_repeated(indices: NDArray[Any], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Add up the weights of a row that a vertex names more than once, at its first entry; in place."""
    for k in range(1, indices.shape[1]):
        pending = np.ones(len(indices), np.bool_)
        for first in range(k):
            same = pending & (indices[:, first] == indices[:, k])
            weights[same, first] += weights[same, k]
            weights[same, k] = 0
            pending &= ~same
    return weights
