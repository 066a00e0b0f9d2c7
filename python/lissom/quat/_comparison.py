# SPDX-License-Identifier: MIT
"""How far apart two rotations are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def angle_between(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the angle of the rotation that takes a to b, whatever their signs.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit, x, y, z, w. Their lengths do not matter much: the angle is that between their directions, as
        long as they are alike.
    scalar_first : bool
        Whether a and b are w, x, y, z.
    out : ndarray, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray, shape (...)
        Radians, from 0 to pi. By the arc tangent of sine and cosine: right to rounding for the smallest
        angles and near pi, where an arc cosine is not. NaN passes on.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> half = np.pi / 6
    >>> q = [0, np.sin(half), 0, np.cos(half)]
    >>> float(np.degrees(quat.angle_between([0, 0, 0, -1], q)).round(9))
    60.0
    """
    if not scalar_first:
        try:
            return _core.quat_angle_between(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_angle_between, "quat.angle_between", {"a": a, "b": b}, out, scalar_first)


def same_rotation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    tolerance: ArrayLike = 1e-5,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Tell whether a and b rotate alike, whatever their signs.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit, x, y, z, w.
    tolerance : array_like, shape (...)
        The largest `angle_between` that counts as the same, radians.
    scalar_first : bool
        Whether a and b are w, x, y, z.
    out : ndarray of bool, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray of bool, shape (...)
        False where there is NaN or a zero quaternion, which is not a rotation.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers, or `out` not bool.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> q = np.array([0.5, -0.5, 0.5, 0.5])
    >>> bool(quat.same_rotation(q, -q))
    True
    """
    if not scalar_first:
        try:
            return _core.quat_same_rotation(a, b, tolerance, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"a": a, "b": b, "tolerance": tolerance}
    return call(_core.quat_same_rotation, "quat.same_rotation", operands, out, scalar_first)
