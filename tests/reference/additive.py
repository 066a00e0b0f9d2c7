# SPDX-License-Identifier: MIT
"""Differences between local poses in plain float64 NumPy, one joint at a time: the twin of the core.

Definition: translation and scale b - r, rotation conj(r) b; on top of q the rotation is q delta^w, the power
being that of the rotation's angle about its axis (Euler's theorem), along the shorter arc. Quaternions are x,
y, z, w."""

import numpy as np


def product(p, q):
    """Hamilton's product, from i j = k."""
    v = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return np.append(v, p[3] * q[3] - p[:3] @ q[:3])


def difference(pose, reference):
    """Of poses (J, 10)."""
    result = np.array(pose, np.float64) - np.asarray(reference, np.float64)
    for joint, (row, base) in enumerate(zip(pose, reference, strict=True)):
        conjugate = np.asarray(base[3:7], np.float64) * [-1, -1, -1, 1]
        result[joint, 3:7] = product(conjugate, np.asarray(row[3:7], np.float64))
    return result


def add_layer(base, additive, weight, mask=None):
    """Of poses (J, 10), a weight and a mask (J,)."""
    mask = np.ones(len(base)) if mask is None else mask
    result = np.array(base, np.float64)
    for row, delta, share in zip(
        result, np.asarray(additive, np.float64), weight * np.asarray(mask), strict=True
    ):
        row[:3] += share * delta[:3]
        row[7:] += share * delta[7:]
        turn = delta[3:7] if delta[6] >= 0 else -delta[3:7]
        sine = np.linalg.norm(turn[:3])
        angle = share * np.arctan2(sine, turn[3])
        axis = turn[:3] / sine if sine > 0 else np.zeros(3)
        row[3:7] = product(row[3:7], np.append(np.sin(angle) * axis, np.cos(angle)))
        row[3:7] /= np.linalg.norm(row[3:7])
    return result
