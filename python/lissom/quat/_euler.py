# SPDX-License-Identifier: MIT
"""Euler angles, in SciPy's letters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call
from lissom._base.arrays import as_numbers
from lissom._base.refusals import NO_QUAT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    # What the core calls an EulerSequence: first, second, proper, intrinsic.
    Sequence = tuple[float, float, float, float]


def from_euler(
    sequence: str,
    angles: ArrayLike,
    *,
    degrees: bool = False,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return rotations composed of rotations about coordinate axes.

    Parameters
    ----------
    sequence : str
        One to three letters, no two alike side by side. "xyz": first about x, then y, then z, all axes
        fixed (extrinsic). "XYZ": first about X, then about the rotated Y, then about the Z that
        both rotated (intrinsic).
        ``from_euler("xyz", [a, b, c])`` is ``from_euler("ZYX", [c, b, a])``.
    angles : array_like, shape (..., n), or (...) for one letter
        Radians, one per letter, in its order.
    degrees : bool
        Whether angles are in degrees.
    scalar_first : bool
        Whether to return w, x, y, z.
    out : ndarray, shape (..., 4), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit, x, y, z, w, of either sign. NaN where an angle is NaN or infinite.

    Raises
    ------
    TypeError
        If `sequence` is no str, angles hold no real numbers or `out` has another precision than the result.
    ValueError
        If `sequence` is not one of those, angles do not fit it, or `out` does not fit or is read-only.

    See Also
    --------
    to_euler

    Notes
    -----
    For one letter, angles whose last axis has length 1 are (..., 1), others (...); SciPy reads them alike.
    Blender's "XYZ" is "xyz" here, three.js's "XYZ" is "XYZ".

    Examples
    --------
    >>> quat.from_euler("z", 90, degrees=True).round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    >>> q = quat.from_euler("xyz", [0.1, 0.2, 0.3])
    >>> quat.to_euler(q, "ZYX").round(6)
    array([0.3, 0.2, 0.1])
    """
    axes, count = _sequence("quat.from_euler", sequence, 1)
    unit = math.pi / 180 if degrees else 1.0
    if count == 3 and not scalar_first:
        try:
            return _core.quat_from_euler(angles, *axes, unit, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    if count < 3:
        angles = _three_angles(angles, count)
    return call(
        _core.quat_from_euler, "quat.from_euler", _operands("angles", angles, axes, unit), out, scalar_first
    )


def to_euler(
    q: ArrayLike,
    sequence: str,
    *,
    degrees: bool = False,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the angles of rotations about coordinate axes that compose to each rotation.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        x, y, z, w, of any length but zero.
    sequence : str
        Three letters, no two alike side by side, lower case for fixed axes (extrinsic), upper case for axes
        that rotate along (intrinsic); see `from_euler`.
    degrees : bool
        Whether to return degrees.
    scalar_first : bool
        Whether q is w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 3)
        Radians, in the order of the letters. The first and the third are in [-pi, pi]; the second is in
        [-pi/2, pi/2], in [0, pi] where the first letter comes again as the third. The same for q and -q.
        NaN where q holds NaN.

    Raises
    ------
    TypeError
        If `sequence` is no str, q holds no real numbers or `out` has another precision than the result.
    ValueError
        If `sequence` is not one of those, a quaternion is zero, a shape does not fit or `out` is read-only.

    See Also
    --------
    from_euler

    Notes
    -----
    Gimbal lock: where the second angle stands at an end of its range, to 32 epsilon (7e-15, 4e-6 in float32),
    only the sum or the difference of the other two is known. There the third is 0, and the first is such that
    the rotation is kept.

    References
    ----------
    .. [1] Bernardes and Viollet, Quaternion to Euler angles conversion: A direct, general and computationally
       efficient method, PLoS ONE 17(11), 2022.

    Examples
    --------
    >>> q = quat.from_euler("XYZ", [10, 20, 30], degrees=True)
    >>> quat.to_euler(q, "XYZ", degrees=True).round(6)
    array([10., 20., 30.])
    >>> quat.to_euler([0, 0.8, 0, 0.6], "ZXZ").round(6)  # a turn about y
    array([ 1.570796,  1.85459 , -1.570796])
    """
    axes, _ = _sequence("quat.to_euler", sequence, 3)
    unit = 180 / math.pi if degrees else 1.0
    if not scalar_first:
        try:
            return _core.quat_to_euler(q, *axes, unit, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.quat_to_euler,
        "quat.to_euler",
        _operands("q", q, axes, unit),
        out,
        scalar_first,
        no_answer=NO_QUAT,
    )


def _parsed(sequence: str) -> Sequence:
    """Return the axes of a sequence of three letters; an intrinsic one is an extrinsic one reversed."""
    axes = ["xyz".index(letter) for letter in sequence.lower()]
    intrinsic = sequence.isupper()
    first, second, third = reversed(axes) if intrinsic else axes
    return float(first), float(second), float(first == third), float(intrinsic)


def _sequences() -> dict[str, tuple[Sequence, int]]:
    """List all sequences with their lengths; those of fewer than three end with an angle of zero."""
    found = {}
    for letters in ("xyz", "XYZ"):
        for a in letters:
            for b in letters.replace(a, ""):
                found[a], found[a + b] = (_parsed(a + b + a), 1), (_parsed(a + b + a), 2)
                for c in letters.replace(b, ""):
                    found[a + b + c] = (_parsed(a + b + c), 3)
    return found


_SEQUENCES = _sequences()


def _sequence(function: str, sequence: str, fewest: int) -> tuple[Sequence, int]:
    if not isinstance(sequence, str):
        raise TypeError(f"{function}: sequence must be a str such as 'xyz', got {type(sequence).__name__}")
    found = _SEQUENCES.get(sequence)
    if found is None or found[1] < fewest:
        count = "1 to 3" if fewest == 1 else "3"
        raise ValueError(
            f"{function}: sequence must be {count} of the letters x, y, z (fixed axes) or X, Y, Z (axes that "
            f"turn along), no two alike side by side, got {sequence!r}"
        )
    return found


def _operands(name: str, value: ArrayLike, axes: Sequence, unit: float) -> dict[str, Any]:
    first, second, proper, intrinsic = axes
    return {
        name: value,
        "first": first,
        "second": second,
        "proper": proper,
        "intrinsic": intrinsic,
        "unit": unit,
    }


def _three_angles(angles: ArrayLike, count: int) -> NDArray[Any]:
    """Return three angles, padded with zeros."""
    array = as_numbers(angles, "quat.from_euler: angles")
    if count == 1 and (array.ndim == 0 or array.shape[-1] != 1):
        array = array[..., None]
    if array.ndim == 0 or array.shape[-1] != count:
        raise ValueError(
            f"quat.from_euler: angles must have shape (..., {count}) for {count} letters, got {array.shape}"
        )
    return np.concatenate([array, np.zeros((*array.shape[:-1], 3 - count), array.dtype)], axis=-1)
