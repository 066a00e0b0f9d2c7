# SPDX-License-Identifier: MIT
"""Transforms into matrices, and matrices decomposed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, overload

from lissom import _core
from lissom._base.array_function import call
from lissom._base.refusals import not_affine

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray


def to_matrix(trs: ArrayLike, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the matrices of transforms.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Rotations are unit.
    out : ndarray, shape (..., 4, 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Row-major, translation in the last column; the columns before it are the axes of the rotation times
        the scale. Of NaN where trs is.

    Raises
    ------
    TypeError
        If trs holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> trs.to_matrix(trs.from_parts([1.0, 2.0, 3.0], [0, 0, 1.0, 0], [1.0, 2.0, 1.0]))
    array([[-1.,  0.,  0.,  1.],
           [ 0., -2.,  0.,  2.],
           [ 0.,  0.,  1.,  3.],
           [ 0.,  0.,  0.,  1.]])
    """
    try:
        return _core.trs_to_matrix(trs, out)
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    return call(_core.trs_to_matrix, "trs.to_matrix", {"trs": trs}, out)


@overload
def from_matrix(
    matrix: ArrayLike, *, return_shear: Literal[False] = ..., out: NDArray[Any] | None = ...
) -> NDArray[Any]: ...
@overload
def from_matrix(
    matrix: ArrayLike, *, return_shear: Literal[True], out: tuple[NDArray[Any], NDArray[Any]] | None = ...
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def from_matrix(
    matrix: ArrayLike,
    *,
    return_shear: bool = False,
    out: NDArray[Any] | tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Decompose matrices: the nearest rotation of their normalised axes, and the scale along it.

    Shear, which no trs holds, is dropped without an error: ask for it where the matrices may have some.

    Parameters
    ----------
    matrix : array_like, shape (..., 4, 4)
        Affine, row-major, last row 0, 0, 0, 1 within 1e-6.
    return_shear : bool
        Whether to return also how much is lost.
    out : ndarray, shape (..., 10), optional
        Where to write; with ``return_shear=True`` a tuple of two arrays, the second of shape (...).

    Returns
    -------
    trs : ndarray, shape (..., 10)
        The quaternion's w is never negative. A mirror becomes a negative scale along x. An axis of zero
        length keeps scale 0, and the rotation completes the others, as near to the identity as they allow.
    shear : ndarray, shape (...), with ``return_shear=True``
        The largest entry of ``matrix - to_matrix(trs)``, as a share of the largest scale: rounding where the
        axes are at right angles, for only then is a matrix a trs.

    Raises
    ------
    TypeError
        If matrix holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, `out` is read-only, or a matrix is not finite (NaN, too) or not affine (with
        its index).

    Notes
    -----
    The rotation is the polar factor of the matrix of unit axes [1]_, the scale ``diag(R^T M)``: exact
    wherever it can be, and the nearest of its kind elsewhere. Scales act before the rotation, so they are
    read along its axes: ``R^T M`` and not ``M R^T``.

    References
    ----------
    .. [1] Higham, "Computing the polar decomposition - with applications", SIAM J. Sci. Stat. Comput. 7(4),
       1986.

    Examples
    --------
    >>> sheared = np.eye(4)
    >>> sheared[0, 1] = 0.02
    >>> result, shear = trs.from_matrix(sheared, return_shear=True)
    >>> shear.round(4)
    np.float64(0.01)
    >>> trs.from_matrix(np.diag([2.0, -3.0, 4.0, 1.0]))
    array([ 0.,  0.,  0.,  0.,  0.,  1.,  0., -2.,  3.,  4.])
    """
    kernel: Callable[..., Any] = _core.trs_from_matrix_with_shear if return_shear else _core.trs_from_matrix
    try:
        return cast("NDArray[Any]", kernel(matrix, out))
    except (TypeError, ValueError):  # refused below, with a message of ours
        pass
    result = call(kernel, "trs.from_matrix", {"matrix": matrix}, out, no_answer=not_affine)
    return cast("NDArray[Any]", result)
