# SPDX-License-Identifier: MIT
"""The bulge of a surface: the increase of its distance from its bones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._base.doors import as_html
from lissom._base.numbers import refuse_larger
from lissom.metrics import _input

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.metrics._input import Floats

__all__ = ["Bulge", "bulge"]


@dataclass(frozen=True, eq=False)
class Bulge:
    """The increase of a surface's distance from its bones over that in the bind pose.

    Attributes
    ----------
    length : float or ndarray, shape (...)
        The largest increase of a vertex's distance from the nearest bone, length units.
    relative : float or ndarray, shape (...)
        The same as a fraction of `radius`.
    vertex : int or ndarray, shape (...)
        The vertex with the largest increase.
    radius : float
        The largest distance from the bones in the bind pose.

    Examples
    --------
    >>> bones = [[[0, 0, 0], [1, 0, 0]]]
    >>> bind = [[0.5, 0.4, 0], [0.5, 0, 0.4]]
    >>> found = lissom.metrics.bulge([[0.5, 0.6, 0], [0.5, 0, 0.4]], bind, bones, bones)
    >>> found.radius, round(found.relative, 3), found.vertex  # vertex 0 is half the radius farther out
    (0.4, 0.5, 0)
    """

    length: Any
    relative: Any
    vertex: Any
    radius: float

    _repr_html_ = as_html


def bulge(positions: ArrayLike, bind_positions: ArrayLike, bones: ArrayLike, bind_bones: ArrayLike) -> Bulge:
    """Measure the largest increase of a vertex's distance from its bones.

    The distance is that to the nearest point of the nearest bone; the increase is from the bind pose to the
    pose. A round tube that keeps its radius through a bend has none: the outside of its corner is rounded.
    Pass only the vertices and bones around one joint, since other bones may be nearer.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    bind_positions : array_like, shape (V, 3)
    bones : array_like, shape (..., B, 2, 3)
        Head and tail of each bone in the poses; leading axes as those of `positions`, or none.
    bind_bones : array_like, shape (B, 2, 3)
        The same bones in the bind pose.

    Returns
    -------
    Bulge

    Raises
    ------
    TypeError
        If an array holds no numbers.
    ValueError
        If a shape does not fit, a number is not finite, or all vertices lie on the bones in the bind pose.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> pose = tube.clips["bend"].sample(2.0)  # to 120 degrees
    >>> ends = tube.skeleton.model_matrices(pose) @ [2.0, 0, 0, 1]  # of both bones, 2 long
    >>> bind_bones = np.array([[[0, 0, 0], [2, 0, 0]], [[2, 0, 0], [4, 0, 0]]])
    >>> bones = [bind_bones[0], [ends[0, :3], ends[1, :3]]]
    >>> for method in ("linear", "dual_quat"):
    ...     posed = tube.deform(pose, method)
    ...     found = lissom.metrics.bulge(posed, tube.mesh.positions, bones, bind_bones)
    ...     print(f"{method} {found.relative:.0%}")
    linear 1%
    dual_quat 17%
    """
    bind = _input.vertices(bind_positions, "metrics.bulge: bind_positions", one=True)
    points = _input.vertices(positions, "metrics.bulge: positions", count=len(bind))
    bones_before = _segments(bind_bones, "metrics.bulge: bind_bones")
    if bones_before.ndim != 3:
        raise ValueError(
            f"metrics.bulge: bind_bones must have shape (B, 2, 3), got {bones_before.shape}; pass one pose"
        )
    bones_now = _segments(bones, "metrics.bulge: bones", len(bones_before))
    poses = points.shape[:-2]
    if bones_now.shape[:-3] not in ((), poses):
        raise ValueError(
            f"metrics.bulge: bones must have the leading axes {poses} of positions, or none, "
            f"got {bones_now.shape[:-3]}"
        )
    before = distances(bind, bones_before)
    radius = float(before.max())
    if radius == 0:
        raise ValueError("metrics.bulge: bind_positions must have a vertex off the bones, got all on them")
    increase = distances(points, bones_now) - before
    vertex = increase.argmax(axis=-1)
    length = increase.max(axis=-1)
    return Bulge(_input.plain(length), _input.plain(length / radius), _input.plain(vertex), radius)


def _segments(value: ArrayLike, what: str, count: int | None = None) -> Floats:
    array = as_numbers(value, what).astype(np.float64)
    rows = "B" if count is None else count
    fits = array.ndim >= 3 and array.shape[-2:] == (2, 3) and array.shape[-3] > 0
    if not fits or count not in (None, array.shape[-3]):
        raise ValueError(f"{what} must have shape (..., {rows}, 2, 3), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
    refuse_larger(array, what)
    return array


def distances(points: Floats, bones: Floats) -> Floats:
    """Return the distance (..., V) from points (..., V, 3) to the nearest of bones (..., B, 2, 3)."""
    poses = np.broadcast_shapes(points.shape[:-2], bones.shape[:-3])
    result: Floats = np.full((*poses, points.shape[-2]), np.inf)
    for i in range(bones.shape[-3]):
        head = bones[..., i, 0, None, :]
        head_to_tail = bones[..., i, 1, None, :] - head
        square = np.einsum("...i,...i->...", head_to_tail, head_to_tail)
        fraction = np.einsum("...i,...i->...", points - head, head_to_tail) / np.where(square > 0, square, 1)
        nearest = head + np.clip(fraction, 0, 1)[..., None] * head_to_tail
        np.minimum(result, np.linalg.norm(points - nearest, axis=-1), out=result)
    return result
