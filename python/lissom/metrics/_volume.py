# SPDX-License-Identifier: MIT
"""The volume that a surface encloses, and what a pose does to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.doors import as_html
from lissom.metrics import _input
from lissom.metrics._surface import Surface, surface_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.metrics._input import Floats

__all__ = ["Volume", "VolumeChange", "volume", "volume_change"]


@dataclass(frozen=True, eq=False)
class Volume:
    """The volume of a surface, in cubes of its length unit.

    Attributes
    ----------
    total : float or ndarray, shape (...)
        Of all closed pieces together; NaN where none is closed.
    pieces : ndarray, shape (..., C)
        Of each connected piece; NaN where it is open.
    surface : Surface
        Which pieces those are, and the open edges.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> found = lissom.metrics.volume(bar.mesh.positions, bar.mesh.triangles)
    >>> round(found.total, 3), found.surface.is_closed
    (4.0, True)
    """

    total: Any
    pieces: Floats
    surface: Surface


@dataclass(frozen=True, eq=False)
class VolumeChange:
    """How a pose changes the volume of a surface.

    Attributes
    ----------
    total : float or ndarray, shape (...)
        Of all closed pieces together, as a fraction of their volume in bind: -0.1 has lost a tenth. NaN where
        no piece is closed, or they enclose nothing.
    pieces : ndarray, shape (..., C)
        Of each connected piece; NaN where it is open or encloses nothing.
    surface : Surface
        Which pieces those are, and the open edges.

    Examples
    --------
    >>> cube = lissom.samples.twisted_bar().mesh
    >>> found = lissom.metrics.volume_change(1.1 * cube.positions, cube.positions, cube.triangles)
    >>> round(found.total, 3)
    0.331
    """

    total: Any
    pieces: Floats
    surface: Surface

    _repr_html_ = as_html


def volume(positions: ArrayLike, triangles: ArrayLike, bind_positions: ArrayLike | None = None) -> Volume:
    """Measure the volume of the closed pieces of a surface.

    The sum over the triangles of the signed tetrahedra that they span with a point; positive where triangles
    are counter-clockwise seen from outside. Where a surface overlaps itself, the overlap counts twice.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    triangles : array_like of int, shape (F, 3)
    bind_positions : array_like, shape (V, 3), optional
        By which seams are welded; `positions` when omitted, which must then be those of one pose.

    Returns
    -------
    Volume

    Raises
    ------
    TypeError
        If an array holds no numbers, or triangles no integers.
    ValueError
        If a shape does not fit, there is no triangle, a number is not finite or an index out of range.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()  # 4 long and 1 thick
    >>> round(lissom.metrics.volume(bar.mesh.positions, bar.mesh.triangles).total, 3)
    4.0
    """
    points = _input.vertices(positions, "metrics.volume: positions", one=bind_positions is None)
    bind = points
    if bind_positions is not None:
        what = "metrics.volume: bind_positions"
        bind = _input.vertices(bind_positions, what, count=points.shape[-2], one=True)
    surface = surface_of(bind, _input.triangles(triangles, "metrics.volume: triangles", len(bind)))
    pieces = _piece_volumes(points, surface)
    total = pieces[..., surface.closed].sum(axis=-1) if surface.closed.any() else pieces[..., 0]
    return Volume(_input.plain(total), pieces, surface)


def volume_change(positions: ArrayLike, bind_positions: ArrayLike, triangles: ArrayLike) -> VolumeChange:
    """Measure how much of its volume a surface gains or loses in poses.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    bind_positions : array_like, shape (V, 3)
        What the change is against, and by which seams are welded.
    triangles : array_like of int, shape (F, 3)

    Returns
    -------
    VolumeChange

    Raises
    ------
    TypeError, ValueError
        As `volume`.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> pose = bar.clips["twist"].sample(2.0)
    >>> for method in ("linear", "dual_quat"):
    ...     posed = bar.deform(pose, method)
    ...     change = lissom.metrics.volume_change(posed, bar.mesh.positions, bar.mesh.triangles)
    ...     print(method, round(100 * change.total), "%")
    linear -50 %
    dual_quat 0 %
    """
    bind = _input.vertices(bind_positions, "metrics.volume_change: bind_positions", one=True)
    points = _input.vertices(positions, "metrics.volume_change: positions", count=len(bind))
    surface = surface_of(bind, _input.triangles(triangles, "metrics.volume_change: triangles", len(bind)))
    now, before = _piece_volumes(points, surface), _piece_volumes(bind, surface)
    kept = surface.closed
    total = _change(now[..., kept].sum(axis=-1), before[kept].sum())
    return VolumeChange(_input.plain(total), _change(now, before), surface)


def _change(now: Floats, before: Any) -> Floats:
    shape = np.broadcast_shapes(np.shape(now), np.shape(before))
    ratio = np.divide(now, before, out=np.full(shape, np.nan), where=np.asarray(before) != 0)
    result: Floats = ratio - 1
    return result


def _piece_volumes(points: Floats, surface: Surface) -> Floats:
    """Volumes (..., C) of the pieces; NaN where open."""
    # From a point near by: far from the origin the tetrahedra would cancel only roughly. Triangles name the
    # first of the copies of a vertex at a seam: skinning may part them by a rounding.
    placed = points - points.mean(axis=-2, keepdims=True)
    a, b, c = (placed[..., surface.triangles[:, i], :] for i in range(3))
    signed = np.einsum("...i,...i->...", a, np.cross(b, c)) / 6
    rows = [
        np.bincount(surface.pieces, row, surface.piece_count) for row in signed.reshape(-1, signed.shape[-1])
    ]
    result = np.reshape(rows, (*points.shape[:-2], surface.piece_count))
    result[..., ~surface.closed] = np.nan
    return result
