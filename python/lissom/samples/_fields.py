# SPDX-License-Identifier: MIT
"""Implicit shapes: functions of points that are negative inside, zero on the surface and near a distance.

Every function takes points as an array (N, 3) in metres and returns (N,). Distances are approximate away
from the surface; all that is asked of them is the right zero set and a gradient of about unit length there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom import _core
from lissom.samples._shell import Booleans, Floats, Ints

Field = Callable[[Floats], Floats]
Vector = Sequence[float] | Floats  # three numbers


def union(first: Floats, second: Floats, radius: float | Floats) -> Floats:
    """Smooth minimum: both shapes, with a fillet of about `radius` where they meet.

    The polynomial blend, which differs from the minimum only where the two are within `radius` of each other.
    """
    if isinstance(radius, np.ndarray):
        overlap = np.maximum(radius - np.abs(first - second), 0.0) / radius
        return np.asarray(np.minimum(first, second) - 0.25 * radius * overlap * overlap)
    return _blended(first, second, radius, 1.0)


def intersection(first: Floats, second: Floats, radius: float) -> Floats:
    """Smooth maximum: what lies in both shapes, with the edge between them rounded."""
    return _blended(first, second, radius, -1.0)


def _blended(first: Floats, second: Floats, radius: float, sign: float) -> Floats:
    distances = np.empty(len(first))
    _core.smooth_union(first, second, radius, sign, distances)
    return distances


def difference(first: Floats, second: Floats, radius: float) -> Floats:
    """Cut the second shape out of the first, with the edge rounded."""
    return intersection(first, -second, radius)


def where(near: Booleans, shape: Callable[[Ints], Floats]) -> Floats:
    """Distances (N,) to a shape of the points that are near, by their numbers, and infinity of all others.

    A union with a shape that is further away than its radius leaves the other one exactly as it is.
    """
    distances = np.full(near.shape, np.inf)
    numbers = np.flatnonzero(near)
    if len(numbers):
        distances[numbers] = shape(numbers)
    return distances


def ellipsoid(points: Floats, center: Vector, radii: Vector) -> Floats:
    """Ellipsoid with axes along x, y, z; first-order distance."""
    distances = np.empty(len(points))
    _core.ellipsoid_distances(_rows(points), _vector(center), _vector(radii), distances)
    return distances


def row_dots(first: Floats, second: Floats) -> Floats:
    """Dot products of vectors (..., 3)."""
    products = [first[..., k] * second[..., k] for k in range(3)]
    # y last: as sums over rows by NumPy on x86, which the samples were made with.
    return np.asarray((products[0] + products[2]) + products[1])


def capsule(points: Floats, head: Vector, tail: Vector, head_radius: float, tail_radius: float) -> Floats:
    """Round bar whose radius goes linearly from one end to the other."""
    distances = np.empty(len(points))
    _core.capsule_distances(_rows(points), _vector(head), _vector(tail), head_radius, tail_radius, distances)
    return distances


def _rows(points: Floats) -> Floats:
    return np.ascontiguousarray(points, np.float64)


def _vector(numbers: Vector) -> Floats:
    return np.asarray(numbers, np.float64)


def mirrored(points: Floats) -> Floats:
    """Reflect points in the plane x = 0."""
    reflected = np.array(points)
    np.negative(reflected[..., 0], out=reflected[..., 0])
    return reflected


@dataclass(frozen=True, eq=False)
class Loft:
    """A limb or trunk: an ellipse swept along a straight axis while its size and centre follow curves.

    Parameters
    ----------
    origin : array (3,)
        Where the axis starts.
    axes : array (3, 3)
        Rows: the axis, then the directions of the ellipse's first and second half-width; orthonormal.
    knots : array (N, 5)
        Rows of: distance along the axis (increasing), first and second half-width, centre along the first and
        second direction; metres. A smooth curve goes through them; beyond the ends the loft runs straight on.
    """

    origin: Floats
    axes: Floats
    knots: Floats

    def __call__(self, points: Floats) -> Floats:
        """Distance to the swept surface, endless along the axis."""
        distances = np.empty(len(points))
        _core.loft_distances(_rows(points), *self._arguments, distances)
        return distances

    @cached_property
    def _arguments(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        values = self.knots[:, 1:]
        return (
            _vector(self.origin),
            np.ascontiguousarray(self.axes, np.float64),
            np.ascontiguousarray(self.knots[:, 0], np.float64),
            np.ascontiguousarray(values, np.float64),
            curve_slopes(self.knots),
        )


def curve_slopes(knots: Floats) -> Floats:
    """Slopes (N, C) of a smooth curve at its knots (N, 1 + C): the first column is the parameter, increasing.

    They are the weighted harmonic means of the neighbouring chords, so that a cubic Hermite curve never
    overshoots a knot (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5(2), 1984); zero at both ends.
    """
    parameter, values = knots[:, 0], knots[:, 1:]
    step = np.diff(parameter)[:, None]
    chord = np.diff(values, axis=0) / step
    slope = np.zeros_like(values)
    before, after = step[:-1], step[1:]
    same_sign = chord[:-1] * chord[1:] > 0.0
    safe = np.where(same_sign, chord[:-1], 1.0), np.where(same_sign, chord[1:], 1.0)
    first_weight, second_weight = 2.0 * after + before, after + 2.0 * before
    mean = (first_weight + second_weight) / (first_weight / safe[0] + second_weight / safe[1])
    slope[1:-1] = np.where(same_sign, mean, 0.0)

    return slope


def gradient(field: Field, points: Floats, step: float = 1e-4) -> Floats:
    """Gradient of the field (N, 3) by central differences over `step` metres in both directions."""
    offsets = step * np.eye(3)
    probes = np.concatenate([points + offset for offset in offsets] + [points - offset for offset in offsets])
    values = field(probes).reshape(2, 3, len(points))
    slope: Floats = (values[0] - values[1]).T / (2.0 * step)
    return slope


def value_and_gradient(field: Field, points: Floats, step: float = 1e-4) -> tuple[Floats, Floats]:
    """Value (N,) and gradient (N, 3) of the field from its values at the corners of a small tetrahedron."""
    corners = step * np.array([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)])
    probes = (points + corners[:, None]).reshape(-1, 3)
    values = field(probes).reshape(4, len(points))
    return values.mean(axis=0), values.T @ corners / (4.0 * step * step)
