# SPDX-License-Identifier: MIT
"""``weights.inverse_distance``: the baseline, which knows nothing of the surface."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from lissom._base.numbers import check_number
from lissom.weights._handle_fit import warn_of_misfit
from lissom.weights._inputs import Floats, HandlesLike, SurfaceLike, as_handles, as_surface
from lissom.weights._report import WeightReport, report_of
from lissom.weights._segments import distances

__all__ = ["inverse_distance"]

# Numbers that are worked on at once: a few such arrays fit into the cache of a core.
_CHUNK = 1 << 18


@overload
def inverse_distance(
    surface: SurfaceLike, handles: HandlesLike, *, power: float = ..., report: Literal[False] = ...
) -> Floats: ...
@overload
def inverse_distance(
    surface: SurfaceLike, handles: HandlesLike, *, power: float = ..., report: Literal[True]
) -> tuple[Floats, WeightReport]: ...
def inverse_distance(
    surface: SurfaceLike, handles: HandlesLike, *, power: float = 4.0, report: bool = False
) -> Floats | tuple[Floats, WeightReport]:
    """Compute weights from distances alone: ``distance ** -power``, scaled to sum to 1 [1]_.

    What the others are compared with. Distances go straight through the air, whatever the triangles are: a
    hand beside the hip takes part of the hip with it, and every handle has a little of every vertex.

    Parameters
    ----------
    surface : (positions, triangles) or Mesh
        Vertices (V, 3) and triangles (F, 3).
    handles : sequence of array_like, or Bones
        H points (3,) and bones (2, 3), from head to tail, in the space of the positions. A bone without
        length is a point.
    power : float
        How fast influence falls off, above zero. 2 blends everything with everything; at 4 the middle of a
        limb is nearly rigid.
    report : bool
        Return a `WeightReport`, too.

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

    Warns
    -----
    RuntimeWarning
        If the handles stand beside the mesh, or are of a wholly different size.

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
    positions, _ = as_surface(surface, what)
    bones = as_handles(handles, what)
    exponent = check_number(power, f"{what}: power", above_zero=True)
    weights = np.empty((len(positions), len(bones)))
    rows = max(1, _CHUNK // len(bones))
    for begin in range(0, len(positions), rows):
        away = distances(positions[begin : begin + rows, None], bones.heads, bones.tails)
        least = away.min(axis=1, keepdims=True)
        # In units of the nearest: no power of it over- or underflows where it matters.
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            shares = (least / away) ** exponent
        shares = np.where(away == least, 1.0, shares)  # 0 / 0 upon a handle
        weights[begin : begin + rows] = shares / shares.sum(axis=1, keepdims=True)
    warn_of_misfit(what, positions, bones)
    if not report:
        return weights
    return weights, report_of(
        "inverse_distance",
        weights,
        handle_names=bones.names,
        lowest=float(weights.min()),
        highest=float(weights.max()),
    )
