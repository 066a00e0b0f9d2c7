# SPDX-License-Identifier: MIT
"""Rigid motions as screws: a rotation about a line and a translation along it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lissom import _core
from lissom._base.array_function import call
from lissom._base.refusals import NO_AXIS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Screw(NamedTuple):
    """A rotation about a line in space and a translation along it: what every rigid motion is (Chasles).

    Examples
    --------
    >>> half_turn = dual_quat.from_quat_translation([0.0, 1, 0, 0], [2.0, 3, 0])
    >>> screw = dual_quat.to_screw(half_turn)
    >>> float(screw.pitch)  # 3 up, along the axis
    3.0
    >>> np.cross(screw.axis, screw.moment)  # the point of the axis nearest to the origin
    array([1., 0., 0.])
    """

    axis: NDArray[Any]
    """Unit direction of the line, shape (..., 3)."""
    moment: NDArray[Any]
    """``cross(p, axis)`` for every point p of the line, shape (..., 3), in units of length."""
    angle: NDArray[Any]
    """Radians about the axis by the right-hand rule, shape (...)."""
    pitch: NDArray[Any]
    """Translation along the axis by the whole motion, shape (...), in units of length."""


def to_screw(
    q: ArrayLike,
    *,
    scalar_first: bool = False,
    out: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]] | None = None,
) -> Screw:
    """Return the line, the angle and the shift of rigid motions.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w. q and -q give the same screw.
    scalar_first : bool
        Whether the halves of q are w, x, y, z.
    out : tuple of four ndarrays, shapes (..., 3), (..., 3), (...) and (...), optional
        Where to write axis, moment, angle and pitch.

    Returns
    -------
    Screw
        `axis` and `moment`, shape (..., 3), `angle` in [0, pi] and `pitch`, shape (...). Of a translation:
        angle and moment 0, the axis along it. Of the identity: axis x, the rest 0. Of NaN where q is. Nothing
        is rounded away: a translation that rounding made a tiny rotation has a line far off, with a moment of
        about the translation by the angle.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` is no tuple of four arrays of the result's precision.
    ValueError
        If a shape does not fit, or an array of `out` is read-only.

    Notes
    -----
    The point of the line that is nearest to the origin is ``cross(axis, moment)``. Others call the
    translation per radian, ``pitch / angle``, the pitch.

    References
    ----------
    .. [1] Daniilidis, Hand-Eye Calibration Using Dual Quaternions, International Journal of Robotics Research
       18(3), 1999, section 3.

    Examples
    --------
    Half a turn about the upright line through (1, 0, 0), and 3 up:

    >>> q = dual_quat.from_quat_translation([0.0, 1, 0, 0], [2.0, 3, 0])
    >>> axis, moment, angle, pitch = dual_quat.to_screw(q)
    >>> axis, float(angle.round(4)), float(pitch)
    (array([0., 1., 0.]), 3.1416, 3.0)
    >>> np.cross(axis, moment)
    array([1., 0., 0.])
    """
    if not scalar_first:
        try:
            return Screw(*_core.dual_quat_to_screw(q, out))
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return Screw(*call(_core.dual_quat_to_screw, "dual_quat.to_screw", {"q": q}, out, scalar_first))


def from_screw(
    axis: ArrayLike,
    moment: ArrayLike,
    angle: ArrayLike,
    pitch: ArrayLike,
    *,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return motions that rotate about a line and move along it.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
        Direction of the line, of any length but zero.
    moment : array_like, shape (..., 3)
        ``cross(p, axis)`` with any point p of the line, so zero for lines through the origin; it shares the
        length of `axis`. What lies along the axis is no part of a line and is dropped.
    angle : array_like, shape (...)
        Radians, any.
    pitch : array_like, shape (...)
        Translation along the axis by the whole motion.
    scalar_first : bool
        Whether the halves of the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 8)
        Unit. Of NaN where an argument is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If an axis is zero, a shape does not fit, or `out` is read-only.

    See Also
    --------
    to_screw : with the source.

    Examples
    --------
    Half a turn about the upright line through (1, 0, 0), and 3 up:

    >>> up = [0.0, 1, 0]
    >>> q = dual_quat.from_screw(up, np.cross([1, 0, 0], up), np.pi, 3.0)
    >>> dual_quat.transform_point(q, [0, 0, 0]).round(12)
    array([2., 3., 0.])
    """
    kernel = _core.dual_quat_from_screw
    if not scalar_first:
        try:
            return kernel(axis, moment, angle, pitch, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"axis": axis, "moment": moment, "angle": angle, "pitch": pitch}
    return call(kernel, "dual_quat.from_screw", operands, out, scalar_first, NO_AXIS)
