# SPDX-License-Identifier: MIT
"""Rotations that take directions to directions, and rotations taken apart about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call
from lissom._base.refusals import one_is_zero

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_UP = (0.0, 1.0, 0.0)
# The same in the precision of `forward`: the fast path mixes none, and a list would make float64.
_UP_SINGLE, _UP_DOUBLE = np.array(_UP, np.float32), np.array(_UP)


def from_to(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Make the shortest rotations that take directions a to directions b.

    Parameters
    ----------
    a, b : array_like, shape (..., 3)
        Any length but zero.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w, with w >= 0. Takes a to b to the last digits, however near to opposite they are.
        Exactly opposite ones (sine of the angle below 4 epsilon) rotate by pi about the cross product of a
        with the coordinate axis it is farthest from (of several the first). NaN where an input holds NaN or
        infinity.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a direction is zero, a shape does not fit or `out` is read-only.

    See Also
    --------
    look_rotation

    Examples
    --------
    >>> quat.from_to([0, 1, 0], [2, 0, 0]).round(6)
    array([ 0.      ,  0.      , -0.707107,  0.707107])
    """
    if not scalar_first:
        try:
            return _core.quat_from_to(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_from_to,
        "quat.from_to",
        {"a": a, "b": b},
        out,
        scalar_first,
        no_answer=one_is_zero("a", "b"),
    )


def look_rotation(
    forward: ArrayLike,
    up: ArrayLike = _UP,
    *,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return rotations that take +z to `forward` and +y as near to `up` as possible.

    Parameters
    ----------
    forward, up : array_like, shape (..., 3)
        Any length but zero.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w, with w >= 0. Where `up` is parallel to `forward` (sine of the angle below 4 epsilon)
        it is the shortest rotation from +z to `forward`, which is continuous but at -z: there it is the half
        turn about y. NaN where an input holds NaN or infinity.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a direction is zero, a shape does not fit or `out` is read-only.

    See Also
    --------
    from_to

    Notes
    -----
    glTF's cameras look along -z: for those pass ``-forward``.

    Examples
    --------
    >>> q = quat.look_rotation([1, 0, 0])
    >>> quat.rotate(q, [[0, 0, 1], [0, 1, 0]]).round(6)
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    if up is _UP:
        up = _UP_DOUBLE if getattr(forward, "dtype", None) == np.float64 else _UP_SINGLE
    if not scalar_first:
        try:
            return _core.quat_look_rotation(forward, up, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_look_rotation,
        "quat.look_rotation",
        {"forward": forward, "up": up},
        out,
        scalar_first,
        no_answer=one_is_zero("forward", "up"),
    )


def swing_twist(
    q: ArrayLike,
    axis: ArrayLike,
    *,
    scalar_first: bool = False,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Decompose rotations into a twist about `axis`, then a swing perpendicular to it: q = swing twist.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w, of any length but zero.
    axis : array_like, shape (..., 3)
        Any length but zero.
    scalar_first : bool
        Whether q and the results are w, x, y, z.
    out : tuple of two ndarrays, shape (..., 4), optional
        Where to write; one of them may be q.

    Returns
    -------
    swing : ndarray, shape (..., 4)
        x, y, z, w, of the length and the sign of q. Its vector part is perpendicular to `axis`.
    twist : ndarray, shape (..., 4)
        Unit, x, y, z, w, with w >= 0: the same for q and -q. Where the swing is half a turn (what q turns
        about the axis is below 4 epsilon) any twist would do: it is the identity. Near there the twist is
        valid, but changes fast with q. NaN, both, where an input holds NaN or infinity.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` is no tuple of two arrays of the result's precision.
    ValueError
        If a quaternion or an axis is zero, a shape does not fit or an array of `out` is read-only.

    References
    ----------
    .. [1] van den Bergen, Rotational Joint Limits in Quaternion Space, in Game Engine Gems 3, 2016.

    Examples
    --------
    >>> q = quat.multiply(quat.from_axis_angle([1, 0, 0], 0.5), quat.from_axis_angle([0, 1, 0], 0.25))
    >>> swing, twist = quat.swing_twist(q, [0, 1, 0])
    >>> quat.to_rotation_vector(swing).round(6), quat.to_rotation_vector(twist).round(6)
    (array([0.5, 0. , 0. ]), array([0.  , 0.25, 0.  ]))
    """
    if not scalar_first:
        try:
            return _core.quat_swing_twist(q, axis, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_swing_twist,
        "quat.swing_twist",
        {"q": q, "axis": axis},
        out,
        scalar_first,
        no_answer=one_is_zero("q", "axis"),
    )
