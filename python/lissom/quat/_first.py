# SPDX-License-Identifier: MIT
"""Quaternions x, y, z, w as arrays of shape (..., 4), Hamilton's product; leading axes broadcast.

A rotation is a unit quaternion, and q and -q are the same rotation. ``multiply(a, b)`` rotates by b first,
then by a, as ``to_matrix(a) @ to_matrix(b)`` does. float32 and float64 arrays are computed in their own
precision; lists and Python numbers take the precision of the arrays beside them, float32 where there are
none. NaN propagates.

Functions that read or write quaternions for other libraries take SciPy's ``scalar_first``: with True they are
w, x, y, z on the outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._array_function import call
from lissom._arrays import as_floats, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "conjugate",
    "from_axis_angle",
    "from_matrix",
    "from_rotation_vector",
    "from_to",
    "multiply",
    "normalize",
    "rotate",
    "slerp",
    "to_matrix",
]

# Entries of R^T R - 1 above this are no rounding: the matrix scales or shears.
_ROTATION_TOLERANCE = 1e-3


def multiply(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply quaternions: rotate by b, then by a.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        x, y, z, w; any length.
    scalar_first : bool
        Whether a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 4)
        Hamilton's product a b.

    Examples
    --------
    >>> i, j = [1.0, 0, 0, 0], [0, 1.0, 0, 0]
    >>> quat.multiply(i, j)
    array([0., 0., 1., 0.])
    """
    if not scalar_first:
        try:
            return _core.quat_multiply(a, b, out)
        except (TypeError, ValueError):  # said again below, in our words
            pass
    return call(_core.quat_multiply, "quat.multiply", {"a": a, "b": b}, out, scalar_first)


def conjugate(q: ArrayLike) -> NDArray[Any]:
    """Negate the vector part: the inverse of a unit quaternion.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    (q,) = _arrays("quat.conjugate", 4, q=q)
    return np.asarray(q * np.array([-1, -1, -1, 1], q.dtype))


def normalize(q: ArrayLike) -> NDArray[Any]:
    """Scale to unit length; the zero quaternion is no rotation and becomes NaN.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w.

    Returns
    -------
    ndarray, shape (..., 4)
    """
    (q,) = _arrays("quat.normalize", 4, q=q)
    return _unit(q)


def rotate(q: ArrayLike, v: ArrayLike) -> NDArray[Any]:
    """Rotate vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit, x, y, z, w.
    v : array_like, shape (..., 3)
        Vectors or points; leading axes broadcast against those of q.

    Returns
    -------
    ndarray, shape (..., 3)
    """
    q, v = _floats("quat.rotate", q, v)
    _check("quat.rotate", "q", q, 4)
    _check("quat.rotate", "v", v, 3)
    # q v q* without the products: v + 2 w (u x v) + 2 u x (u x v), u the vector part.
    u, w = q[..., :3], q[..., 3:]
    uv = 2 * np.cross(u, v)
    return np.asarray(v + w * uv + np.cross(u, uv))


def from_axis_angle(axis: ArrayLike, angle: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Make rotations about axes, right-handed.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
        Any length but zero, which gives NaN.
    angle : array_like, shape (...)
        Radians.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w.
    """
    axis, angle = _floats("quat.from_axis_angle", axis, angle)
    _check("quat.from_axis_angle", "axis", axis, 3)
    half = angle[..., None] / 2
    vector, w = np.broadcast_arrays(_unit(axis) * np.sin(half), np.cos(half))
    return _ordered(np.concatenate([vector, w[..., :1]], axis=-1), scalar_first)


def from_rotation_vector(v: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Make rotations from rotation vectors: the exponential map.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        The axis times the angle in radians; zero is the identity.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w.
    """
    (v,) = _arrays("quat.from_rotation_vector", 3, v=v)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    small = angle < np.finfo(v.dtype).eps
    # sin(a / 2) / a -> 1/2
    factor = np.where(small, v.dtype.type(0.5), np.sin(angle / 2) / np.where(small, 1, angle))
    return _ordered(np.concatenate([factor * v, np.cos(angle / 2)], axis=-1), scalar_first)


def from_to(a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Make the shortest rotations that take directions a to directions b.

    Parameters
    ----------
    a, b : array_like, shape (..., 3)
        Any length but zero, which gives NaN. Opposite directions turn by pi about some axis at a right angle
        to a.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w.
    """
    a, b = _arrays("quat.from_to", 3, a=a, b=b)
    a, b = _unit(a), _unit(b)
    # Where they are nearly opposite, the cross product has no good direction: go to -a by a half turn first.
    opposite = _norm(a + b) < np.sqrt(np.finfo(a.dtype).eps)
    start = np.where(opposite, -a, a)
    half = start + b
    size = _norm(half)  # 2 cos(angle / 2)
    q = _unit(np.concatenate([np.cross(start, b) / size, size / 2], axis=-1))
    if opposite.any():
        axis = np.cross(a, np.eye(3, dtype=a.dtype)[np.argmin(np.abs(a), axis=-1)])
        turn = np.concatenate([_unit(axis), np.zeros_like(axis[..., :1])], axis=-1)
        q = np.where(opposite, multiply(q, turn), q)
    return _ordered(q, scalar_first)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> NDArray[Any]:
    """Interpolate rotations the short way, at constant speed.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit, x, y, z, w.
    t : array_like, shape (...)
        0 gives a, 1 gives b or -b, whichever is nearer to a. Its axes broadcast against the leading axes of
        a and b: for many moments of many rotations pass ``t[:, None]``.

    Returns
    -------
    ndarray, shape (..., 4)

    References
    ----------
    .. [1] Shoemake, Animating Rotation with Quaternion Curves, SIGGRAPH 1985.
    """
    a, b, t = _floats("quat.slerp", a, b, t)
    _check("quat.slerp", "a", a, 4)
    _check("quat.slerp", "b", b, 4)
    t = t[..., None]
    b = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -b, b)
    # Accurate for small angles too, where acos(dot) is not: tan(theta / 2) = |a - b| / |a + b|.
    theta = 2 * np.arctan2(_norm(a - b), _norm(a + b))
    still = theta < np.finfo(a.dtype).eps
    sine = np.where(still, 1, np.sin(theta))
    from_a = np.where(still, 1 - t, np.sin((1 - t) * theta) / sine)
    from_b = np.where(still, t, np.sin(t * theta) / sine)
    return np.asarray(from_a * a + from_b * b)


def to_matrix(q: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Give rotation matrices: columns are where the axes go.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit, x, y, z, w.
    scalar_first : bool
        Whether q is w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 3, 3)
    """
    (q,) = _arrays("quat.to_matrix", 4, q=q)
    x, y, z, w = _parts(np.roll(q, -1, axis=-1) if scalar_first else q)
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    xx, yy, zz, xy, xz, yz = x2 * x, y2 * y, z2 * z, x2 * y, x2 * z, y2 * z
    wx, wy, wz = x2 * w, y2 * w, z2 * w
    entries = [
        1 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1 - (xx + yy),
    ]
    return np.stack(entries, axis=-1).reshape(*q.shape[:-1], 3, 3)


def from_matrix(matrix: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Give the quaternions of rotation matrices; w is never negative.

    Parameters
    ----------
    matrix : array_like, shape (..., 3, 3)
        Rotations. For matrices that scale, see `lissom.trs.from_matrix`.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w.

    Raises
    ------
    ValueError
        If a matrix scales, shears or mirrors by more than 1e-3.

    References
    ----------
    .. [1] Shepperd, Quaternion from Rotation Matrix, Journal of Guidance and Control 1(3), 1978.
    """
    (m,) = _floats("quat.from_matrix", matrix)
    if m.ndim < 2 or m.shape[-2:] != (3, 3):
        raise ValueError(
            f"quat.from_matrix: matrix must have shape (..., 3, 3), got {m.shape}; "
            "pass matrix[..., :3, :3] of affine ones"
        )
    off = np.abs(m.swapaxes(-1, -2) @ m - np.eye(3, dtype=m.dtype))
    if (off > _ROTATION_TOLERANCE).any() or (
        np.sum(np.cross(m[..., 0, :], m[..., 1, :]) * m[..., 2, :], axis=-1) < 0
    ).any():
        raise ValueError(
            "quat.from_matrix: matrix must hold rotations, got one that scales, shears or mirrors; "
            "take it apart with trs.from_matrix"
        )
    # Row i of 4 q q^T is 4 q_i q: the row with the largest q_i loses nothing.
    k = np.empty((*m.shape[:-2], 4, 4), m.dtype)
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    for i in range(3):
        j, n = (i + 1) % 3, (i + 2) % 3
        k[..., i, i] = 1 - trace + 2 * m[..., i, i]
        k[..., i, j] = k[..., j, i] = m[..., i, j] + m[..., j, i]
        k[..., i, 3] = k[..., 3, i] = m[..., n, j] - m[..., j, n]
    k[..., 3, 3] = 1 + trace
    largest = np.argmax(np.diagonal(k, axis1=-2, axis2=-1), axis=-1)
    q = _unit(np.take_along_axis(k, largest[..., None, None], axis=-2)[..., 0, :])
    return _ordered(np.where(q[..., 3:] < 0, -q, q), scalar_first)


def _floats(function: str, *values: ArrayLike) -> list[NDArray[Any]]:
    """Arrays of one dtype: float64 where an array among them is, else float32."""
    double = any(isinstance(v, (np.ndarray, np.generic)) and v.dtype == np.float64 for v in values)
    if double:
        return [as_numbers(v, f"{function}: an argument").astype(np.float64, copy=False) for v in values]
    return [as_floats(v, f"{function}: an argument") for v in values]


def _check(function: str, name: str, array: NDArray[Any], length: int) -> None:
    if array.ndim == 0 or array.shape[-1] != length:
        raise ValueError(f"{function}: {name} must have shape (..., {length}), got {array.shape}")


def _arrays(function: str, length: int, **values: ArrayLike) -> list[NDArray[Any]]:
    arrays = _floats(function, *values.values())
    for name, array in zip(values, arrays, strict=True):
        _check(function, name, array, length)
    return arrays


def _parts(q: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    return q[..., 0], q[..., 1], q[..., 2], q[..., 3]


def _norm(v: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.sqrt(np.sum(v * v, axis=-1, keepdims=True)))


def _unit(v: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(v / _norm(v))


def _ordered(q: NDArray[Any], scalar_first: bool) -> NDArray[Any]:
    return np.roll(q, 1, axis=-1) if scalar_first else q
