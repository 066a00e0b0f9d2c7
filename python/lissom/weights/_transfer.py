# SPDX-License-Identifier: MIT
"""``weights.transfer``: from one mesh to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._base.doors import as_html
from lissom._base.numbers import check_number
from lissom.weights._influences import Influences, Pair, WeightsLike, as_dense, influences_of
from lissom.weights._inputs import Floats, Indices, SurfaceLike, Triangles, as_points, as_surface

__all__ = ["TransferReport", "transfer"]


@dataclass(frozen=True, eq=False)
class TransferReport:
    """Where weights were taken from.

    Attributes
    ----------
    distances : ndarray of float64, shape (T,)
        From each target position to the place on the source, in units of the positions.
    triangles : ndarray of int64, shape (T,)
        The source's triangle of that place.
    barycentric : ndarray of float64, shape (T, 3)
        Shares of its corners.
    beyond : ndarray of int64
        Target vertices that lie farther than `max_distance`.
    unmatched : ndarray of int64
        Target vertices without a triangle that faces their direction within reach: they took the nearest one.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()  # 0.4 thick, from x = 0 to x = 4
    >>> places = [[2.0, 0.5, 0.0], [5.0, 0.0, 0.0]]
    >>> _, report = lissom.weights.transfer(tube.mesh, tube.mesh, places, report=True)
    >>> report.distances.round(3)
    array([0.1, 1. ])
    >>> report.barycentric.sum(axis=1).round(12)
    array([1., 1.])
    """

    distances: Floats
    triangles: Indices
    barycentric: Floats
    beyond: Indices
    unmatched: Indices

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return (
            f"<lissom.weights.TransferReport of {len(self.distances)} vertices: farthest "
            f"{self.distances.max():.4g}, {len(self.beyond)} beyond, {len(self.unmatched)} unmatched>"
        )


@overload
def transfer(
    source_surface: SurfaceLike,
    source_weights: Pair,
    target_positions: ArrayLike,
    *,
    target_normals: ArrayLike | None = ...,
    max_angle: float = ...,
    max_distance: float | None = ...,
    beyond: Literal["raise", "nearest"] = ...,
    report: Literal[False] = ...,
) -> Influences: ...
@overload
def transfer(
    source_surface: SurfaceLike,
    source_weights: NDArray[np.floating],
    target_positions: ArrayLike,
    *,
    target_normals: ArrayLike | None = ...,
    max_angle: float = ...,
    max_distance: float | None = ...,
    beyond: Literal["raise", "nearest"] = ...,
    report: Literal[False] = ...,
) -> Floats: ...
@overload
def transfer(
    source_surface: SurfaceLike,
    source_weights: Pair,
    target_positions: ArrayLike,
    *,
    target_normals: ArrayLike | None = ...,
    max_angle: float = ...,
    max_distance: float | None = ...,
    beyond: Literal["raise", "nearest"] = ...,
    report: Literal[True],
) -> tuple[Influences, TransferReport]: ...
@overload
def transfer(
    source_surface: SurfaceLike,
    source_weights: NDArray[np.floating],
    target_positions: ArrayLike,
    *,
    target_normals: ArrayLike | None = ...,
    max_angle: float = ...,
    max_distance: float | None = ...,
    beyond: Literal["raise", "nearest"] = ...,
    report: Literal[True],
) -> tuple[Floats, TransferReport]: ...
def transfer(
    source_surface: SurfaceLike,
    source_weights: WeightsLike,
    target_positions: ArrayLike,
    *,
    target_normals: ArrayLike | None = None,
    max_angle: float = np.pi / 2,
    max_distance: float | None = None,
    beyond: Literal["raise", "nearest"] = "raise",
    report: bool = False,
) -> Floats | Influences | tuple[Floats, TransferReport] | tuple[Influences, TransferReport]:
    """Take weights from one mesh over to the vertices of another, such as clothes or another resolution.

    Each target vertex gets the weights of the nearest place on the source's triangles, interpolated between
    their corners.

    Parameters
    ----------
    source_surface : (positions, triangles) or Mesh
        V vertices and the triangles between them.
    source_weights : ndarray, shape (V, H), or a pair (indices, weights), both (V, K), or Mesh
        Not negative, rows sum to 1 within 1e-3 and are then scaled to 1. The pair is what a `Mesh` takes,
        uint8 and uint16 weights in 255ths and 65 535ths; what `reduce` gives is one, too. A mesh
        may be both the surface and its weights.
    target_positions : array_like, shape (T, 3)
        In the space of the source.
    target_normals : array_like, shape (T, 3), optional
        Of any length. Only triangles that face their direction are considered, not the inside of a lip or the
        other side of a thin arm. A zero normal takes any.
    max_angle : float
        Radians between a normal and that of a triangle, in [0, pi]: farther ones do not face its direction.
    max_distance : float, optional
        How far a place may be, at least 0, in units of the positions.
    beyond : {"raise", "nearest"}
        What happens to vertices farther away: an error, or the nearest place all the same, and the report
        lists them.
    report : bool
        Return a `TransferReport`, too.

    Returns
    -------
    weights : ndarray of float64, shape (T, H)
        Rows sum to 1. For a pair or a mesh: ``(indices, weights)``, uint16 and float32, the largest first,
        with as many columns as the vertex with the most influences needs; `reduce` takes both down to fewer.
    report : TransferReport
        Only with ``report=True``.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type, shape or range, a number is not finite, weights are negative or do
        not sum to 1, no triangle of the source has an area, or vertices lie beyond `max_distance`.

    Notes
    -----
    Triangles without area are skipped. Where no triangle faces a normal's direction, or only one farther than
    `max_distance`, the vertex takes the nearest that there is and the report lists it as unmatched.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> indices, weights = lissom.weights.transfer(tube.mesh, tube.mesh, [[2, 0.5, 0], [3.5, 0, 0.5]])
    >>> weights.round(2)
    array([[0.5, 0.5],
           [1. , 0. ]], dtype=float32)
    """
    what = "weights.transfer"
    positions, triangles = as_surface(source_surface, what, "source_surface")
    dense, is_pair = as_dense(source_weights, f"{what}: source_weights")
    if len(dense) != len(positions):
        raise ValueError(
            f"{what}: source_weights must have a row for each of the {len(positions)} vertices, "
            f"got {len(dense)}"
        )
    targets = as_points(target_positions, f"{what}: target_positions")
    normals = _normals(what, target_normals, len(targets))
    angle = check_number(max_angle, f"{what}: max_angle", least=0)
    if angle > np.pi + 1e-12:
        raise ValueError(f"{what}: max_angle must be in [0, pi] radians, got {max_angle}")
    if beyond not in ("raise", "nearest"):
        raise ValueError(f"{what}: beyond must be 'raise' or 'nearest', got {beyond!r}")
    reach = np.inf if max_distance is None else check_number(max_distance, f"{what}: max_distance", least=0)

    found = _nearest(what, positions, triangles, targets, normals, angle, reach)
    if len(found.beyond) and beyond == "raise":
        worst = int(found.beyond[np.argmax(found.distances[found.beyond])])
        raise ValueError(
            f"{what}: target_positions must lie within max_distance {reach:g} of the source, got "
            f"{len(found.beyond)} vertices that do not, the farthest ({worst}) at "
            f"{found.distances[worst]:.6g}; give beyond='nearest' to take the nearest place"
        )
    corners = triangles[found.triangles]
    weights = np.zeros((len(targets), dense.shape[1]))
    for corner in range(3):
        weights += found.barycentric[:, corner, None] * dense[corners[:, corner]]
    weights /= weights.sum(axis=1, keepdims=True)
    result = influences_of(weights) if is_pair else weights
    return (result, found) if report else result  # type: ignore[return-value]


def _normals(what: str, values: ArrayLike | None, count: int) -> Floats | None:
    if values is None:
        return None
    array = as_numbers(values, f"{what}: target_normals")
    if array.shape != (count, 3):
        raise ValueError(f"{what}: target_normals must have shape ({count}, 3), got {array.shape}")
    return np.require(array, np.float64, ["C", "A"])


def _nearest(
    what: str,
    positions: Floats,
    triangles: Triangles,
    targets: Floats,
    normals: Floats | None,
    angle: float,
    reach: float,
) -> TransferReport:
    tree = _core.TriangleBvh(positions, triangles)
    if tree.degenerate_count == tree.triangle_count:
        raise ValueError(f"{what}: source_surface must have a triangle with an area, got none")
    distances, which, shares = _empty(len(targets))
    # Rounding must not skip a triangle at exactly the largest angle.
    least_cosine = max(-1.0, float(np.cos(angle)) - 1e-12)
    tree.find_closest(what, targets, normals, least_cosine, distances, which, shares)
    unmatched = np.zeros(0, np.int64)
    if normals is not None:
        unmatched = np.flatnonzero(~(distances <= reach) | (which < 0))
        if len(unmatched):
            again = _empty(len(unmatched))
            tree.find_closest(what, np.ascontiguousarray(targets[unmatched]), None, -1.0, *again)
            is_other = again[1] != which[unmatched]
            distances[unmatched], which[unmatched], shares[unmatched] = again
            unmatched = unmatched[is_other]
    return TransferReport(distances, which, shares, np.flatnonzero(distances > reach), unmatched)


def _empty(count: int) -> tuple[Floats, Indices, Floats]:
    return np.empty(count), np.empty(count, np.int64), np.empty((count, 3))
