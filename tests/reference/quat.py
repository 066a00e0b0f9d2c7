# SPDX-License-Identifier: MIT
"""Quaternions x, y, z, w in float64, from the textbook: slow, plain, one at a time where that is clearer."""

import numpy as np

YZX, ZXY = [1, 2, 0], [2, 0, 1]  # np.cross does the same and takes most of the time of the tests of IK


def multiply(a, b):
    """Hamilton's product by dot and cross product: (u, s)(v, t) = (s v + t u + u x v, s t - u . v)."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = s * v + t * u + (u[..., YZX] * v[..., ZXY] - u[..., ZXY] * v[..., YZX])
    return np.concatenate([vector, s * t - np.sum(u * v, -1, keepdims=True)], -1)


def conjugate(q):
    return np.asarray(q, np.float64) * [-1, -1, -1, 1]


def rotate(q, p):
    """The sandwich q p q*."""
    p = np.asarray(p, np.float64)
    pure = np.concatenate([p, np.zeros((*p.shape[:-1], 1))], -1)
    return multiply(multiply(q, pure), conjugate(q))[..., :3]


def to_matrix(q):
    """Columns are where the axes go."""
    q = np.asarray(q, np.float64)
    return np.stack([rotate(q, axis) for axis in np.eye(3)], -1)


def from_axis_angle(axis, angle):
    axis = np.asarray(axis, np.float64)
    half = np.asarray(angle, np.float64)[..., None] / 2
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.concatenate([unit * np.sin(half), np.cos(half)], -1)


def from_matrix(m):
    """The eigenvector of the largest eigenvalue of Bar-Itzhack's symmetric 4x4 matrix (2000); w >= 0."""
    m = np.asarray(m, np.float64)
    k = np.empty((*m.shape[:-2], 4, 4))
    k[..., :3, :3] = m + np.swapaxes(m, -1, -2) - np.trace(m, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
    k[..., 3, 3] = np.trace(m, axis1=-2, axis2=-1)
    vector = np.stack(
        [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], -1
    )
    k[..., :3, 3] = k[..., 3, :3] = vector
    q = np.linalg.eigh(k / 3)[1][..., -1]
    return np.where(q[..., 3:] < 0, -q, q)


def slerp(a, b, t):
    """The short way, through the angle (Shoemake 1985)."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    t = np.asarray(t, np.float64)[..., None]
    cosine = np.sum(a * b, -1, keepdims=True)
    b = np.where(cosine < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)
    return np.where(angle < 1e-7, (1 - t) * a + t * b, result)


def align(q, closed=False):
    """Signs along axis -2; where they cannot agree round the loop, the farthest neighbours stay apart."""
    q = np.array(q, order="C")
    for sequence in q.reshape(-1, *q.shape[-2:]):
        for i in range(1, len(sequence)):
            if sequence[i - 1] @ sequence[i] < 0:
                sequence[i] *= -1
        if closed and sequence[-1] @ sequence[0] < 0:
            near = [abs(sequence[i - 1] @ sequence[i]) for i in range(len(sequence))]  # 0: the seam
            sequence[int(np.argmin(near)) or len(sequence) :] *= -1
    return q


def to_axis_angle(q):
    """By arc cosine of w >= 0: right to 1e-8 near no turn at all, which known values are for."""
    q = np.asarray(q, np.float64)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    q = np.where(q[..., 3:] < 0, -q, q)
    return q[..., :3] / np.linalg.norm(q[..., :3], axis=-1, keepdims=True), 2 * np.arccos(q[..., 3])


def from_euler(sequence, angles):
    """The product of a rotation per letter: new ones stand left for fixed axes, right for those that turn."""
    q = np.array([0.0, 0, 0, 1])
    for letter, angle in zip(sequence, np.moveaxis(np.asarray(angles, np.float64), -1, 0), strict=True):
        turn = from_axis_angle(np.eye(3)["xyz".index(letter.lower())], angle)
        q = multiply(q, turn) if sequence.isupper() else multiply(turn, q)
    return q


def from_to(a, b):
    """About the cross product, by the angle between."""
    cosine = np.sum(a * b, -1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    return from_axis_angle(np.cross(a, b), np.arccos(cosine))


def look_rotation(forward, up):
    z = forward / np.linalg.norm(forward, axis=-1, keepdims=True)
    x = np.cross(up, z)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return from_matrix(np.stack([x, np.cross(z, x), z], -1))


def swing_twist(q, axis):
    """The twist is q projected onto the turns about the axis."""
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    along = np.sum(q[..., :3] * unit, -1, keepdims=True) * unit
    twist = np.concatenate([along, q[..., 3:]], -1)
    twist /= np.linalg.norm(twist, axis=-1, keepdims=True)
    twist = np.where(twist[..., 3:] < 0, -twist, twist)
    return multiply(q, conjugate(twist)), twist


def normalize(q):
    q = np.asarray(q, np.float64)
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def inverse(q):
    return conjugate(q) / np.sum(np.square(np.asarray(q, np.float64)), -1, keepdims=True)


def log(q):
    """No scalars: they have no axis."""
    q = np.asarray(q, np.float64)
    sine, size = (np.linalg.norm(v, axis=-1, keepdims=True) for v in (q[..., :3], q))
    return np.concatenate([np.arctan2(sine, q[..., 3:]) * q[..., :3] / sine, np.log(size)], -1)


def exp(q):
    q = np.asarray(q, np.float64)
    angle = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    vector = np.sin(angle) * q[..., :3] / np.where(angle == 0, 1, angle)
    return np.exp(q[..., 3:]) * np.concatenate([vector, np.cos(angle)], -1)


def power(q, t):
    return exp(np.asarray(t, np.float64)[..., None] * log(q))


def nlerp(a, b, t):
    """The short way."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    t = np.asarray(t, np.float64)[..., None]
    b = np.where(np.sum(a * b, -1, keepdims=True) < 0, -b, b)
    return normalize((1 - t) * a + t * b)


def angle_between(a, b):
    """Of the rotation matrix, by its trace and what is not symmetric in it."""
    m = np.swapaxes(to_matrix(a), -1, -2) @ to_matrix(b)
    v = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    return np.arctan2(np.sqrt(sum(x * x for x in v)), np.trace(m, axis1=-2, axis2=-1) - 1)


def mean(q, weights):
    """Along axis -2, by NumPy's eigenvectors; w >= 0."""
    q = np.asarray(q, np.float64)
    k = np.einsum("...n,...ni,...nj->...ij", np.asarray(weights, np.float64), q, q)
    q = np.linalg.eigh(k)[1][..., -1]
    return np.where(q[..., 3:] < 0, -q, q)
