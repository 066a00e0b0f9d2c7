# SPDX-License-Identifier: MIT
"""Transforms as plain 4x4 matrices in float64: translation times rotation times scale, by numpy.linalg."""

import numpy as np

from reference import quat


def to_matrix(trs):
    trs = np.asarray(trs, np.float64)
    move, turn, scale = (np.broadcast_to(np.eye(4), (*trs.shape[:-1], 4, 4)).copy() for _ in range(3))
    move[..., :3, 3] = trs[..., :3]
    turn[..., :3, :3] = quat.to_matrix(trs[..., 3:7])
    scale[..., [0, 1, 2], [0, 1, 2]] = trs[..., 7:]
    return move @ turn @ scale


def transform_point(trs, p):
    return apply(trs, p, 1)


def transform_vector(trs, v):
    return apply(trs, v, 0)


def apply(trs, v, last):
    v = np.asarray(v, np.float64)
    four = np.concatenate([v, np.full((*v.shape[:-1], 1), last)], -1)
    return (to_matrix(trs) @ four[..., None])[..., :3, 0]


def lerp(a, b, t):
    a, b = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    t = np.asarray(t, np.float64)
    result = a + t[..., None] * (b - a)
    result[..., 3:7] = quat.slerp(a[..., 3:7], b[..., 3:7], t)
    return result


def from_matrix(m):
    """The polar factor of the unit axes by the singular value decomposition, a mirror turned into x.

    Of full rank only.
    """
    m = np.asarray(m, np.float64)
    linear = m[..., :3, :3]
    unit = linear / np.linalg.norm(linear, axis=-2, keepdims=True)
    unit[..., 0] *= np.sign(np.linalg.det(unit))[..., None]
    u, _, vt = np.linalg.svd(unit)
    rotation = u @ vt
    scale = np.sum(rotation * linear, axis=-2)
    return np.concatenate([m[..., :3, 3], quat.from_matrix(rotation), scale], -1)


def shear_of(m):
    """How far the axes of a matrix are from right angles: the largest cosine between two of them."""
    linear = np.asarray(m, np.float64)[..., :3, :3]
    lengths = np.linalg.norm(linear, axis=-2, keepdims=True)
    unit = linear / np.where(lengths > 0, lengths, 1)
    return np.abs(np.swapaxes(unit, -1, -2) @ unit * (1 - np.eye(3))).max(axis=(-1, -2))
