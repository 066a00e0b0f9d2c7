# SPDX-License-Identifier: MIT
"""Dual quaternions in float64: real x, y, z, w, then dual x, y, z, w (Kavan et al. 2008)."""

import numpy as np

from reference import quat


def from_rotation_translation(rotation, translation):
    """real = r, dual = 0.5 (t, 0) r."""
    translation = np.asarray(translation, np.float64)
    pure = np.concatenate([translation, np.zeros((*translation.shape[:-1], 1))], -1)
    rotation = np.broadcast_to(np.asarray(rotation, np.float64), (*translation.shape[:-1], 4))
    return np.concatenate([rotation, 0.5 * quat.multiply(pure, rotation)], -1)


def multiply(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    real = quat.multiply(a[..., :4], b[..., :4])
    dual = quat.multiply(a[..., :4], b[..., 4:]) + quat.multiply(a[..., 4:], b[..., :4])
    return np.concatenate([real, dual], -1)


def to_matrix(q):
    """Of a unit dual quaternion, (..., 4, 4)."""
    q = np.asarray(q, np.float64)
    m = np.zeros((*q.shape[:-1], 4, 4))
    m[..., :3, :3] = quat.to_matrix(q[..., :4])
    m[..., :3, 3] = 2 * quat.multiply(q[..., 4:], quat.conjugate(q[..., :4]))[..., :3]
    m[..., 3, 3] = 1
    return m
