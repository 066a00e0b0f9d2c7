# SPDX-License-Identifier: MIT
"""Products, inverses and blends of transforms, and what they move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call, check_outputs, result_dtype
from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def compose(
    a: ArrayLike, b: ArrayLike, *, nearest: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply transforms: b acts first, then a.

    Parameters
    ----------
    a, b : array_like, shape (..., 10)
        Rotations are unit. ``model_from_joint = compose(model_from_parent, parent_from_joint)``.
    nearest : bool
        Whether to give, of every product, what `from_matrix` makes of its matrix, which loses the shear.
    out : ndarray, shape (..., 10), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 10)
        The product a b. Its matrix is ``to_matrix(a) @ to_matrix(b)``. Its rotation is the product of the
        rotations, unless only a's mirror lets it be a trs: then b's rotation is mirrored first.
        Of NaN where a or b is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, `out` is read-only, or a product has shear: with its index and size, the
        largest entry that would be lost as a share of the product's largest scale. With ``nearest=True``: if
        a product is not finite (NaN is refused).

    Notes
    -----
    ``diag(sa) Rb = Rb D`` with ``D = Rb^T diag(sa) Rb``, and the product is a trs of rotation ``Ra Rb`` and
    scale ``diag(D) sb``, signs kept, where nothing stands beside the diagonal of ``D diag(sb)``: for every
    uniform scale of a, for rotations of b by quarter turns about the axes or by none, and where b flattens
    all axes that are mixed. With G the signs of sa, the same is asked of ``G Rb G`` and ``|sa|``, so that
    mirrors of uniform scales go too. "Nothing" is 64 last places of the largest scale, 8e-6 in float32 and
    1.4e-14 in float64: unit quaternions are rounded.

    ``nearest=True`` multiplies the matrices in float64 and takes the product apart: the rotation of the
    result is the nearest to its axes, w is never negative and a mirror is a negative scale along x.

    Examples
    --------
    >>> double = trs.from_parts(scale=[2.0, 2.0, 2.0])
    >>> step = trs.from_parts([0, 0, 1.0], [0.6, 0, 0, 0.8])
    >>> trs.compose(double, step)
    array([0. , 0. , 2. , 0.6, 0. , 0. , 0.8, 2. , 2. , 2. ])
    >>> uneven = trs.from_parts(scale=[1.0, 1.0, 2.0])
    >>> trs.compose(uneven, step, nearest=True).round(3)
    array([0.   , 0.   , 2.   , 0.579, 0.   , 0.   , 0.816, 1.   , 1.905,
           1.091])
    """
    if nearest:
        words = "a times b must be finite, got NaN or infinity"
        return _nearest(_core.trs_compose_matrix, "trs.compose", {"a": a, "b": b}, out, "", words)
    try:
        return _core.trs_compose(a, b, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(_core.trs_compose, "trs.compose", {"a": a, "b": b}, out, no_answer=_why_no_product)


def inverse(trs: ArrayLike, *, nearest: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return what undoes transforms.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Rotations are unit, scales not zero.
    nearest : bool
        Whether to give, of every inverse, what `from_matrix` makes of its matrix, which loses the shear.
    out : ndarray, shape (..., 10), optional
        Where to write; may be trs.

    Returns
    -------
    ndarray, shape (..., 10)
        Of NaN where trs is.

    Raises
    ------
    TypeError
        If trs holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, `out` is read-only, a scale is zero, or an inverse has shear: with its index
        and size, as in `compose`.

    Notes
    -----
    The inverse scales after it rotates, ``diag(1 / s) R^T``, so its scale has to be moved to the other side
    of the rotation: that goes without shear where the scale is uniform, mirrored or not, or the rotation
    made of quarter turns. `compose` says how, within which bounds, and what ``nearest=True`` does.

    Examples
    --------
    >>> move = trs.from_parts([2.0, 4.0, 6.0], [0, 0, 1.0, 0], [2.0, 2.0, 2.0])
    >>> trs.inverse(move)
    array([ 1. ,  2. , -3. , -0. , -0. , -1. ,  0. ,  0.5,  0.5,  0.5])
    >>> trs.compose(move, trs.inverse(move))
    array([0., 0., 0., 0., 0., 0., 1., 1., 1., 1.])
    """
    if nearest:
        words = "the inverse of trs must be finite, got NaN or infinity"
        kernel = _core.trs_inverse_matrix
        return _nearest(kernel, "trs.inverse", {"trs": trs}, out, _FLAT, words)
    try:
        return _core.trs_inverse(trs, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(_core.trs_inverse, "trs.inverse", {"trs": trs}, out, no_answer=_why_no_inverse)


def lerp(
    a: ArrayLike, b: ArrayLike, t: ArrayLike, *, short: bool = True, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Interpolate transforms part by part: translation and scale linearly, the rotation by slerp.

    Parameters
    ----------
    a, b : array_like, shape (..., 10)
        Rotations are unit.
    t : array_like, shape (...)
        0 gives a and 1 gives b to the bit; beyond, the motion goes on.
    short : bool
        Whether rotations take the shorter arc, to the one of b and -b that is nearer to a. Else they go
        as their signs say, like `lissom.quat.slerp`.
    out : ndarray, shape (..., 10), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 10)
        Of NaN where a, b or t is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> a, b = trs.identity(), trs.from_parts([2.0, 0, 0], [0, 0, 1.0, 0], [1.0, 1.0, 3.0])
    >>> trs.lerp(a, b, 0.5).round(4)
    array([1.    , 0.    , 0.    , 0.    , 0.    , 0.7071, 0.7071, 1.    ,
           1.    , 2.    ])
    """
    kernel = _core.trs_lerp if short else _core.trs_lerp_as_given
    try:
        return kernel(a, b, t, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(kernel, "trs.lerp", {"a": a, "b": b, "t": t}, out)


def transform_point(trs: ArrayLike, p: ArrayLike, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Move points: scale, rotate, then translate.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Rotations are unit.
    p : array_like, shape (..., 3)
        Points, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write; may be p.

    Returns
    -------
    ndarray, shape (..., 3)
        Of NaN where trs or p is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> move = trs.from_parts([0, 0, 5.0], scale=[2.0, 2.0, 2.0])
    >>> trs.transform_point(move, [[0, 0, 0], [1.0, 2.0, 3.0]])
    array([[ 0.,  0.,  5.],
           [ 2.,  4., 11.]])
    """
    try:
        return _core.trs_transform_point(trs, p, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(_core.trs_transform_point, "trs.transform_point", {"trs": trs, "p": p}, out)


def transform_vector(trs: ArrayLike, v: ArrayLike, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Turn and scale vectors: what `transform_point` does to differences of points.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Rotations are unit.
    v : array_like, shape (..., 3)
        Vectors, x, y, z. Not for normals, which the inverse scale moves.
    out : ndarray, shape (..., 3), optional
        Where to write; may be v.

    Returns
    -------
    ndarray, shape (..., 3)
        Of NaN where trs or v is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> move = trs.from_parts([0, 0, 5.0], [0, 0, 1.0, 0], [2.0, 1.0, 1.0])
    >>> trs.transform_vector(move, [1.0, 2.0, 3.0])
    array([-2., -2.,  3.])
    """
    try:
        return _core.trs_transform_vector(trs, v, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(_core.trs_transform_vector, "trs.transform_vector", {"trs": trs, "v": v}, out)


_FLAT = "scale must not be zero, got zero; nothing gives back what it flattens"


def _why_no_product(a: NDArray[Any], b: NDArray[Any]) -> str:
    shear = _core.trs_compose_shear(a, b)
    return (
        f"a times b must be free of shear, got {shear:.2g} of the largest scale; "
        "multiply their matrices (trs.to_matrix) or pass nearest=True"
    )


def _why_no_inverse(trs: NDArray[Any]) -> str:
    if not np.all(trs[7:]):
        return _FLAT
    return (
        f"the inverse of trs must be free of shear, got {_core.trs_inverse_shear(trs):.2g} of the largest "
        "scale; invert the matrix (trs.to_matrix) or pass nearest=True"
    )


def _nearest(
    matrix_kernel: Callable[..., NDArray[Any]],
    function: str,
    operands: dict[str, ArrayLike],
    out: NDArray[Any] | None,
    no_matrix: str,
    no_trs: str,
) -> NDArray[Any]:
    """Decompose the float64 matrices that `matrix_kernel` makes of `operands`, in their precision."""
    given = [as_numbers(value, f"{function}: {name}") for name, value in operands.items()]
    wide = [a.astype(np.float64) if np.can_cast(a.dtype, np.float64, "safe") else a for a in given]
    matrices = call(matrix_kernel, function, dict(zip(operands, wide, strict=True)), no_answer=no_matrix)
    result = call(_core.trs_from_matrix, function, {"matrix": matrices}, no_answer=no_trs)
    result = result.astype(result_dtype(given), copy=False)
    if out is None:
        return result
    check_outputs(function, (out,), [result.shape], [result.dtype])
    out[...] = result
    return out
