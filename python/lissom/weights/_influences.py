# SPDX-License-Identifier: MIT
"""Weights as pairs of indices and weights, as meshes have them: from and to weights of all handles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._rig.mesh import Mesh
from lissom.weights._inputs import Floats, as_weights

__all__ = ["Dropped", "Influences", "Pair", "Reduced", "WeightsLike", "as_dense", "influences_of"]

Influences = tuple[NDArray[np.uint16], NDArray[np.float32]]

_PALETTE = 1 << 16
"""Joints that indices of 16 bits tell apart."""


@dataclass(frozen=True)
class Dropped:
    """What reducing weights took away.

    Attributes
    ----------
    vertex_count : int
        Vertices that lost an influence above the threshold.
    largest, mean : float
        Weight that a vertex lost: the sum of its influences that are gone; the largest of all vertices, and
        the mean of all V.
    largest_change, mean_change : float
        Half the sum of all changes of a vertex's weights: the share of it that moves with other handles now.
        At least what was lost.
    most_influences : int
        Of one vertex, before.
    sweeps : int
        Rounds over the mesh; 0 where nothing was smoothed.

    Examples
    --------
    >>> reduced = lissom.weights.reduce([[0.6, 0.3, 0.1], [0.5, 0.5, 0.0]], 2)
    >>> reduced.dropped.vertex_count, round(reduced.dropped.largest, 3)
    (1, 0.1)
    """

    vertex_count: int
    largest: float
    mean: float
    largest_change: float
    mean_change: float
    most_influences: int
    sweeps: int


class Reduced(NamedTuple):
    """Influences of each vertex, as `lissom.Mesh` takes them.

    Attributes
    ----------
    indices : ndarray of uint16, shape (V, K)
        Columns of the weights, the largest first; 0 in slots of weight 0.
    weights : ndarray of float32, shape (V, K)
        Not negative, rows sum to 1.
    dropped : Dropped
        What was lost.

    Examples
    --------
    >>> reduced = lissom.weights.reduce([[0.1, 0.3, 0.6], [0.5, 0.5, 0.0]], 2)
    >>> reduced.indices
    array([[2, 1],
           [0, 1]], dtype=uint16)
    >>> reduced.weights.round(3)
    array([[0.65, 0.35],
           [0.5 , 0.5 ]], dtype=float32)
    """

    indices: NDArray[np.uint16]
    weights: NDArray[np.float32]
    dropped: Dropped


Pair = tuple[ArrayLike, ArrayLike] | Reduced | Mesh
"""How functions take influences: indices and weights (V, K), what `reduce` gives, or a mesh."""

WeightsLike = ArrayLike | Pair
"""How functions take weights: (V, H), or influences."""


def as_dense(value: WeightsLike, what: str) -> tuple[Floats, bool]:
    """Return weights (V, H) whose rows sum to 1, and whether they came as influences; refuse others."""
    given: Any = value
    if isinstance(given, (Mesh, Reduced)):
        return _spread(given.indices, given.weights, what), True
    forms = "must be an array, a Mesh or a pair (indices, weights)"
    if _holds_tables(given):
        if len(given) != 2:
            raise TypeError(f"{what} {forms}, got a {type(given).__name__} of {len(given)}")
        indices, weights = given
        return _spread(indices, weights, what), True
    if hasattr(given, "mesh"):
        raise TypeError(f"{what} {forms}, got {type(given).__name__}; pass its .mesh")
    return as_weights(given, what), False


def influences_of(weights: Floats) -> Influences:
    """Return weights (V, H) as indices and weights, the largest first, as wide as the widest row needs."""
    width = max(1, int((weights > 0).sum(axis=1).max()))
    columns = np.argsort(-weights, axis=1, kind="stable")[:, :width]
    values = np.take_along_axis(weights, columns, axis=1)
    return np.where(values > 0, columns, 0).astype(np.uint16), values.astype(np.float32)


def _holds_tables(value: Any) -> bool:
    """Tell a tuple or list of arrays (V, K) from one of rows."""
    return isinstance(value, (tuple, list)) and any(_is_table(part) for part in value[:3])


def _is_table(value: Any) -> bool:
    try:
        return np.ndim(value) >= 2
    except ValueError:  # rows of different lengths
        return False


def _spread(indices: Any, weights: Any, what: str) -> Floats:
    """Return influences as weights (V, H), H one more than the highest index that has any."""
    try:
        rows = np.asarray(indices)
    except ValueError as error:
        raise ValueError(f"{what}: indices must be an array of equally long rows ({error})") from None
    if rows.dtype.kind not in "iu":
        raise TypeError(f"{what}: indices must be integers, got {rows.dtype}")
    values = as_weights(_unpacked(weights, what), what)
    if rows.shape != values.shape:
        raise ValueError(
            f"{what}: indices and weights must have the same shape, got {rows.shape} and {values.shape}"
        )
    used = np.where(values > 0, rows, 0)  # a slot of weight 0 may name anything
    if used.min() < 0 or used.max() >= _PALETTE:
        raise ValueError(f"{what}: indices must be in [0, {_PALETTE}), got {used.min()} to {used.max()}")
    used = used.astype(np.int64)
    dense = np.zeros((len(values), int(used.max()) + 1))
    np.add.at(dense, (np.arange(len(values))[:, None], used), values)
    return dense


def _unpacked(weights: Any, what: str) -> Any:
    """Return compact weights, normalised integers as `lissom.Mesh` takes them, as shares of 1."""
    if not isinstance(weights, np.ndarray) or weights.dtype not in (np.uint8, np.uint16) or weights.ndim != 2:
        return weights
    one = int(np.iinfo(weights.dtype).max)
    sums = weights.sum(axis=1, dtype=np.int64)
    if (sums != one).any():
        row = int(np.argmax(sums != one))
        raise ValueError(
            f"{what}: {weights.dtype} weights count in {one}ths, so rows must sum to {one}, "
            f"got {sums[row]} for vertex {row}; pass other weights as floats"
        )
    return weights / one
