# SPDX-License-Identifier: MIT
"""The head as implicit shapes: skull with face and neck, ears, hair.

All coordinates are those of the head: metres of the adult, origin between the ears, x to the character's
left, y up, z forwards. The chin is at y = -0.118 and the crown of the head at y = 0.117.
"""

from __future__ import annotations

import numpy as np

from lissom.samples._fields import Field, capsule, difference, ellipsoid, intersection, union
from lissom.samples._proportions import Proportions
from lissom.samples._shell import Floats

EYE = np.array([0.0300, 0.002, 0.0655])  # centre of the left eye
EAR = np.array([0.0765, -0.008, -0.012])  # centre of the left ear


def head_field(build: Proportions) -> Field:
    """Skull, face, ears and neck, in head coordinates."""
    jaw, eye, nose, cheek = build.jaw, build.eye, build.nose, build.cheek
    neck_girth = build.neck_girth / build.head

    def field(points: Floats) -> Floats:
        folded = points.copy()
        folded[..., 0] = np.abs(folded[..., 0])
        shape = ellipsoid(points, (0.0, 0.022, -0.012), (0.0755, 0.094, 0.094))
        face = ellipsoid(points, (0.0, -0.034, 0.018), (0.060 * jaw, 0.078, 0.064))
        shape = union(shape, face, 0.030)
        shape = union(shape, ellipsoid(folded, (0.011 * jaw, -0.088, 0.052), (0.026, 0.026, 0.028)), 0.030)
        shape = union(
            shape, ellipsoid(folded, (0.034, -0.036, 0.046), cheek * np.array([0.028, 0.027, 0.027])), 0.030
        )
        brow = capsule(folded, (0.010, 0.026, 0.074), (0.046, 0.024, 0.056), 0.010, 0.010)
        shape = union(shape, brow, 0.020)
        socket = ellipsoid(folded, EYE + np.array([0.002, -0.002, 0.020]), (0.022 * eye, 0.016 * eye, 0.016))
        shape = difference(shape, socket, 0.016)
        tip = (0.0, -0.016 - 0.016 * nose, 0.077 + 0.019 * nose)
        shape = union(shape, capsule(folded, (0.0, 0.010, 0.078), tip, 0.0065, 0.0120 * nose), 0.014)
        wing = (0.0095 * nose, tip[1] - 0.001, tip[2] - 0.008)
        shape = union(shape, ellipsoid(folded, wing, nose * np.array([0.0085, 0.0075, 0.010])), 0.010)
        lips = ellipsoid(points, (0.0, -0.066, 0.072), (0.024, 0.011, 0.013))
        shape = union(shape, lips, 0.012)
        neck = capsule(
            points, (0.0, -0.26, -0.048), (0.0, -0.04, -0.022), 0.056 * neck_girth, 0.048 * neck_girth
        )
        shape = union(shape, neck, 0.030)
        return intersection(shape, _above_hairline(points) - 0.030, 0.02)  # nothing is seen under the hair

    return field


def ear_field() -> Field:
    """Shape the left ear, with its hollow, in head coordinates."""

    def field(points: Floats) -> Floats:
        local = _turned(points, EAR, 0.40)
        shape = ellipsoid(local, (0.0, 0.0, 0.0), (0.0095, 0.031, 0.020))
        hollow = ellipsoid(local, (0.012, 0.004, 0.003), (0.008, 0.019, 0.011))
        return difference(shape, hollow, 0.005)

    return field


def hair_field() -> Field:
    """Shape a short cut with a wave above the forehead."""

    def field(points: Floats) -> Floats:
        folded = points.copy()
        folded[..., 0] = np.abs(folded[..., 0])
        shape = ellipsoid(points, (0.0, 0.030, -0.016), (0.0835, 0.100, 0.1005))
        shape = union(shape, ellipsoid(points, (0.0, 0.092, 0.036), (0.056, 0.032, 0.050)), 0.030)
        shape = union(shape, ellipsoid(folded, (0.030, 0.082, 0.048), (0.036, 0.028, 0.034)), 0.034)
        # Hairline: a plane that rises from the nape to the forehead, and the temples cut back from the face.
        shape = intersection(shape, -_above_hairline(points), 0.012)
        temple = ellipsoid(folded, (0.058, 0.020, 0.085), (0.040, 0.042, 0.050))
        shape = difference(shape, temple, 0.012)
        ear = ellipsoid(folded, (0.080, -0.012, -0.004), (0.030, 0.036, 0.026))
        return difference(shape, ear, 0.008)

    return field


def _above_hairline(points: Floats) -> Floats:
    """Distance above a plane that rises from the nape to the forehead."""
    return np.asarray(points @ np.array([0.0, 0.80, -0.60]))


def _turned(points: Floats, center: Floats, angle: float) -> Floats:
    """Points relative to a centre, rotated about y by `angle`."""
    local = points - center
    c, s = np.cos(angle), np.sin(angle)
    about_y = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return np.asarray(local @ about_y)
