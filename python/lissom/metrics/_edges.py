# SPDX-License-Identifier: MIT
"""The change of the edges of a mesh and of the angles of its triangles in a pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.doors import as_html
from lissom.metrics import _input
from lissom.metrics._surface import area_normals, surface_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.metrics._input import Floats, Ints

__all__ = ["EdgeChange", "edges"]


@dataclass(frozen=True, eq=False)
class EdgeChange:
    """Changes of edges and corners from the bind pose, with one number for each pose.

    Attributes
    ----------
    length : float or ndarray, shape (...)
        The change of an edge's length with the largest magnitude, as a fraction of its length in the bind
        pose: 0.5 is half as long again, -1 has collapsed.
    length_rms : float or ndarray, shape (...)
        Root mean square of the changes over all edges.
    edge : ndarray of int64, shape (..., 2)
        The two vertices of the worst edge.
    angle : float or ndarray, shape (...)
        The largest change of a triangle's corner, radians, at least 0.
    angle_rms : float or ndarray, shape (...)
        Root mean square over all corners, radians.
    corner : ndarray of int64, shape (..., 2)
        The triangle of the worst corner, and the index 0 to 2 of the corner.
    edge_count, corner_count : int
        Numbers of edges and corners measured.
    left_out : int
        Number of edges without length, and corners without area, in the bind pose.

    Examples
    --------
    >>> bind = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> found = lissom.metrics.edges([[0, 0, 0], [2, 0, 0], [0, 1, 0]], bind, [[0, 1, 2]])
    >>> found.length, found.edge  # one edge is twice as long
    (1.0, array([0, 1]))
    >>> found.edge_count, found.corner_count
    (3, 3)
    """

    length: Any
    length_rms: Any
    edge: Ints
    angle: Any
    angle_rms: Any
    corner: Ints
    edge_count: int
    corner_count: int
    left_out: int

    _repr_html_ = as_html


def edges(positions: ArrayLike, bind_positions: ArrayLike, triangles: ArrayLike) -> EdgeChange:
    """Measure the change of edges in length, and of corners of triangles in angle.

    An edge on a seam, which a file holds twice, is measured once. The angle of a corner is 0 where one of its
    edges has collapsed in the pose.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    bind_positions : array_like, shape (V, 3)
        Positions that changes are relative to.
    triangles : array_like of int, shape (F, 3)

    Returns
    -------
    EdgeChange

    Raises
    ------
    TypeError
        If an array holds no numbers, or triangles no integers.
    ValueError
        If a shape does not fit, a number is not finite, an index is out of range, or no triangle has an area
        in the bind pose.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> posed = bar.deform(bar.clips["twist"].sample(2.0))
    >>> found = lissom.metrics.edges(posed, bar.mesh.positions, bar.mesh.triangles)
    >>> print(f"one has lost {-found.length:.0%} of its length")
    one has lost 99% of its length
    """
    bind = _input.vertices(bind_positions, "metrics.edges: bind_positions", one=True)
    points = _input.vertices(positions, "metrics.edges: positions", count=len(bind))
    faces = _input.triangles(triangles, "metrics.edges: triangles", len(bind))
    surface = surface_of(bind, faces)
    corners = _corners(bind, faces)
    has_area = np.linalg.norm(area_normals(bind, faces), axis=-1) > 0
    if not has_area.any():
        raise ValueError("metrics.edges: triangles must have an area in the bind pose, got none that does")

    lengths = _lengths(bind, surface.edges)
    pairs = surface.edges[lengths > 0]
    stretch = _lengths(points, pairs) / lengths[lengths > 0] - 1
    worst_edge = np.abs(stretch).argmax(axis=-1)
    angles = np.abs(_corners(points, faces) - corners)
    angles[..., ~has_area, :] = 0
    flat = angles.reshape(*angles.shape[:-2], -1)
    worst_corner = flat.argmax(axis=-1)
    corner_count = 3 * int(has_area.sum())
    return EdgeChange(
        length=_input.plain(np.take_along_axis(stretch, worst_edge[..., None], -1)[..., 0]),
        length_rms=_input.plain(np.sqrt(np.mean(stretch**2, axis=-1))),
        edge=pairs[worst_edge],
        angle=_input.plain(flat.max(axis=-1)),
        angle_rms=_input.plain(np.sqrt((flat**2).sum(axis=-1) / corner_count)),
        corner=np.stack(np.divmod(worst_corner, 3), axis=-1),
        edge_count=len(pairs),
        corner_count=corner_count,
        left_out=len(surface.edges) - len(pairs) + 3 * len(faces) - corner_count,
    )


def _lengths(points: Floats, pairs: Ints) -> Floats:
    lengths: Floats = np.linalg.norm(points[..., pairs[:, 1], :] - points[..., pairs[:, 0], :], axis=-1)
    return lengths


def _corners(points: Floats, faces: Ints) -> Floats:
    """Return the angles at corners, (..., F, 3), radians; by sine and cosine, which is exact where flat."""
    sine = np.linalg.norm(area_normals(points, faces), axis=-1)
    angles = np.empty((*points.shape[:-2], *faces.shape))
    for i in range(3):
        corner, second, third = (points[..., faces[:, (i + k) % 3], :] for k in range(3))
        cosine = np.einsum("...i,...i->...", second - corner, third - corner)
        angles[..., i] = np.arctan2(sine, cosine)
    return angles
