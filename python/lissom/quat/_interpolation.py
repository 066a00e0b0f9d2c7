# SPDX-License-Identifier: MIT
"""Between two rotations, and the logarithm, exponential and powers that it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def slerp(
    a: ArrayLike,
    b: ArrayLike,
    t: ArrayLike,
    *,
    short: bool = True,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Interpolate rotations along the arc between them, at constant speed.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit, x, y, z, w.
    t : array_like, shape (...)
        0 gives a, and 1 gives b or -b, to the last bit; others go on along the arc. Its axes broadcast
        against the leading axes of a and b: for many moments of many rotations pass ``t[:, None]``.
    short : bool
        Whether to take the sign of b that is nearer to a, so that the rotation between them is at most half a
        turn. Without, a and b are taken as they are, over up to a full turn: ``a (a* b)^t``. Where b is then
        -a, to rounding, no arc is marked out: the arc is a full turn about a's own x axis.
    scalar_first : bool
        Whether a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit where a and b are. NaN makes every number of its row NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    See Also
    --------
    nlerp : the same arc, faster, at a speed that is not quite even.

    References
    ----------
    .. [1] Shoemake, Animating Rotation with Quaternion Curves, SIGGRAPH 1985. The angle is by the arc tangent
       of ``|a - b| / |a + b|``, which loses nothing where they are near.

    Examples
    --------
    >>> quat.slerp([0, 0, 0, 1.0], [0, 0, 1.0, 0], [0, 0.5, 1]).round(6)
    array([[0.      , 0.      , 0.      , 1.      ],
           [0.      , 0.      , 0.707107, 0.707107],
           [0.      , 0.      , 1.      , 0.      ]])
    """
    kernel = _core.quat_slerp if short else _core.quat_slerp_as_given
    if not scalar_first:
        try:
            return kernel(a, b, t, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "quat.slerp", {"a": a, "b": b, "t": t}, out, scalar_first)


def nlerp(
    a: ArrayLike,
    b: ArrayLike,
    t: ArrayLike,
    *,
    short: bool = True,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Interpolate rotations linearly and normalise: the arc of `slerp`, at nearly even speed.

    It is ahead of slerp or behind by at most 1.1 % of the rotation between them up to a quarter turn, by
    4.6 % at half a turn.

    Parameters
    ----------
    a, b : array_like, shape (..., 4)
        Unit, x, y, z, w.
    t : array_like, shape (...)
        From 0, a, to 1, b or -b. Its axes broadcast against the leading axes of a and b.
    short : bool
        Whether to take the sign of b that is nearer to a. Without, they are taken as they are; half way
        between a and -a there is then no rotation, but NaN.
    scalar_first : bool
        Whether a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit. NaN makes every number of its row NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> quat.nlerp([0, 0, 0, 1.0], [0, 0, 1.0, 0], 0.5).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    kernel = _core.quat_nlerp if short else _core.quat_nlerp_as_given
    if not scalar_first:
        try:
            return kernel(a, b, t, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "quat.nlerp", {"a": a, "b": b, "t": t}, out, scalar_first)


def log(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the logarithm, the principal one: of a unit quaternion half its rotation vector, and w 0.

    With ``q = |q| (cos a + u sin a)``, u a unit vector and a from 0 to pi, it is ``log |q| + a u``.

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
        The vector part a u, and w = ``log |q|``: zero to rounding for unit q. Of negative numbers such as -1,
        whose u is any, u is the x axis. Of zero it is 0, 0, 0, -inf. NaN makes every number of its row NaN.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    See Also
    --------
    to_rotation_vector : whatever the sign of q, at most half a turn.

    Examples
    --------
    >>> quat.log([0, 1.0, 0, 0]).round(6)
    array([0.      , 1.570796, 0.      , 0.      ])
    >>> quat.log([0, 0, 0, -1.0]).round(6)
    array([3.141593, 0.      , 0.      , 0.      ])
    """
    if not scalar_first:
        try:
            return _core.quat_log(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_log, "quat.log", {"q": q}, out, scalar_first)


def exp(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the exponential: with w 0, the unit quaternion that rotates by twice the vector part.

    With v the vector part, it is ``e^w (cos |v| + v sin |v| / |v|)``.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w. ``|v|`` loses as much of its fraction as it has digits before the point.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 4)
        NaN makes its row NaN; so does an infinite vector part.

    Raises
    ------
    TypeError
        If q holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    See Also
    --------
    from_rotation_vector : the same of half its argument.

    Examples
    --------
    >>> quat.exp([0, np.pi / 2, 0, 0]).round(12)
    array([0., 1., 0., 0.])
    """
    if not scalar_first:
        try:
            return _core.quat_exp(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_exp, "quat.exp", {"q": q}, out, scalar_first)


def power(
    q: ArrayLike, t: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Raise to a power, ``exp(t log(q))``: t times the rotation of q as it is given.

    q and -q have different powers: the angle of a unit quaternion is taken from 0 to a full turn. For the
    shorter arc from the identity to q, see ``slerp(identity, q, t)``.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w; any length.
    t : array_like, shape (...)
        Any number. Its axes broadcast against the leading axes of q.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 4)
        Negative numbers such as -1 rotate about the x axis, as in `log`. Zero becomes zero, one for t = 0 and
        infinite for t < 0. NaN makes every number of its row NaN.

    Raises
    ------
    TypeError
        If an argument holds no real numbers or `out` has another precision than the result.
    ValueError
        If a shape does not fit or `out` is read-only.

    Examples
    --------
    >>> quat.power([0, 0, 1.0, 0], 0.5).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    if not scalar_first:
        try:
            return _core.quat_power(q, t, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.quat_power, "quat.power", {"q": q, "t": t}, out, scalar_first)
