# SPDX-License-Identifier: MIT
"""``weights.inverse_distance``: the baseline, which knows nothing of the surface."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from lissom._numbers import check_number
from lissom.weights._report import WeightReport, influence_shares
from lissom.weights._surface import Handles, Surface, as_handles, as_surface

__all__ = ["distances_to_handles", "inverse_distance"]

# Numbers that are worked on at once: a few such arrays fit into the cache of a core.
_CHUNK = 1 << 18


@overload
def inverse_distance(
    surface: Surface, handles: Handles, *, power: float = ..., report: Literal[False] = ...
) -> NDArray[np.float64]: ...
@overload
def inverse_distance(
    surface: Surface, handles: Handles, *, power: float = ..., report: Literal[True]
) -> tuple[NDArray[np.float64], WeightReport]: ...
def inverse_distance(
    surface: Surface, handles: Handles, *, power: float = 4.0, report: bool = False
) -> NDArray[np.float64] | tuple[NDArray[np.float64], WeightReport]:
    """Compute weights from distances alone: ``distance ** -power``, scaled to sum to 1 [1]_.

    What the others are compared with. Distances go straight through the air: a hand beside the hip takes
    part of the hip with it, and every handle has a little of every vertex.

    Parameters
    ----------
    surface : (positions, triangles) or Mesh
        Vertices (V, 3); the triangles do not matter.
    handles : sequence of array_like, or Bones
        H points (3,) and bones (2, 3), from head to tail, in the space of the positions. A bone without
        length is a point.
    power : float
        How fast influence falls off, above zero. 2 blends everything with everything; at 4 the middle of a
        limb is nearly rigid.
    report : bool
        Give a `WeightReport`, too.

    Returns
    -------
    weights : ndarray of float64, shape (V, H)
        In [0, 1], rows sum to 1. A vertex upon handles belongs to these alone, in equal parts.
    report : WeightReport
        Only with ``report=True``.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type or shape, there is no vertex or no handle, a number is not finite, an
        index is out of range, or `power` is not above zero.

    References
    ----------
    .. [1] Shepard, A two-dimensional interpolation function for irregularly-spaced data, ACM National
       Conference 1968.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> weights = lissom.weights.inverse_distance(bar.mesh, [[0, 0, 0], [4, 0, 0]])
    >>> weights.shape, float(weights.sum(axis=1).max().round(12))
    ((2258, 2), 1.0)
    """
    what = "weights.inverse_distance"
    positions, _ = as_surface(what, surface)
    bones = as_handles(what, handles)
    exponent = check_number(power, f"{what}: power", above_zero=True)
    weights = np.empty((len(positions), len(bones)))
    rows = max(1, _CHUNK // len(bones))
    for begin in range(0, len(positions), rows):
        distances = distances_to_handles(positions[begin : begin + rows], bones)
        least = distances.min(axis=1, keepdims=True)
        # In units of the nearest: no power of it over- or underflows where it matters.
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            shares = (least / distances) ** exponent
        shares = np.where(distances == least, 1.0, shares)  # 0 / 0 upon a handle
        weights[begin : begin + rows] = shares / shares.sum(axis=1, keepdims=True)
    if not report:
        return weights
    return weights, WeightReport(
        method="inverse_distance",
        vertex_count=len(weights),
        handle_count=weights.shape[1],
        lowest=float(weights.min()),
        highest=float(weights.max()),
        influence_shares=influence_shares(weights),
    )


def distances_to_handles(positions: NDArray[np.float64], bones: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances (V, H) from points to the nearest places of bones (H, 2, 3)."""
    heads, along = bones[:, 0], bones[:, 1] - bones[:, 0]
    square = (along**2).sum(axis=1)
    away = positions[:, None] - heads
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((away * along).sum(axis=2) / square, 0, 1)
    share = np.where(square > 0, share, 0)
    return np.asarray(np.linalg.norm(away - share[..., None] * along, axis=2))
