# SPDX-License-Identifier: MIT
"""Many quaternions along an axis: signs that follow each other, and their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call, call_along, leading_axis
from lissom._base.arrays import as_numbers
from lissom._base.refusals import no_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def align(
    q: ArrayLike,
    axis: int = 0,
    *,
    closed: bool = False,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Choose signs along an axis, so that neighbours lie on one side: each follows the one before.

    q and -q are the same rotation, but what lies between two quaternions depends on their signs.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions x, y, z, w, a sequence along `axis`.
    axis : int
        One of the leading axes; -1 is the last of them.
    closed : bool
        Whether the last and the first are neighbours, too, as in a loop. Where signs cannot agree all the way
        round, one pair of neighbours stays apart: the one farthest apart as rotations, the last and the first
        where others only equal them.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, of q's shape, optional
        Where to write; may be q.

    Returns
    -------
    ndarray, of q's shape
        q with some signs changed. The first of each sequence keeps its own. At right angles (a dot product of
        zero) and next to NaN, signs stay as they are.

    Raises
    ------
    TypeError
        If q holds no real numbers, `axis` is no integer or `out` has another precision than the result.
    ValueError
        If a shape or `axis` does not fit, or `out` is read-only.

    Examples
    --------
    >>> q = np.array([[0, 0, 0, 1], [0, 0, -0.6, -0.8], [0, 0, 0.8, 0.6]])
    >>> quat.align(q)[:, 2:]
    array([[0. , 1. ],
           [0.6, 0.8],
           [0.8, 0.6]])
    """
    kernel = _core.quat_align_closed if closed else _core.quat_align
    return call_along(kernel, "quat.align", q, axis, out, scalar_first)


def mean(
    q: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    axis: int = 0,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the mean rotation along an axis, whatever the signs of the quaternions.

    Of all rotations it has the least weighted sum of squared distances between rotation matrices.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit, x, y, z, w.
    weights : array_like, shape (n,) or (...), optional
        At least 0 and not all 0: one number per item along `axis`, or one per quaternion, of the shape of q's
        leading axes. All alike when omitted.
    axis : int
        One of the leading axes; -1 is the last of them.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, of q's shape without `axis`, optional
        Where to write.

    Returns
    -------
    ndarray, of q's shape without `axis`
        Unit, computed in float64; w is never negative. Where several rotations are equally good, such as for
        two that are half a turn apart, it is one of them. Zero, NaN and infinity make the mean NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, `axis` is no integer or `out` has another precision than the
        result.
    ValueError
        If a weight is negative, the weights' sum is zero, there is nothing along `axis`, a shape or `axis`
        does not fit, or `out` is read-only.

    References
    ----------
    .. [1] Markley, Cheng, Crassidis, Oshman, Averaging Quaternions, Journal of Guidance, Control, and
       Dynamics 30(4), 2007: the eigenvector of the largest eigenvalue of the sum of w q q^T.

    Examples
    --------
    >>> half = np.radians([10.0, 20, 60]) / 2
    >>> q = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1)
    >>> x, y, z, w = quat.mean(q * [[1], [-1], [1]], weights=[3, 3, 0])
    >>> float(np.degrees(2 * np.arctan2(z, w)).round(9))
    15.0
    """
    array = as_numbers(q, "quat.mean: q")
    if array.ndim < 2 or array.shape[-1] != 4:
        raise ValueError(f"quat.mean: q must have shape (..., n, 4), got {array.shape}")
    place = leading_axis("quat.mean", axis, array)
    count = array.shape[place]
    if count == 0:
        raise ValueError(f"quat.mean: q must hold something along axis {axis}, got shape {array.shape}")
    if weights is None:
        each = np.ones(count, np.float32)  # float32 widens nothing
    else:
        each = as_numbers(weights, "quat.mean: weights")
        if each.shape == array.shape[:-1]:
            each = np.moveaxis(each, place, -1)
        elif each.shape != (count,):
            expected = f"({count},)" + (f" or {array.shape[:-1]}" if array.ndim > 2 else "")
            raise ValueError(f"quat.mean: weights must have shape {expected}, got {each.shape}")
    operands = {"q": np.moveaxis(array, place, -2), "weights": each}
    return call(_core.quat_mean, "quat.mean", operands, out, scalar_first, no_weights)
