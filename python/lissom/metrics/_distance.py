# SPDX-License-Identifier: MIT
"""How far two results for the same vertices are apart."""

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
    """Distances between two sets of vertices. One number for each pose.

    Attributes
    ----------
    max, p99, rms, mean : float or ndarray, shape (...)
        Over the vertices, length units; `p99` is the 99th percentile.
    vertex : int or ndarray, shape (...)
        Where the largest is.
    size : float
        What they are set against: length units.
    vertices : ndarray, shape (..., V)
        Of each vertex, length units.

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
        """`max` as a fraction of the size; as it is where the size is 0."""
        return self.max / (self.size or 1.0)

    @property
    def p99_relative(self) -> Any:
        """`p99` as a fraction of the size; as it is where the size is 0."""
        return self.p99 / (self.size or 1.0)

    @property
    def rms_relative(self) -> Any:
        """`rms` as a fraction of the size; as it is where the size is 0."""
        return self.rms / (self.size or 1.0)

    @property
    def mean_relative(self) -> Any:
        """`mean` as a fraction of the size; as it is where the size is 0."""
        return self.mean / (self.size or 1.0)


def distance(a: ArrayLike, b: ArrayLike, size: float | None = None) -> Distance:
    """Measure how far vertices are apart, such as those that two skinning methods give.

    Parameters
    ----------
    a, b : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses and broadcast.
    size : float, optional
        What `max_relative` and the like are fractions of: `Character.size` for those of a character. The
        largest diagonal of the boxes around the poses of `a` when omitted.

    Returns
    -------
    Distance

    Raises
    ------
    TypeError
        If an array holds no numbers, or `size` is none.
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
            f"metrics.distance: b: expected leading axes that fit {first.shape[:-2]}, got {second.shape[:-2]}"
        ) from None
    if size is None:
        size = float(np.linalg.norm(np.ptp(first, axis=-2), axis=-1).max(initial=0))
    size = check_number(size, "metrics.distance: size", least=0)
    apart: Floats = np.linalg.norm(second - first, axis=-1)
    return Distance(
        max=_input.plain(apart.max(axis=-1)),
        p99=_input.plain(np.quantile(apart, 0.99, axis=-1)),
        rms=_input.plain(np.sqrt(np.mean(apart**2, axis=-1))),
        mean=_input.plain(apart.mean(axis=-1)),
        vertex=_input.plain(apart.argmax(axis=-1)),
        size=size,
        vertices=apart,
    )
