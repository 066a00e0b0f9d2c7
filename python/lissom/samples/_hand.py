# SPDX-License-Identifier: MIT
"""The left hand with a piece of wrist, as an implicit shape.

Coordinates are those of the hand: metres of the adult, origin at the wrist, along the fingers, towards the
palm, towards the thumb.
"""

from __future__ import annotations

import numpy as np

from lissom.samples._fields import Field, capsule, ellipsoid, intersection, union
from lissom.samples._shell import Floats

# Base, middle joint and tip of each finger; radii there.
_FINGERS = (
    ((0.084, 0.000, 0.0325), (0.122, 0.004, 0.0375), (0.153, 0.014, 0.0395), (0.0108, 0.0102, 0.0092)),
    ((0.088, -0.001, 0.0105), (0.130, 0.004, 0.0125), (0.165, 0.015, 0.0132), (0.0110, 0.0104, 0.0094)),
    ((0.084, -0.001, -0.0115), (0.124, 0.004, -0.0130), (0.157, 0.015, -0.0136), (0.0108, 0.0101, 0.0091)),
    ((0.076, 0.000, -0.0325), (0.106, 0.005, -0.0375), (0.133, 0.014, -0.0400), (0.0098, 0.0092, 0.0083)),
)
THUMB = ((0.024, 0.008, 0.024), (0.062, 0.014, 0.052), (0.092, 0.020, 0.066), (0.0150, 0.0125, 0.0105))


def hand_field() -> Field:
    """Wrist, palm, four fingers and thumb."""

    def field(points: Floats) -> Floats:
        flat = points * np.array([1.0, 1.25, 1.0])
        palm = ellipsoid(points, (0.052, 0.000, 0.000), (0.050, 0.0165, 0.038))
        for base, _, _, _ in _FINGERS:
            start = (0.020, 0.0, 0.5 * base[2])
            palm = union(palm, capsule(flat, start, (base[0] - 0.004, 0.0, base[2]), 0.018, 0.0125), 0.012)
        palm = union(palm, ellipsoid(points, (0.038, 0.010, 0.020), (0.030, 0.014, 0.017)), 0.012)
        palm = union(palm, capsule(flat, (-0.090, 0.0, 0.0), (0.010, 0.0, 0.0), 0.026, 0.025), 0.020)
        fingers = np.full(points.shape[:-1], np.inf)
        for base, middle, tip, radii in _FINGERS:
            finger = capsule(points, base, middle, radii[0], radii[1])
            finger = np.minimum(finger, capsule(points, middle, tip, radii[1], radii[2]))
            fingers = np.minimum(fingers, finger)
        shape = union(palm, fingers, 0.008)
        base, middle, tip, radii = THUMB
        thumb = union(
            capsule(points, base, middle, radii[0], radii[1]),
            capsule(points, middle, tip, radii[1], radii[2]),
            0.004,
        )
        shape = union(shape, thumb, 0.014)
        return intersection(shape, -0.050 - points[..., 0], 0.02)

    return field
