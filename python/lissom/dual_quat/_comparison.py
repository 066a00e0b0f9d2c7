# SPDX-License-Identifier: MIT
"""When two dual quaternions are equal, as numbers and as transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def equal(
    a: ArrayLike,
    b: ArrayLike,
    *,
    tolerance: ArrayLike = 1e-6,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Say whether dual quaternions have the same numbers. q and -q have not: see `same_transform`.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    tolerance : array_like, shape (...)
        How far each number of a may be from b's; in the dual half times the length of the longer one, where
        that is above 1. At least 0.
    scalar_first : bool
        Whether the halves of a and b are w, x, y, z.
    out : ndarray of bool, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray of bool, shape (...)
        False where there is NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` is not of bool.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> a = dual_quat.identity()
    >>> bool(dual_quat.equal(a, a + 1e-7)), bool(dual_quat.equal(a, -a))
    (True, False)
    """
    if not scalar_first:
        try:
            return _core.dual_quat_equal(a, b, tolerance, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"a": a, "b": b, "tolerance": tolerance}
    return call(_core.dual_quat_equal, "dual_quat.equal", operands, out, scalar_first)


def same_transform(
    a: ArrayLike,
    b: ArrayLike,
    *,
    tolerance: ArrayLike = 1e-5,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Say whether dual quaternions move alike, whatever their signs.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    tolerance : array_like, shape (...)
        How far the rotations may be apart, in radians, and the translations: as a share of the longer one, or
        in units of length where both are shorter than 1. At least 0.
    scalar_first : bool
        Whether the halves of a and b are w, x, y, z.
    out : ndarray of bool, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray of bool, shape (...)
        False where there is NaN or a real part of zero, which is not a rotation.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` is not of bool.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> a = dual_quat.from_quat_translation([0.6, 0, 0, 0.8], [1, 2, 3])
    >>> bool(dual_quat.same_transform(a, -a))
    True
    """
    if not scalar_first:
        try:
            return _core.dual_quat_same_transform(a, b, tolerance, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"a": a, "b": b, "tolerance": tolerance}
    return call(_core.dual_quat_same_transform, "dual_quat.same_transform", operands, out, scalar_first)
