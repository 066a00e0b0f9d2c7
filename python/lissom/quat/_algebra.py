# SPDX-License-Identifier: MIT
"""Making quaternions, and Hamilton's algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lissom import _core
from lissom._base.array_function import call, rolled
from lissom._base.arrays import batch_sides, float_dtype
from lissom._base.refusals import NO_QUAT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def identity(
    shape: int | tuple[int, ...] = (), dtype: DTypeLike = np.float32, *, scalar_first: bool = False
) -> NDArray[Any]:
    """Return identity rotations.

    Parameters
    ----------
    shape : int or tuple of int
        The leading axes.
    dtype : dtype
        float32 or float64.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        0, 0, 0, 1.

    Raises
    ------
    TypeError
        If `dtype` is another, or `shape` holds no integers.
    ValueError
        If `shape` is negative.

    Examples
    --------
    >>> quat.identity(2)
    array([[0., 0., 0., 1.],
           [0., 0., 0., 1.]], dtype=float32)
    """
    result = np.zeros((*batch_sides("quat.identity", shape), 4), float_dtype("quat.identity", dtype))
    result[..., 0 if scalar_first else 3] = 1
    return result


def random(
    shape: int | tuple[int, ...] = (),
    *,
    seed: int | np.random.Generator | None = None,
    dtype: DTypeLike = np.float32,
    scalar_first: bool = False,
) -> NDArray[Any]:
    """Draw unit quaternions, uniform over all rotations.

    Parameters
    ----------
    shape : int or tuple of int
        The leading axes.
    seed : int or numpy.random.Generator, optional
        The same seed gives the same rotations, in both precisions. A generator is drawn from; without a seed
        they are different each time.
    dtype : dtype
        float32 or float64.
    scalar_first : bool
        Whether to return w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Directions of normally distributed vectors (Muller 1959), which favour no rotation and no sign.

    Raises
    ------
    TypeError
        If `dtype` is another, or `shape` or `seed` is of another type.
    ValueError
        If `shape` or `seed` is negative.

    Examples
    --------
    >>> q = quat.random(1000, seed=1, dtype=float)
    >>> bool(np.allclose(np.linalg.norm(q, axis=-1), 1))
    True
    """
    precision = float_dtype("quat.random", dtype)
    sides = batch_sides("quat.random", shape)
    try:
        generator = np.random.default_rng(seed)
    except TypeError:
        raise TypeError(
            "quat.random: seed must be an integer, a numpy.random.Generator or None, "
            f"got {type(seed).__name__}"
        ) from None
    except ValueError:
        raise ValueError(f"quat.random: seed must not be negative, got {seed}") from None
    q = normalize(generator.standard_normal((*sides, 4))).astype(precision)
    return rolled(q, 1) if scalar_first else q


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
        Hamilton's product a b. NaN makes every number of its row NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> i, j = [1.0, 0, 0, 0], [0, 1.0, 0, 0]
    >>> quat.multiply(i, j)
    array([0., 0., 1., 0.])
    """
    if not scalar_first:
        try:
            return _core.quat_multiply(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_multiply, "quat.multiply", {"a": a, "b": b}, out, scalar_first)


def conjugate(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Negate the vector part: the inverse of a unit quaternion.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w; any length.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 4)
        -x, -y, -z, w, exactly; of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> quat.conjugate([0.5, -0.5, 0.5, 0.5])
    array([-0.5,  0.5, -0.5,  0.5])
    """
    if not scalar_first:
        try:
            return _core.quat_conjugate(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_conjugate, "quat.conjugate", {"q": q}, out, scalar_first)


def inverse(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Invert quaternions of any length: ``multiply(q, inverse(q))`` is one.

    Of a unit quaternion, `conjugate` is the same and faster.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w; not zero.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 4)
        The conjugate divided by the square of the length, which may be as small or large as numbers are. NaN
        makes every number of its row NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a quaternion is zero, a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> quat.inverse([0, 0, 2.0, 0])
    array([-0. , -0. , -0.5,  0. ])
    """
    if not scalar_first:
        try:
            return _core.quat_inverse(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_inverse, "quat.inverse", {"q": q}, out, scalar_first, NO_QUAT)


def normalize(
    q: ArrayLike,
    *,
    zero: Literal["error", "identity"] = "error",
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Scale to unit length.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w; of any length, as small or large as numbers are.
    zero : {"error", "identity"}
        The result for the zero quaternion, which is not a rotation.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 4)
        NaN and infinity make every number of their row NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a quaternion is zero and `zero` is "error", `zero` is neither, a shape does not fit or `out` is
        read-only.

    Examples
    --------
    >>> quat.normalize([[0, 3.0, 0, 4.0], [0, 0, 0, 0]], zero="identity")
    array([[0. , 0.6, 0. , 0.8],
           [0. , 0. , 0. , 1. ]])
    """
    if zero == "error":
        kernel = _core.quat_normalize
        no_answer = f'{NO_QUAT}; pass zero="identity" to take it for no rotation'
    elif zero == "identity":
        kernel, no_answer = _core.quat_normalize_or_identity, ""
    else:
        raise ValueError(f'quat.normalize: zero must be "error" or "identity", got {zero!r}')
    if not scalar_first:
        try:
            return kernel(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "quat.normalize", {"q": q}, out, scalar_first, no_answer)


def dot(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the dot product.

    Of unit quaternions it is the cosine of the angle between them as vectors, half that of the rotation
    between them. Where it is negative, ``-b`` is the nearer name of the same rotation.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        x, y, z, w; any length.
    scalar_first : bool
        Whether a and b are w, x, y, z.
    out : ndarray, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray, shape (...)
        NaN passes on.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> float(quat.dot([1.0, 2, 3, 4], [4.0, 3, 2, 1]))
    20.0
    """
    if not scalar_first:
        try:
            return _core.quat_dot(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_dot, "quat.dot", {"a": a, "b": b}, out, scalar_first)


def rotate(
    q: ArrayLike, v: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Rotate vectors.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit, x, y, z, w.
    v : array_like, shape (..., 3)
        Vectors or points; leading axes broadcast against those of q.
    scalar_first : bool
        Whether q is w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write; may be v.

    Returns
    -------
    ndarray, shape (..., 3)
        The vector part of q v q*. NaN passes on.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> quat.rotate([0, 0, 0.6, 0.8], [1.0, 0, 0]).round(12)
    array([0.28, 0.96, 0.  ])
    """
    if not scalar_first:
        try:
            return _core.quat_rotate(q, v, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_rotate, "quat.rotate", {"q": q, "v": v}, out, scalar_first)
