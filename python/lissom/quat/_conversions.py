# SPDX-License-Identifier: MIT
"""Rotations as vectors, as axis and angle and as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call
from lissom._base.arrays import as_numbers
from lissom._base.refusals import NO_AXIS, NO_QUAT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def from_rotation_vector(
    v: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Make rotations from rotation vectors: the exponential map.

    Parameters
    ----------
    v : array_like, shape (..., 3)
        The axis times the angle in radians; zero is the identity.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w. NaN where v holds NaN or infinity.

    Raises
    ------
    TypeError
        If v holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    See Also
    --------
    to_rotation_vector, from_axis_angle

    Examples
    --------
    >>> quat.from_rotation_vector([0, 0, np.pi / 2]).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    if not scalar_first:
        try:
            return _core.quat_from_rotation_vector(v, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_from_rotation_vector, "quat.from_rotation_vector", {"v": v}, out, scalar_first)


def to_rotation_vector(
    q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return rotation vectors, the axis times the angle: the logarithmic map.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w, of any length but zero.
    scalar_first : bool
        Whether q is w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 3)
        Radians, of a length in [0, pi]: the same for q and -q. Of the two of a half turn, the one whose first
        number other than zero is positive. The smallest angles keep all their digits. NaN where q holds NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a quaternion is zero, a shape does not fit or `out` is read-only.

    See Also
    --------
    from_rotation_vector, to_axis_angle

    Examples
    --------
    >>> quat.to_rotation_vector([1e-12, 0, 0, 1])
    array([2.e-12, 0.e+00, 0.e+00])
    """
    if not scalar_first:
        try:
            return _core.quat_to_rotation_vector(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_to_rotation_vector,
        "quat.to_rotation_vector",
        {"q": q},
        out,
        scalar_first,
        no_answer=NO_QUAT,
    )


def from_axis_angle(
    axis: ArrayLike, angle: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Make rotations about axes, right-handed.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
        Any length but zero.
    angle : array_like, shape (...)
        Radians. Leading axes broadcast against those of `axis`.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w: w is the cosine of half the angle, whatever its sign. NaN where an input holds NaN
        or infinity.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If an axis is zero, a shape does not fit or `out` is read-only.

    See Also
    --------
    to_axis_angle, from_rotation_vector

    Examples
    --------
    >>> quat.from_axis_angle([0, 0, 2], np.pi / 2).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    if not scalar_first:
        try:
            return _core.quat_from_axis_angle(axis, angle, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_from_axis_angle,
        "quat.from_axis_angle",
        {"axis": axis, "angle": angle},
        out,
        scalar_first,
        no_answer=NO_AXIS,
    )


def to_axis_angle(
    q: ArrayLike, *, scalar_first: bool = False, out: tuple[NDArray[Any], NDArray[Any]] | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return axes and angles.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w, of any length but zero.
    scalar_first : bool
        Whether q is w, x, y, z.
    out : tuple of two ndarrays, shapes (..., 3) and (...), optional
        Where to write.

    Returns
    -------
    axis : ndarray, shape (..., 3)
        Unit. Of the identity: x. Of a half turn: the one whose first number other than zero is positive.
    angle : ndarray, shape (...)
        Radians, in [0, pi]. Axis and angle are the same for q and -q, and NaN where q holds NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` is no tuple of two arrays of the result's precision.
    ValueError
        If a quaternion is zero, a shape does not fit or an array of `out` is read-only.

    See Also
    --------
    from_axis_angle, to_rotation_vector

    Examples
    --------
    >>> axis, angle = quat.to_axis_angle([0, 0, 1, 1])
    >>> axis, round(float(angle), 6)
    (array([0., 0., 1.]), 1.570796)
    """
    if not scalar_first:
        try:
            return _core.quat_to_axis_angle(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_to_axis_angle,
        "quat.to_axis_angle",
        {"q": q},
        out,
        scalar_first,
        no_answer=NO_QUAT,
    )


def from_matrix(
    matrix: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the quaternions of rotation matrices.

    Parameters
    ----------
    matrix : array_like, shape (..., 3, 3)
        Rotations; columns are where the axes go. For matrices that scale, see `lissom.trs.from_matrix`.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w, with w >= 0. NaN where a matrix holds NaN.

    Raises
    ------
    TypeError
        If `matrix` holds no real numbers or `out` has another precision than the result.
    ValueError
        If a matrix mirrors, a number of matrix^T matrix is further than 1e-3 from the identity's (then it
        scales or shears), a shape does not fit or `out` is read-only.

    See Also
    --------
    to_matrix

    References
    ----------
    .. [1] Shepperd, Quaternion from Rotation Matrix, Journal of Guidance and Control 1(3), 1978.

    Examples
    --------
    >>> quat.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    if not scalar_first:
        try:
            return _core.quat_from_matrix(matrix, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    shape = as_numbers(matrix, "quat.from_matrix: matrix").shape
    if shape[-2:] == (4, 4):
        raise ValueError(
            f"quat.from_matrix: matrix must have shape (..., 3, 3), got {shape}; "
            "pass matrix[..., :3, :3] of affine ones"
        )
    return call(
        _core.quat_from_matrix,
        "quat.from_matrix",
        {"matrix": matrix},
        out,
        scalar_first,
        no_answer=_why_no_rotation,
    )


def to_matrix(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return rotation matrices: columns are where the axes go.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit, x, y, z, w: what is longer or shorter gives no rotation, see `normalize`.
    scalar_first : bool
        Whether q is w, x, y, z.
    out : ndarray, shape (..., 3, 3), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 3, 3)
        ``matrix @ v`` is ``rotate(q, v)``. NaN where q holds NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    See Also
    --------
    from_matrix, rotate

    Examples
    --------
    >>> quat.to_matrix([0, 0, 1, 0])
    array([[-1.,  0.,  0.],
           [ 0., -1.,  0.],
           [ 0.,  0.,  1.]])
    """
    if not scalar_first:
        try:
            return _core.quat_to_matrix(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_to_matrix, "quat.to_matrix", {"q": q}, out, scalar_first)


def _why_no_rotation(matrix: NDArray[Any]) -> str:
    with np.errstate(all="ignore"):  # of infinity
        off = np.nanmax(np.abs(matrix.T @ matrix - np.eye(3)))  # infinity also makes NaN
        is_mirror = np.linalg.det(matrix) < 0
    got = "a mirror" if is_mirror else f"one with matrix^T matrix off by {off:.3g}"
    return f"matrix must be a rotation within 0.001, got {got}; trs.from_matrix takes others apart"
