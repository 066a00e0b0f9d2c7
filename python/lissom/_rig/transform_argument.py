# SPDX-License-Identifier: MIT
"""Where something stands, as users say it: a trs, a dual quaternion or a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom import dual_quat, trs
from lissom._base.arrays import finite_floats
from lissom._base.numbers import refuse_larger

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["transforms_of"]

UNIT = 1e-4  # how far from 1 the length of a quaternion may be: more is a mistake, less is rounding
SHEARED = 1e-5  # of the largest scale: what float32 matrices of a trs lose is less
AFFINE = 1e-6  # of the last row of a matrix


def transforms_of(value: ArrayLike, what: str, batch: tuple[int, ...] = ()) -> NDArray[np.float64]:
    """Return transforms as trs, shape (..., 10), rotations at unit length.

    Parameters
    ----------
    value : array_like, shape (..., 10), (..., 8) or (..., 4, 4)
        trs, dual quaternions, or matrices without shear.
    what : str
        Function and argument, for errors.
    batch : tuple of int
        The leading axes that it must have.

    Raises
    ------
    TypeError
        If it holds no real numbers.
    ValueError
        If it has another shape, is not finite, beyond 1e9, not unit, not affine, or sheared.
    """
    numbers = finite_floats(value, what)
    refuse_larger(numbers, what)
    inner = numbers.shape[len(batch) :]
    if numbers.shape[: len(batch)] != batch or inner not in ((10,), (8,), (4, 4)):
        shapes = [str((*batch, *shape)) for shape in ((10,), (8,), (4, 4))]
        raise ValueError(
            f"{what} must have shape {shapes[0]} as trs, {shapes[1]} as dual quaternion or {shapes[2]} as "
            f"matrix, got {numbers.shape}"
        )
    if inner == (4, 4):
        return _of_matrices(numbers, what)
    turn = numbers[..., 3:7] if inner == (10,) else numbers[..., :4]
    off = np.abs(np.linalg.norm(turn, axis=-1) - 1)
    if (off > UNIT).any():
        raise ValueError(
            f"{what} must have a rotation of unit length, got {np.linalg.norm(turn, axis=-1).max():g}; "
            "components are x, y, z, w"
        )
    if inner == (8,):
        return np.asarray(dual_quat.to_trs(dual_quat.normalize(numbers)), np.float64)
    numbers[..., 3:7] = turn / np.linalg.norm(turn, axis=-1, keepdims=True)
    return numbers


def _of_matrices(matrices: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    last = matrices[..., 3, :]
    if np.abs(last - (0, 0, 0, 1)).max(initial=0) > AFFINE:
        raise ValueError(
            f"{what} must have 0, 0, 0, 1 as its last row, got {last.reshape(-1, 4)[0].tolist()}"
        )
    decomposed, shear = trs.from_matrix(matrices, return_shear=True)
    if np.max(shear, initial=0) > SHEARED:
        raise ValueError(
            f"{what} must be translation, rotation and scale, got a matrix whose axes are not at right "
            "angles; a joint holds no shear, so move the vertices by it"
        )
    return np.asarray(decomposed, np.float64)
