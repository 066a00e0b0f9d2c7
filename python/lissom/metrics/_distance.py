# SPDX-License-Identifier: MIT
"""The distance between two results for the same vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.doors import as_html
from lissom._base.numbers import check_number
from lissom.metrics import _input

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.metrics._input import Floats

__all__ = ["Distance", "distance"]


@dataclass(frozen=True, eq=False)
class Distance:
    """Distances between two sets of vertices, with one number for each pose.

    Attributes
    ----------
    max, p99, rms, mean : float or ndarray, shape (...)
        Over the vertices, length units; `p99` is the 99th percentile.
    vertex : int or ndarray, shape (...)
        The vertex with the largest distance.
    size : float
        Length that relative distances are fractions of, length units.
    vertices : ndarray, shape (..., V)
        Distance of each vertex, length units.

    Examples
    --------
    >>> corners = np.zeros((4, 3))
    >>> moved = corners + [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 2, 0]]
    >>> found = lissom.metrics.distance(corners, moved, size=10.0)
    >>> found.max, found.mean, found.vertex, found.max_relative
    (2.0, 0.5, 3, 0.2)
    """

    max: Any
    p99: Any
    rms: Any
    mean: Any
    vertex: Any
    size: float
    vertices: Floats

    _repr_html_ = as_html

    @property
    def max_relative(self) -> Any:
        """`max` as a fraction of the size; in length units where the size is 0."""
        return self.max / (self.size or 1.0)

    @property
    def p99_relative(self) -> Any:
        """`p99` as a fraction of the size; in length units where the size is 0."""
        return self.p99 / (self.size or 1.0)

    @property
    def rms_relative(self) -> Any:
        """`rms` as a fraction of the size; in length units where the size is 0."""
        return self.rms / (self.size or 1.0)

    @property
    def mean_relative(self) -> Any:
        """`mean` as a fraction of the size; in length units where the size is 0."""
        return self.mean / (self.size or 1.0)


def distance(a: ArrayLike, b: ArrayLike, size: float | None = None) -> Distance:
    """Measure the distances between two results for the same vertices, such as of two skinning methods.

    Parameters
    ----------
    a, b : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses and broadcast.
    size : float, optional
        Length that relative distances are fractions of, such as `Character.size`. The largest diagonal of
        the bounding boxes of the poses of `a` when omitted.

    Returns
    -------
    Distance

    Raises
    ------
    TypeError
        If an array holds no numbers, or `size` is not a number.
    ValueError
        If a shape does not fit, or a number is not finite, or `size` is negative.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> pose = bar.clips["twist"].sample(2.0)
    >>> found = lissom.metrics.distance(bar.deform(pose), bar.deform(pose, "dual_quat"), bar.size)
    >>> print(f"at most {found.max_relative:.1%} of the size, {found.rms_relative:.1%} rms")
    at most 16.5% of the size, 8.1% rms
    """
    first = _input.vertices(a, "metrics.distance: a")
    second = _input.vertices(b, "metrics.distance: b", count=first.shape[-2])
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise ValueError(
            f"metrics.distance: b must have leading axes that broadcast with {first.shape[:-2]}, "
            f"got {second.shape[:-2]}"
        ) from None
    if size is None:
        size = float(np.linalg.norm(np.ptp(first, axis=-2), axis=-1).max(initial=0))
    size = check_number(size, "metrics.distance: size", least=0)
    distances: Floats = np.linalg.norm(second - first, axis=-1)
    return Distance(
        max=_input.plain(distances.max(axis=-1)),
        p99=_input.plain(np.quantile(distances, 0.99, axis=-1)),
        rms=_input.plain(np.sqrt(np.mean(distances**2, axis=-1))),
        mean=_input.plain(distances.mean(axis=-1)),
        vertex=_input.plain(distances.argmax(axis=-1)),
        size=size,
        vertices=distances,
    )
