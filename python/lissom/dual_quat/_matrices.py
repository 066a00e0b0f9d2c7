# SPDX-License-Identifier: MIT
"""Dual quaternions to and from matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lissom import _core
from lissom._base.array_function import as_operand, call, check_outputs, no_answer_error, result_dtype, rolled
from lissom._base.refusals import not_affine

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@overload
def from_matrix(
    matrix: ArrayLike,
    *,
    return_stretch: Literal[False] = ...,
    scalar_first: bool = ...,
    out: NDArray[Any] | None = ...,
) -> NDArray[Any]: ...
@overload
def from_matrix(
    matrix: ArrayLike,
    *,
    return_stretch: Literal[True],
    scalar_first: bool = ...,
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def from_matrix(
    matrix: ArrayLike, *, return_stretch: bool = False, scalar_first: bool = False, out: Any = None
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Make dual quaternions of matrices, which must be rigid unless the stretch is asked for.

    Parameters
    ----------
    matrix : array_like, shape (..., 4, 4)
        Row-major, translation in the last column, last row 0, 0, 0, 1.
    return_stretch : bool
        Whether to return also what of the matrix is not rigid.
    scalar_first : bool
        Whether the halves of the result are w, x, y, z.
    out : ndarray, shape (..., 8), or with `return_stretch` a tuple with one of shape (..., 3, 3), optional
        Where to write.

    Returns
    -------
    q : ndarray, shape (..., 8)
        The real part's w is never negative. Of NaN where `matrix` is, without `return_stretch`.
    stretch : ndarray, shape (..., 3, 3), with ``return_stretch=True``
        Symmetric, acts before q: the linear part of `matrix` is R S with R the rotation of q. A mirror goes
        into S, so that R is always a rotation. Where the matrix is singular, R completes what is lost as near
        to the identity as can be.

    Raises
    ------
    TypeError
        If `matrix` holds no real numbers, or `out` is not of the result's precision.
    ValueError
        If a matrix is not rigid by more than 1e-4 (the root of the summed squares of ``R^T R - 1`` and the
        last row; a mirror counts 2) and `return_stretch` is False; if with it one is not finite or has
        another last row; if a shape does not fit, or `out` is read-only.

    References
    ----------
    .. [1] Shepperd, Quaternion from Rotation Matrix, Journal of Guidance and Control 1(3), 1978.
    .. [2] Shoemake and Duff, Matrix Animation and Polar Decomposition, Graphics Interface 1992.

    Examples
    --------
    >>> m = np.eye(4)
    >>> m[:3, 3] = 2, 4, 6
    >>> dual_quat.from_matrix(m)
    array([0., 0., 0., 1., 1., 2., 3., 0.])
    >>> q, stretch = dual_quat.from_matrix(np.diag([1.0, -2, 3, 1]), return_stretch=True)
    >>> bool(np.allclose(dual_quat.to_matrix(q)[:3, :3] @ stretch, np.diag([1, -2, 3])))
    True
    """
    function = "dual_quat.from_matrix"
    if return_stretch:
        return _from_stretched(function, matrix, scalar_first, out)
    kernel = _core.dual_quat_from_matrix
    if not scalar_first:
        try:
            return kernel(matrix, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, function, {"matrix": matrix}, out, scalar_first, _why_not_rigid)


def to_matrix(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the matrices.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of q are w, x, y, z.
    out : ndarray, shape (..., 4, 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Row-major, translation in the last column, last row 0, 0, 0, 1. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.to_matrix([0, 0, 0, 1, 1, 2, 3, 0])
    array([[1., 0., 0., 2.],
           [0., 1., 0., 4.],
           [0., 0., 1., 6.],
           [0., 0., 0., 1.]])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_to_matrix(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_to_matrix, "dual_quat.to_matrix", {"q": q}, out, scalar_first)


def _why_not_rigid(matrix: NDArray[Any]) -> str:
    off = _core.dual_quat_rigid_error(matrix)
    return (
        f"matrix must be rigid within 0.0001, got one that is off by {off:.3g}; "
        "pass return_stretch=True to get scale, shear and mirror as well"
    )


def _from_stretched(
    function: str, matrix: ArrayLike, scalar_first: bool, out: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    given = as_operand(function, "matrix", matrix, (4, 4))
    off = np.abs(given[..., 3, :] - np.array([0.0, 0, 0, 1])).max(axis=-1)
    wrong = np.argwhere((off > 1e-4) | ~np.isfinite(given).all(axis=(-1, -2)))
    if len(wrong):
        index = tuple(wrong[0].tolist())
        raise no_answer_error(function, not_affine(given[index]), index)
    dtype = result_dtype([given])
    batch = given.shape[:-2]
    if out is not None:
        check_outputs(function, out, [(*batch, 8), (*batch, 3, 3)], [dtype, dtype])
    linear = np.array(given[..., :3, :3], np.float64, order="C")
    rotations = np.empty_like(linear)
    _core.polar_rotations(linear, rotations)
    rigid = np.zeros((*batch, 4, 4))
    rigid[..., :3, :3], rigid[..., :3, 3], rigid[..., 3, 3] = rotations, given[..., :3, 3], 1
    q = _core.dual_quat_from_matrix(rigid)
    stretch = rotations.swapaxes(-1, -2) @ linear
    stretch = 0.5 * (stretch + stretch.swapaxes(-1, -2))  # symmetric except for rounding
    q = rolled(q, 1) if scalar_first else q
    if out is None:
        return q.astype(dtype, copy=False), stretch.astype(dtype, copy=False)
    out[0][...], out[1][...] = q, stretch
    return out[0], out[1]
