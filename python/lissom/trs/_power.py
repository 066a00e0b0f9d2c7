# SPDX-License-Identifier: MIT
"""Powers of rigid trs (..., 10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat

Floats = NDArray[np.float64]


def power(move: ArrayLike, exponents: ArrayLike) -> Floats:
    """Return integer powers of a rigid transform: done k times, for negative k undone.

    Closed form: let a be the angle of the rotation and d the part of the translation across its axis. Done k
    times, it rotates by k a; the part of the translation along the axis is there k times, and across it is
    the sum of d rotated by 0, a, ..., (k - 1) a, which is ``sin(k a / 2) / sin(a / 2)`` times d rotated by
    ``(k - 1) a / 2``. So every power costs the same, and a pure translation stays one.

    Parameters
    ----------
    move : array_like, shape (10,)
    exponents : array_like of float, shape (...)
        Whole numbers.

    Returns
    -------
    ndarray of float64, shape (..., 10)
    """
    row = np.asarray(move, np.float64)
    k = np.asarray(exponents, np.float64)[..., None]
    rotation = row[3:7] if row[6] >= 0 else -row[3:7]
    sine = float(np.linalg.norm(rotation[:3]))
    half = np.arctan2(sine, rotation[3])  # of the angle
    axis = rotation[:3] / sine if sine > 0 else np.zeros(3)
    along = axis * (axis @ row[:3])
    across = row[:3] - along

    def rotation_by(half_angle: Floats) -> Floats:
        return np.concatenate([axis * np.sin(half_angle), np.cos(half_angle)], axis=-1)

    result = np.ones((*k.shape[:-1], 10))
    times = np.sin(k * half) / np.sin(half) if sine > 0 else k
    middle = quat.rotate(rotation_by((k - 1) * half / 2), np.broadcast_to(across, (*k.shape[:-1], 3)))
    result[..., :3] = k * along + times * middle
    result[..., 3:7] = rotation_by(k * half)
    return result
