# SPDX-License-Identifier: MIT
"""Rigid motions along their screws: logarithm, exponential, powers, and the path between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def log(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return logarithms of unit dual quaternions: half the screw's angle and shift, on its line.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w. Its sign counts: the logarithm of one with w below 0
        rotates by more than pi.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        Pure (both w are 0), with ``exp(log(q)) = q``. For a translation, zero and half of it. For a real part
        of exactly -1, a rotation by 2 pi, any axis would do: it is that of the translation, or x where there
        is none. Near there the dual half grows without bound, as do its errors, by 1 / sin(angle / 2). Of NaN
        where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    References
    ----------
    .. [1] Daniilidis, Hand-Eye Calibration Using Dual Quaternions, International Journal of Robotics Research
       18(3), 1999, section 3.
    .. [2] Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, ACM TOG 27(4) art. 105,
       2008, appendix A.

    Examples
    --------
    >>> dual_quat.log([0, 0, 0, 1, 1, 2, 3, 0])
    array([0., 0., 0., 0., 1., 2., 3., 0.])
    >>> dual_quat.log([0, 0, 1, 0, 0, 0, 0, -1]).round(4)  # half a turn about z and 2 along it
    array([0.    , 0.    , 1.5708, 0.    , 0.    , 0.    , 1.    , 0.    ])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_log(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_log, "dual_quat.log", {"q": q}, out, scalar_first)


def exp(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the unit dual quaternions of logarithms.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Pure: both w are taken for 0. The real vector is half an angle in radians times an axis.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        Unit. Of NaN where a vector of q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    See Also
    --------
    log : with the sources.

    Examples
    --------
    >>> dual_quat.exp([0, 0, 0, 0, 1, 2, 3, 0]) + 0
    array([0., 0., 0., 1., 1., 2., 3., 0.])
    >>> dual_quat.exp([0, 0, np.pi / 2, 0, 0, 0, 1, 0]).round(12) + 0
    array([ 0.,  0.,  1.,  0.,  0.,  0.,  0., -1.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_exp(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_exp, "dual_quat.exp", {"q": q}, out, scalar_first)


def power(
    q: ArrayLike, t: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Do motions t times along their screws: ``exp(t log(q))``.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w. Its sign counts: with w below 0 it is the motion that
        rotates by more than pi.
    t : array_like, shape (...)
        Any number; 0 gives the identity, -1 the inverse. Its axes broadcast against the leading axes of q.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        Unit. Of NaN where q or t is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    See Also
    --------
    log : with the sources, and what holds near a rotation by 2 pi.

    Examples
    --------
    >>> q = dual_quat.from_screw([0, 0, 1], [0, 0, 0], np.pi / 2, 4.0)
    >>> half = dual_quat.power(q, 0.5)
    >>> bool(dual_quat.equal(dual_quat.multiply(half, half), q))
    True
    """
    if not scalar_first:
        try:
            return _core.dual_quat_power(q, t, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_power, "dual_quat.power", {"q": q, "t": t}, out, scalar_first)


def sclerp(
    a: ArrayLike,
    b: ArrayLike,
    t: ArrayLike,
    *,
    short: bool = True,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Interpolate rigid transforms along the screw between them, at constant speed: ``a (a* b)^t``.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    t : array_like, shape (...)
        0 gives a, 1 gives b or -b, to the bit. Its axes broadcast against the leading axes of a and b: for
        many moments of many transforms pass ``t[:, None]``. Below 0 and above 1 the screw goes on.
    short : bool
        Whether to go to -b, the same transform, where its real part is nearer to a's. Else signs count, and a
        rotation may be by up to 2 pi.
    scalar_first : bool
        Whether the halves of a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 8)
        Unit. Of NaN where an argument is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Notes
    -----
    Up to t = 0.5 the motion is counted from a, then from b: the same path, closer to both ends.

    References
    ----------
    .. [1] Kavan, Collins, O'Sullivan and Zara, Dual Quaternions for Rigid Transformation Blending, Trinity
       College Dublin TCD-CS-2006-46, 2006, section 4.

    Examples
    --------
    >>> a = dual_quat.identity(dtype=float)
    >>> b = dual_quat.from_screw([0, 0, 1], [0, 0, 0], np.pi, 4.0)
    >>> half = dual_quat.sclerp(a, b, 0.5)
    >>> [part.round(4) for part in dual_quat.to_quat_translation(half)]
    [array([0.    , 0.    , 0.7071, 0.7071]), array([0., 0., 2.])]
    """
    kernel = _core.dual_quat_sclerp if short else _core.dual_quat_sclerp_as_given
    if not scalar_first:
        try:
            return kernel(a, b, t, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "dual_quat.sclerp", {"a": a, "b": b, "t": t}, out, scalar_first)
