# SPDX-License-Identifier: MIT
"""Where a head looks: rotations of joints in model space, yaw and pitch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat

__all__ = ["Floats", "angles_to", "eye_turns", "front_turn", "rotations_of"]

Floats = NDArray[np.float64]


def rotations_of(matrices: NDArray[Any]) -> Floats:
    """Return the rotations (..., 4) of transforms (..., 4, 4) whose axes may be scaled.

    Of a mirror the x axis is turned round; a transform that scales an axis to nothing has no rotation.
    """
    axes = matrices[..., :3, :3].astype(np.float64)
    largest = np.abs(axes).max(axis=-2, keepdims=True)  # squares of the axes themselves may overflow
    is_whole = (largest > 0).all(axis=(-2, -1))
    unit = axes / np.where(largest > 0, largest, 1)
    unit /= np.maximum(np.linalg.norm(unit, axis=-2, keepdims=True), 1)
    unit[..., 0] *= np.where(np.linalg.det(unit) < 0, -1, 1)[..., None]
    return np.asarray(quat.from_matrix(np.where(is_whole[..., None, None], unit, np.eye(3))))


def _azimuth_altitude(directions: Floats) -> tuple[Floats, Floats]:
    x, y, z = np.moveaxis(directions, -1, 0)
    return np.arctan2(-z, x), np.arctan2(y, np.hypot(x, z))


def _wrapped(angles: Floats) -> Floats:
    """Return angles less than half a turn from zero."""
    return np.asarray(angles - 2 * np.pi * np.round(angles / (2 * np.pi)))


def angles_to(directions: Floats, front: Floats) -> tuple[Floats, Floats]:
    """Return yaw and pitch, (...) each, from `front` to directions (..., 3), which may be of any length.

    Yaw is positive to the left of one who looks to the front, pitch positive below.
    """
    azimuth, altitude = _azimuth_altitude(directions)
    azimuth_front, altitude_front = _azimuth_altitude(front)
    return _wrapped(azimuth - azimuth_front), _wrapped(altitude_front - altitude)


def front_turn(front: Floats) -> Floats:
    """Return the rotation, (4,), from +z to the front that keeps heads upright."""
    azimuth, altitude = _azimuth_altitude(front)
    about_y = quat.from_axis_angle((0.0, 1.0, 0.0), azimuth + np.pi / 2)
    return np.asarray(quat.multiply(about_y, quat.from_axis_angle((1.0, 0.0, 0.0), -altitude)))


def eye_turns(yaw: Floats, pitch: Floats, front: Floats) -> Floats:
    """Return rotations (..., 4) in model space of eyes that look to the front at rest."""
    turn = quat.multiply(
        quat.from_axis_angle((0.0, 1.0, 0.0), yaw), quat.from_axis_angle((1.0, 0.0, 0.0), pitch)
    )
    towards = front_turn(front)
    return np.asarray(quat.multiply(quat.multiply(towards, turn), quat.conjugate(towards)))
