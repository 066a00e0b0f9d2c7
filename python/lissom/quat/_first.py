# SPDX-License-Identifier: MIT
"""Quaternions x, y, z, w as arrays of shape (..., 4), Hamilton's product; leading axes broadcast.

A rotation is a unit quaternion, and q and -q are the same rotation. ``multiply(a, b)`` rotates by b first,
then by a, as ``to_matrix(a) @ to_matrix(b)`` does. float32 and float64 arrays are computed in their own
precision; lists and Python numbers take the precision of the arrays beside them, float32 where there are
none. NaN propagates.
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
    "multiply",
    "normalize",
    "rotate",
    "slerp",
]


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


def _norm(v: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.sqrt(np.sum(v * v, axis=-1, keepdims=True)))


def _unit(v: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(v / _norm(v))
