# SPDX-License-Identifier: MIT
"""The volume that a surface encloses, and its change in a pose."""

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
        Sum over all closed pieces; NaN where none is closed.
    pieces : ndarray, shape (..., C)
        Volume of each connected piece; NaN where it is open.
    surface : Surface
        The pieces and the open edges.

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
    """The change of a surface's volume in a pose.

    Attributes
    ----------
    total : float or ndarray, shape (...)
        Change of all closed pieces together, as a fraction of their volume in the bind pose: -0.1 is the loss
        of a tenth. NaN where no piece is closed, or their volume in the bind pose is 0.
    pieces : ndarray, shape (..., C)
        Change of each connected piece; NaN where it is open, or its volume in the bind pose is 0.
    surface : Surface
        The pieces and the open edges.

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
        Positions by which seams are welded; `positions` when omitted, which must then be of one pose.

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
    """Measure the volume that a surface gains or loses in poses.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    bind_positions : array_like, shape (V, 3)
        Positions that the change is relative to, and by which seams are welded.
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
    """Return the volumes (..., C) of the pieces; NaN where open."""
    # Relative to the mean: far from the origin, rounding would leave much of what should cancel. By welded
    # triangles: skinning may move the copies of a vertex at a seam apart by a rounding.
    placed = points - points.mean(axis=-2, keepdims=True)
    a, b, c = (placed[..., surface.triangles[:, i], :] for i in range(3))
    signed = np.einsum("...i,...i->...", a, np.cross(b, c)) / 6
    rows = [
        np.bincount(surface.pieces, row, surface.piece_count) for row in signed.reshape(-1, signed.shape[-1])
    ]
    result = np.reshape(rows, (*points.shape[:-2], surface.piece_count))
    result[..., ~surface.closed] = np.nan
    return result
