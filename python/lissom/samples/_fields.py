# SPDX-License-Identifier: MIT
"""Implicit shapes: functions of points that are negative inside, zero on the surface and near a distance.

Every function takes points as an array (..., 3) in metres and returns (...). Distances are approximate away
from the surface; all that is asked of them is the right zero set and a gradient of about unit length there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lissom.samples._shell import Floats

Field = Callable[[Floats], Floats]
Vector = Sequence[float] | Floats  # three numbers

_TINY = 1e-9  # metres; keeps quotients finite at the centres of ellipsoids


def union(first: Floats, second: Floats, radius: float | Floats) -> Floats:
    """Smooth minimum: both shapes, with a fillet of about `radius` where they meet.

    The polynomial blend, which differs from the minimum only where the two are within `radius` of each other.
    """
    overlap = np.abs(first - second)
    np.subtract(radius, overlap, out=overlap)
    np.maximum(overlap, 0.0, out=overlap)
    overlap /= radius
    fillet = 0.25 * radius * overlap
    fillet *= overlap
    blended: Floats = np.minimum(first, second)
    blended -= fillet
    return blended


def intersection(first: Floats, second: Floats, radius: float) -> Floats:
    """Smooth maximum: what lies in both shapes, with the edge between them rounded."""
    return -union(-first, -second, radius)


def difference(first: Floats, second: Floats, radius: float) -> Floats:
    """Cut the second shape out of the first, with the edge rounded."""
    return intersection(first, -second, radius)


def ellipsoid(points: Floats, center: Vector, radii: Vector) -> Floats:
    """Ellipsoid with axes along x, y, z; first-order distance."""
    scaled = [(points[..., k] - center[k]) / radii[k] for k in range(3)]
    norm = _length(*scaled)
    slope = _length(*(scaled[k] / radii[k] for k in range(3)))
    distance: Floats = norm * (norm - 1.0) / np.maximum(slope, _TINY)
    return np.where(norm < _TINY, -np.min(radii), distance)


def row_dots(first: Floats, second: Floats) -> Floats:
    """Dot products of vectors (..., 3)."""
    return _sum(*(first[..., k] * second[..., k] for k in range(3)))


def _length(x: Floats, y: Floats, z: Floats) -> Floats:
    return np.asarray(np.sqrt(_sum(x * x, y * y, z * z)))


def _sum(x: Floats, y: Floats, z: Floats) -> Floats:
    """Sum of three numbers, y last: as sums over rows by NumPy on x86, which the samples were made with."""
    x += z
    x += y
    return x


def capsule(points: Floats, head: Vector, tail: Vector, head_radius: float, tail_radius: float) -> Floats:
    """Round bar whose radius goes linearly from one end to the other."""
    start = np.asarray(head, float)
    axis = np.asarray(tail, float) - start
    relative = points - start
    along = np.clip(relative @ axis / (axis @ axis), 0.0, 1.0)
    distance = _length(*(relative[..., k] - along * axis[k] for k in range(3)))
    return np.asarray(distance - (head_radius + (tail_radius - head_radius) * along))


def mirrored(points: Floats) -> Floats:
    """Reflect points in the plane x = 0."""
    reflected = np.array(points)
    np.negative(reflected[..., 0], out=reflected[..., 0])
    return reflected


@dataclass(frozen=True)
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
        local = (points - self.origin) @ self.axes.T
        wide, deep, shift_wide, shift_deep = curve(self.knots, local[..., 0])
        across = (local[..., 1] - shift_wide) / wide
        through = (local[..., 2] - shift_deep) / deep
        norm = np.sqrt(across * across + through * through)
        slope = np.sqrt((across / wide) ** 2 + (through / deep) ** 2)
        distance: Floats = norm * (norm - 1.0) / np.maximum(slope, _TINY)
        return np.where(norm < _TINY, -np.minimum(wide, deep), distance)


def curve(knots: Floats, at: Floats) -> Floats:
    """Smooth curve through knots (N, 1 + C): the first column is the parameter, increasing.

    Returns
    -------
    ndarray, shape (C,) + at.shape
        A cubic Hermite curve whose slopes are the weighted harmonic means of the neighbouring chords, so that
        it never overshoots a knot (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5(2), 1984). Constant
        beyond the ends.
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

    clamped = np.clip(at, parameter[0], parameter[-1])
    interval = np.clip(np.searchsorted(parameter, clamped, side="right") - 1, 0, len(parameter) - 2)
    length = step[:, 0][interval]
    u = (clamped - parameter[interval]) / length
    u2 = u * u
    u3 = u2 * u
    begin, begin_slope = 2 * u3 - 3 * u2 + 1, (u3 - 2 * u2 + u) * length
    end, end_slope = 3 * u2 - 2 * u3, (u3 - u2) * length
    result = np.empty((values.shape[1], *at.shape))
    for component, value, its_slope in zip(result, values.T, slope.T, strict=True):
        np.multiply(begin, value[interval], out=component)
        component += begin_slope * its_slope[interval]
        component += end * value[1:][interval]
        component += end_slope * its_slope[1:][interval]
    return result


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
