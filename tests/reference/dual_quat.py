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


def conjugate(q):
    q = np.asarray(q, np.float64)
    return np.concatenate([quat.conjugate(q[..., :4]), quat.conjugate(q[..., 4:])], -1)


def inverse(q):
    """What the product with q makes the identity, by eight linear equations."""
    q = np.asarray(q, np.float64)
    columns = [multiply(q, unit) for unit in np.eye(8)]
    return np.linalg.solve(np.stack(columns, -1), np.eye(8)[3, :, None])[..., 0]


def normalize(q):
    """q / sqrt(q q*): the root of the dual number n + eps m is sqrt(n) + eps m / (2 sqrt(n))."""
    q = np.asarray(q, np.float64)
    norm = multiply(q, conjugate(q))
    n, m = norm[..., 3:4], norm[..., 7:8]
    root, root_dual = np.sqrt(n), m / (2 * np.sqrt(n))
    # (a + eps b) / (c + eps d) = a / c + eps (b c - a d) / c^2
    return np.concatenate([q[..., :4] / root, (q[..., 4:] * root - q[..., :4] * root_dual) / root**2], -1)


def transform_point(q, p):
    m = to_matrix(q)
    return np.einsum("...ij,...j->...i", m[..., :3, :3], p) + m[..., :3, 3]


def screw_matrix(axis, point, angle, shift):
    """Turn about the line through `point` along the unit `axis`, then shift along it: a matrix (Chasles)."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    m = np.eye(4)
    m[:3, :3] += np.sin(angle) * k + (1 - np.cos(angle)) * k @ k  # Rodrigues
    m[:3, 3] = point - m[:3, :3] @ point + shift * np.asarray(axis)
    return m


def screw_of_matrix(m):
    """Axis, the point of the line nearest to the origin, angle in [0, pi], shift; not for translations."""
    r, t = m[:3, :3], m[:3, 3]
    values, vectors = np.linalg.eig(r)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    axis /= np.linalg.norm(axis)
    turn = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    axis = -axis if turn @ axis < 0 else axis
    angle = np.arctan2(turn @ axis / 2, (np.trace(r) - 1) / 2)
    shift = t @ axis
    # t = (1 - R) point + shift axis, and <point, axis> = 0
    rows = np.vstack([np.eye(3) - r, axis])
    point = np.linalg.lstsq(rows, np.append(t - shift * axis, 0), rcond=None)[0]
    return axis, point, angle, shift


def sclerp_matrix(a, b, t):
    """The matrix of a (a^-1 b)^t by the explicit screw between the matrices of a and b."""
    a, b = to_matrix(a), to_matrix(b)
    axis, point, angle, shift = screw_of_matrix(np.linalg.inv(a) @ b)
    return a @ screw_matrix(axis, point, t * angle, t * shift)


def dlb(q, weights):
    """Kavan et al. 2008, signed against the item of largest weight (ties: the first)."""
    q, weights = np.asarray(q, np.float64), np.asarray(weights, np.float64)
    pivot = q[np.argmax(weights)]
    total = np.zeros(8)
    for item, weight in zip(q, weights, strict=True):
        total += (weight if item[:4] @ pivot[:4] >= 0 else -weight) * item
    return normalize(total)
