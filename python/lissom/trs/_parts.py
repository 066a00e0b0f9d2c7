# SPDX-License-Identifier: MIT
"""Making transforms of parts, and looking at their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.array_function import call, rolled
from lissom._base.arrays import FLOAT64, as_numbers, batch_sides, float_dtype

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

# What stands in for parts that are not given. In float32, which leaves the precision to those that are.
_ZERO, _NO_TURN, _ONE = (np.array(part, np.float32) for part in ((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)))
# The same: the kernel's fast path takes arrays of one precision.
_WIDE = tuple(part.astype(np.float64) for part in (_ZERO, _NO_TURN, _ONE))


def identity(shape: int | tuple[int, ...] = (), dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Return identity transforms.

    Parameters
    ----------
    shape : int or tuple of int
        The leading axes.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    ndarray, shape (..., 10)

    Raises
    ------
    TypeError
        If dtype is another, or shape holds no integers.
    ValueError
        If shape is negative.

    Examples
    --------
    >>> trs.identity()
    array([0., 0., 0., 0., 0., 0., 1., 1., 1., 1.], dtype=float32)
    >>> trs.identity((100, 24), np.float64).shape
    (100, 24, 10)
    """
    sides = batch_sides("trs.identity", shape)
    result = np.zeros((*sides, 10), float_dtype("trs.identity", dtype))
    result[..., 6:] = 1
    return result


def from_parts(
    translation: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    *,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Put transforms together; leading axes broadcast.

    Parameters
    ----------
    translation : array_like, shape (..., 3), optional
        x, y, z; zero unless given.
    rotation : array_like, shape (..., 4), optional
        Unit, x, y, z, w; stored as it is. No rotation unless given.
    scale : array_like, shape (..., 3), optional
        x, y, z; one unless given.
    scalar_first : bool
        Whether rotation is w, x, y, z. The result never is.
    out : ndarray, shape (..., 10), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 10)
        In the precision of the parts that are given; float32 where none is. NaN stays where it is.

    Raises
    ------
    TypeError
        If a part holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> trs.from_parts([1.0, 2.0, 3.0], scale=[2.0, 2.0, 2.0])
    array([1., 2., 3., 0., 0., 0., 1., 2., 2., 2.])
    >>> trs.from_parts(rotation=[1.0, 0, 0, 0], scalar_first=True)
    array([0., 0., 0., 0., 0., 0., 1., 1., 1., 1.])
    """
    first = scalar_first and rotation is not None  # the one that stands in for none is x, y, z, w
    is_wide = any(getattr(part, "dtype", None) is FLOAT64 for part in (translation, rotation, scale))
    zero, no_turn, one = _WIDE if is_wide else (_ZERO, _NO_TURN, _ONE)
    t = zero if translation is None else translation
    r = no_turn if rotation is None else rotation
    s = one if scale is None else scale
    if not first:
        try:
            return _core.trs_from_parts(t, r, s, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"translation": t, "rotation": r, "scale": s}
    return call(_core.trs_from_parts, "trs.from_parts", operands, out, first)


def translation(trs: ArrayLike) -> NDArray[Any]:
    """Return the translations of transforms.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Such as a pose.

    Returns
    -------
    ndarray, shape (..., 3)
        x, y, z: a view, so that writing into it changes `trs`, where that is an array.

    Raises
    ------
    TypeError
        If trs holds no real numbers.
    ValueError
        If the shape does not fit.

    Examples
    --------
    >>> pose = trs.identity(2)
    >>> trs.translation(pose)[:, 1] += 0.5
    >>> pose[:, :3]
    array([[0. , 0.5, 0. ],
           [0. , 0.5, 0. ]], dtype=float32)
    """
    return _rows("trs.translation", trs)[..., 0:3]


def rotation(trs: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Return the rotations of transforms.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Such as a pose.
    scalar_first : bool
        Whether to give w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        x, y, z, w: a view, so that writing into it changes `trs`, where that is an array. With
        ``scalar_first=True`` a copy.

    Raises
    ------
    TypeError
        If trs holds no real numbers.
    ValueError
        If the shape does not fit.

    Examples
    --------
    >>> pose = trs.identity(2)
    >>> trs.rotation(pose)[1] = [1, 0, 0, 0]
    >>> trs.rotation(pose, scalar_first=True)
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]], dtype=float32)
    """
    view = _rows("trs.rotation", trs)[..., 3:7]
    return rolled(view, 1) if scalar_first else view


def scale(trs: ArrayLike) -> NDArray[Any]:
    """Return the scales of transforms.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Such as a pose.

    Returns
    -------
    ndarray, shape (..., 3)
        x, y, z: a view, so that writing into it changes `trs`, where that is an array.

    Raises
    ------
    TypeError
        If trs holds no real numbers.
    ValueError
        If the shape does not fit.

    Examples
    --------
    >>> pose = trs.identity(2)
    >>> trs.scale(pose)[0] = 3
    >>> trs.to_matrix(pose)[0].diagonal()
    array([3., 3., 3., 1.], dtype=float32)
    """
    return _rows("trs.scale", trs)[..., 7:10]


def _rows(function: str, trs: ArrayLike) -> NDArray[Any]:
    array = as_numbers(trs, f"{function}: trs")
    if array.ndim == 0 or array.shape[-1] != 10:
        raise ValueError(f"{function}: trs must have shape (..., 10), got {array.shape}")
    return array
