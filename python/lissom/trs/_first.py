# SPDX-License-Identifier: MIT
"""Transforms as translation, rotation and scale: arrays of shape (..., 10), glTF's order.

Translation x, y, z; rotation x, y, z, w, unit; scale x, y, z. They act from right to left: ``p' =
translation + rotate(rotation, scale * p)``. One row of a pose is one of these. The product of two is in
general no trs, for it can have shear: multiply their matrices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lissom import _core, quat
from lissom._arrays import as_floats
from lissom.quat import _first as quat_first

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["from_matrix", "from_parts", "identity", "rotation", "scale", "to_matrix", "translation"]


def identity(shape: int | tuple[int, ...] = (), dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Make transforms that change nothing.

    Parameters
    ----------
    shape : int or tuple of int
        The leading axes.
    dtype : dtype
        float32 or float64.

    Returns
    -------
    ndarray, shape (..., 10)
    """
    shape = (shape,) if isinstance(shape, int) else shape
    result = np.zeros((*shape, 10), dtype)
    result[..., 6:] = 1
    return result


def from_parts(
    translation: ArrayLike = (0, 0, 0), rotation: ArrayLike = (0, 0, 0, 1), scale: ArrayLike = (1, 1, 1)
) -> NDArray[Any]:
    """Put transforms together; leading axes broadcast.

    Parameters
    ----------
    translation : array_like, shape (..., 3)
    rotation : array_like, shape (..., 4)
        Unit, x, y, z, w. Stored as it is.
    scale : array_like, shape (..., 3)

    Returns
    -------
    ndarray, shape (..., 10)
        float64 where an array among the parts is, else float32.
    """
    parts = quat_first._floats("trs.from_parts", translation, rotation, scale)
    for name, part, length in zip(("translation", "rotation", "scale"), parts, (3, 4, 3), strict=True):
        quat_first._check("trs.from_parts", name, part, length)
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    result = np.empty((*shape, 10), parts[0].dtype)
    result[..., :3], result[..., 3:7], result[..., 7:] = parts
    return result


def translation(trs: ArrayLike) -> NDArray[Any]:
    """Give the translations, shape (..., 3): a view, so that writing into it changes `trs`."""
    return _pose("trs.translation", trs)[..., 0:3]


def rotation(trs: ArrayLike) -> NDArray[Any]:
    """Give the rotations x, y, z, w, shape (..., 4): a view, so that writing into it changes `trs`."""
    return _pose("trs.rotation", trs)[..., 3:7]


def scale(trs: ArrayLike) -> NDArray[Any]:
    """Give the scales, shape (..., 3): a view, so that writing into it changes `trs`."""
    return _pose("trs.scale", trs)[..., 7:10]


def to_matrix(trs: ArrayLike) -> NDArray[Any]:
    """Give the matrices.

    Parameters
    ----------
    trs : array_like, shape (..., 10)
        Rotations are unit.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Row-major, translation in the last column.
    """
    array = _pose("trs.to_matrix", as_floats(trs, "trs.to_matrix: trs"))
    result = np.zeros((*array.shape[:-1], 4, 4), array.dtype)
    result[..., :3, :3] = quat.to_matrix(array[..., 3:7]) * array[..., None, 7:10]
    result[..., :3, 3] = array[..., 0:3]
    result[..., 3, 3] = 1
    return result


@overload
def from_matrix(matrix: ArrayLike, *, return_shear: Literal[False] = ...) -> NDArray[Any]: ...
@overload
def from_matrix(matrix: ArrayLike, *, return_shear: Literal[True]) -> tuple[NDArray[Any], NDArray[Any]]: ...
def from_matrix(
    matrix: ArrayLike, *, return_shear: bool = False
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Take matrices apart: the nearest rotation of their normalised axes, and the scale along it.

    Parameters
    ----------
    matrix : array_like, shape (..., 4, 4)
        Affine, row-major, last row 0, 0, 0, 1.
    return_shear : bool
        Whether to return also what is lost.

    Returns
    -------
    trs : ndarray, shape (..., 10)
        The quaternion's w is never negative. A mirror becomes a negative scale along x. An axis of zero
        length keeps scale 0, and the rotation completes the others, as near to the identity as they allow.
    shear : ndarray, shape (...), with ``return_shear=True``
        The largest entry of ``matrix - to_matrix(trs)``, as a share of the largest scale: rounding where the
        axes are at right angles, for only then is a matrix a trs.

    Raises
    ------
    ValueError
        If the shape does not fit, or a matrix is not finite or not affine.

    Notes
    -----
    The rotation is the polar factor of the matrix of unit axes, the scale ``diag(R^T M)``: exact wherever it
    can be, and the nearest of its kind elsewhere.
    """
    given = as_floats(matrix, "trs.from_matrix: matrix")
    if given.ndim < 2 or given.shape[-2:] != (4, 4):
        raise ValueError(f"trs.from_matrix: matrix must have shape (..., 4, 4), got {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("trs.from_matrix: matrix must be finite, got NaN or infinity")
    if np.abs(given[..., 3, :] - np.array([0, 0, 0, 1], given.dtype)).max(initial=0) > 1e-6:
        raise ValueError(
            "trs.from_matrix: matrix must have the last row 0, 0, 0, 1; transpose matrices of row vectors"
        )
    linear = np.array(given[..., :3, :3], np.float64, order="C")
    lengths = np.linalg.norm(linear, axis=-2)
    unit = linear / np.where(lengths > 0, lengths, 1)[..., None, :]
    # Where an axis is lost, so is the handedness, and the determinant is mere rounding.
    mirror = np.where(np.linalg.det(unit) < -1e-6, -1.0, 1.0)[..., None]
    unit[..., 0] *= mirror
    rotations = np.empty_like(unit)
    _core.rotations_of_axes(unit, rotations)
    scales = np.einsum("...ij,...ij->...j", rotations, linear)
    result = np.empty((*given.shape[:-2], 10), given.dtype)
    result[..., 0:3] = given[..., :3, 3]
    result[..., 3:7] = quat.from_matrix(rotations)
    result[..., 7:10] = scales
    if not return_shear:
        return result
    lost = np.abs(linear - rotations * scales[..., None, :]).max(axis=(-1, -2))
    largest = np.abs(scales).max(axis=-1)
    return result, np.asarray(lost / np.where(largest > 0, largest, 1), given.dtype)


def _pose(function: str, trs: ArrayLike) -> NDArray[Any]:
    array = np.asarray(trs)
    if array.ndim == 0 or array.shape[-1] != 10:
        raise ValueError(f"{function}: trs must have shape (..., 10), got {array.shape}")
    return array
