# SPDX-License-Identifier: MIT
"""Dual quaternions to and from rotation and translation, and rows of poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lissom import _core
from lissom._base.array_function import call
from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def from_quat_translation(
    rotation: ArrayLike,
    translation: ArrayLike,
    *,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Make dual quaternions that rotate, then translate.

    Parameters
    ----------
    rotation : array_like, shape (..., 4)
        Unit, x, y, z, w. Taken as it is.
    translation : array_like, shape (..., 3)
        Leading axes broadcast against those of `rotation`.
    scalar_first : bool
        Whether `rotation` and the result's halves are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 8)
        Real part `rotation`, dual part ``0.5 (translation, 0) rotation``. Of NaN where an argument is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.from_quat_translation([0, 0, 0, 1], [2, 4, 6])
    array([0., 0., 0., 1., 1., 2., 3., 0.])
    """
    kernel = _core.dual_quat_from_quat_translation
    if not scalar_first:
        try:
            return kernel(rotation, translation, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    operands = {"rotation": rotation, "translation": translation}
    return call(kernel, "dual_quat.from_quat_translation", operands, out, scalar_first)


def to_quat_translation(
    q: ArrayLike,
    *,
    scalar_first: bool = False,
    out: tuple[NDArray[Any], NDArray[Any]] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return rotations and translations.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of q and the rotation are w, x, y, z.
    out : tuple of ndarray, shapes (..., 4) and (..., 3), optional
        Where to write.

    Returns
    -------
    rotation : ndarray, shape (..., 4)
        The real part, copied.
    translation : ndarray, shape (..., 3)
        The vector of ``2 dual real*``. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` is no pair of arrays of the result's precision.
    ValueError
        If a shape does not fit, or an array of `out` is read-only.

    Examples
    --------
    >>> dual_quat.to_quat_translation([0.0, 0, 0, 1, 1, 2, 3, 0])
    (array([0., 0., 0., 1.]), array([2., 4., 6.]))
    """
    kernel = _core.dual_quat_to_quat_translation
    if not scalar_first:
        try:
            return kernel(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "dual_quat.to_quat_translation", {"q": q}, out, scalar_first)


def rotation(q: ArrayLike, *, scalar_first: bool = False) -> NDArray[Any]:
    """Return the rotations: a view of the real part, so that writing into it changes an array q.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether q's halves and the result are w, x, y, z.

    Returns
    -------
    ndarray, shape (..., 4)
        Of q's dtype. It shares q's memory where q is an array.

    Raises
    ------
    TypeError
        If q holds no real numbers.
    ValueError
        If its shape does not fit.

    Examples
    --------
    >>> q = dual_quat.identity()
    >>> dual_quat.rotation(q)
    array([0., 0., 0., 1.], dtype=float32)
    """
    array = as_numbers(q, "dual_quat.rotation: q")
    if array.ndim == 0 or array.shape[-1] != 8:
        raise ValueError(f"dual_quat.rotation: q must have shape (..., 8), got {array.shape}")
    return array[..., :4]


def translation(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the translations: where the origin goes.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of q are w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 3)
        The vector of ``2 dual real*``. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.translation([0, 0, 0, 1, 1, 2, 3, 0])
    array([2., 4., 6.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_translation(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_translation, "dual_quat.translation", {"q": q}, out, scalar_first)


@overload
def from_trs(
    trs: ArrayLike,
    *,
    return_scale: Literal[False] = ...,
    scalar_first: bool = ...,
    out: NDArray[Any] | None = ...,
) -> NDArray[Any]: ...
@overload
def from_trs(
    trs: ArrayLike,
    *,
    return_scale: Literal[True],
    scalar_first: bool = ...,
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def from_trs(
    trs: ArrayLike, *, return_scale: bool = False, scalar_first: bool = False, out: Any = None
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Make dual quaternions of rows of a pose, which must not scale unless the scale is asked for.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Translation, rotation x, y, z, w (unit), scale, as in `lissom.trs`; w stays last there whatever
        `scalar_first` says.
    return_scale : bool
        Whether to return also the scales, which a dual quaternion cannot hold.
    scalar_first : bool
        Whether the halves of the result are w, x, y, z.
    out : ndarray, shape (..., 8), or with `return_scale` a tuple with one of shape (..., 3), optional
        Where to write.

    Returns
    -------
    q : ndarray, shape (..., 8)
        Of NaN where `trs` is.
    scale : ndarray, shape (..., 3), with ``return_scale=True``
        Acts before q: ``p' = transform_point(q, scale * p)``.

    Raises
    ------
    TypeError
        If `trs` holds no real numbers, or `out` is not of the result's precision.
    ValueError
        If a scale is not 1 within 1e-4 and is not asked for, a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> row = trs.from_parts(translation=[2, 4, 6])
    >>> dual_quat.from_trs(row.astype(float))
    array([0., 0., 0., 1., 1., 2., 3., 0.])
    """
    function = "dual_quat.from_trs"
    kernel: Any = _core.dual_quat_from_trs_scaled if return_scale else _core.dual_quat_from_trs
    if not scalar_first:
        try:
            return kernel(trs, out)  # type: ignore[no-any-return]
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    if return_scale:
        both: tuple[NDArray[Any], NDArray[Any]] = call(kernel, function, {"trs": trs}, out, scalar_first)
        return both
    q: NDArray[Any] = call(kernel, function, {"trs": trs}, out, scalar_first, _why_not_rigid)
    return q


def to_trs(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return rows of a pose: translation, rotation, and a scale of 1.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of q are w, x, y, z; in the result w stays last, as in `lissom.trs`.
    out : ndarray, shape (..., 10), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 10)
        NaN, except for the scale, where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> dual_quat.to_trs([0, 0, 0, 1, 1, 2, 3, 0])
    array([2., 4., 6., 0., 0., 0., 1., 1., 1., 1.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_to_trs(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_to_trs, "dual_quat.to_trs", {"q": q}, out, scalar_first)


def _why_not_rigid(trs: NDArray[Any]) -> str:
    off = np.abs(trs[7:] - 1).max()
    return (
        f"the scale of trs must be 1 within 0.0001, got one that is off by {off:.3g}; "
        "pass return_scale=True to have it beside"
    )
