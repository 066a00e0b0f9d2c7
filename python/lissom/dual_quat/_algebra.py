# SPDX-License-Identifier: MIT
"""Sums, products, conjugates, inverses and lengths of dual quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call
from lissom._base.arrays import batch_sides, float_dtype

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def identity(
    shape: int | tuple[int, ...] = (), dtype: DTypeLike = np.float32, *, scalar_first: bool = False
) -> NDArray[Any]:
    """Make dual quaternions that move nothing.

    Parameters
    ----------
    shape : int or tuple of int
        The leading axes.
    dtype : dtype
        float32 or float64.
    scalar_first : bool
        Whether the halves are w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 8)
        Real 0, 0, 0, 1, dual 0.

    Raises
    ------
    TypeError
        If `dtype` is neither float32 nor float64, or `shape` holds no integers.
    ValueError
        If `shape` is negative.

    Examples
    --------
    >>> dual_quat.identity()
    array([0., 0., 0., 1., 0., 0., 0., 0.], dtype=float32)
    """
    sides = batch_sides("dual_quat.identity", shape)
    result = np.zeros((*sides, 8), float_dtype("dual_quat.identity", dtype))
    result[..., 0 if scalar_first else 3] = 1
    return result


def add(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Add dual quaternions, component by component.

    A sum of unit dual quaternions is not unit: for blends see `lissom.dual_quat.dlb`.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 8)
        Of NaN where a or b is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> a = dual_quat.from_quat_translation([0.0, 0, 0, 1], [2.0, 4, 6])
    >>> dual_quat.add(a, a)
    array([0., 0., 0., 2., 2., 4., 6., 0.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_add(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_add, "dual_quat.add", {"a": a, "b": b}, out, scalar_first)


def scale(
    q: ArrayLike, s: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply all eight numbers by a real one. The result is not unit.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w.
    s : array_like, shape (...)
        Its axes broadcast against the leading axes of q: one number for each of many is ``s[:, None]`` where
        q has two leading axes.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        Of NaN where q or s is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.scale([0, 0, 0, 1, 1, 2, 3, 0], 2.0)
    array([0., 0., 0., 2., 2., 4., 6., 0.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_scale(q, s, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_scale, "dual_quat.scale", {"q": q, "s": s}, out, scalar_first)


def multiply(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply dual quaternions: move by b, then by a.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    scalar_first : bool
        Whether the halves of a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 8)
        The product a b: real a0 b0, dual a0 be + ae b0 by Hamilton's product. Of NaN where a or b is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    A quarter turn about z, then a step along y:

    >>> turn = dual_quat.from_quat_translation([0, 0, np.sqrt(0.5), np.sqrt(0.5)], [0, 0, 0])
    >>> step = dual_quat.from_quat_translation([0, 0, 0, 1], [0, 2, 0])
    >>> dual_quat.transform_point(dual_quat.multiply(step, turn), [1, 0, 0]).round(12) + 0
    array([0., 3., 0.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_multiply(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_multiply, "dual_quat.multiply", {"a": a, "b": b}, out, scalar_first)


def conjugate(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Conjugate both quaternions, q*: the inverse of a unit dual quaternion.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        With the vectors of both halves negated. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    See Also
    --------
    dual_conjugate, combined_conjugate, inverse

    Examples
    --------
    >>> dual_quat.conjugate([1.0, 2, 3, 4, 5, 6, 7, 8])
    array([-1., -2., -3.,  4., -5., -6., -7.,  8.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_conjugate(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_conjugate, "dual_quat.conjugate", {"q": q}, out, scalar_first)


def dual_conjugate(
    q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Conjugate as a dual number: real - eps dual.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        With the dual half negated: the same rotation, the opposite translation. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.dual_conjugate([1.0, 2, 3, 4, 5, 6, 7, 8])
    array([ 1.,  2.,  3.,  4., -5., -6., -7., -8.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_dual_conjugate(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_dual_conjugate, "dual_quat.dual_conjugate", {"q": q}, out, scalar_first)


def combined_conjugate(
    q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Conjugate in both ways: real* - eps dual*.

    With a point p as ``1 + eps (x i + y j + z k)``, the product of q, it and this is the moved point.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        With the real half's vector and the dual half's w negated. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.combined_conjugate([1.0, 2, 3, 4, 5, 6, 7, 8])
    array([-1., -2., -3.,  4.,  5.,  6.,  7., -8.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_combined_conjugate(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.dual_quat_combined_conjugate, "dual_quat.combined_conjugate", {"q": q}, out, scalar_first
    )
