# SPDX-License-Identifier: MIT
"""Influences as shaders take them: 4 or 8 per vertex, the heaviest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Influences", "reduced_influences"]


@dataclass(frozen=True)
class Influences:
    """The influences of a mesh, as uploaded.

    Attributes
    ----------
    rows : ndarray of uint32, shape (V, 4) or (V, 8)
        Palette rows, 0 where unused.
    weights : ndarray of float32, shape (V, 4) or (V, 8)
        Sum to 1 per vertex, 0 where unused.
    dropped : float
        The largest sum of weights that a vertex lost; 0 if none did.
    """

    rows: NDArray[np.uint32]
    weights: NDArray[np.float32]
    dropped: float


def reduced_influences(
    indices: NDArray[Any], weights: NDArray[Any], *, bytes_only: bool = False, max_count: int = 8
) -> Influences:
    """Reduce or pad influences to 4 or 8 per vertex.

    Parameters
    ----------
    indices : ndarray of int, shape (V, K)
        Palette rows.
    weights : ndarray of float, shape (V, K)
        Sum to 1 per vertex. Of more than `max_count` above zero, the largest stay, scaled to sum to 1.
    bytes_only : bool
        Round weights to multiples of 1/255 that still sum to 1 exactly.
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
    dropped = 0.0
    if used > max_count:
        dropped = float(weights[:, max_count:].sum(axis=1).max())
        weights = weights[:, :max_count] / weights[:, :max_count].sum(axis=1, keepdims=True)
    count = min(width, weights.shape[1])
    padded_rows = np.zeros((len(rows), width), np.uint32)
    padded_weights = np.zeros((len(rows), width), np.float32)
    padded_rows[:, :count] = rows[:, :count]
    padded_weights[:, :count] = weights[:, :count]
    if bytes_only:
        padded_weights = (_bytes_of_weights(padded_weights) / np.float32(255)).astype(np.float32)
        order = np.lexsort((padded_rows, -padded_weights), axis=1)  # rounding makes more weights equal
        padded_rows = np.take_along_axis(padded_rows, order, axis=1)
        padded_weights = np.take_along_axis(padded_weights, order, axis=1)
    padded_rows[padded_weights == 0] = 0
    return Influences(padded_rows, padded_weights, dropped)


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


def _bytes_of_weights(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return weights times 255 as integers that sum to 255: the largest remainders are rounded up."""
    scaled = weights.astype(np.float64) * 255
    whole = np.floor(scaled + 1e-6).astype(np.int64)
    missing = 255 - whole.sum(axis=1)
    rank = np.argsort(np.argsort(whole - scaled, axis=1, kind="stable"), axis=1, kind="stable")
    whole += rank < missing[:, None]
    return whole.astype(np.uint8)
