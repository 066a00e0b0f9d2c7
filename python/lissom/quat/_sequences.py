# SPDX-License-Identifier: MIT
"""Many quaternions along an axis: signs that follow each other, and their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._array_function import call_along

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def align(
    q: ArrayLike,
    axis: int = 0,
    *,
    closed: bool = False,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Choose signs along an axis, so that neighbours lie on one side: each follows the one before.

    q and -q are the same rotation, but what lies between two quaternions depends on their signs.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Unit quaternions x, y, z, w, a sequence along `axis`.
    axis : int
        One of the leading axes; -1 is the last of them.
    closed : bool
        Whether the last and the first are neighbours, too, as in a loop. Where signs cannot agree all the way
        round, one pair of neighbours stays apart: the one farthest apart as rotations, the last and the first
        where others only equal them.
    scalar_first : bool
        Whether q and the result are w, x, y, z.
    out : ndarray, of q's shape, optional
        Where to write; may be q.

    Returns
    -------
    ndarray, of q's shape
        q with some signs changed. The first of each sequence keeps its own. At right angles (a dot product of
        zero) and next to NaN, signs stay as they are.

    Raises
    ------
    TypeError
        If q holds no real numbers, `axis` is no integer or `out` has another precision than the result.
    ValueError
        If a shape or `axis` does not fit, or `out` is read-only.

    Examples
    --------
    >>> q = np.array([[0, 0, 0, 1], [0, 0, -0.6, -0.8], [0, 0, 0.8, 0.6]])
    >>> quat.align(q)
    array([[0. , 0. , 0. , 1. ],
           [0. , 0. , 0.6, 0.8],
           [0. , 0. , 0.8, 0.6]])
    """
    kernel = _core.quat_align_closed if closed else _core.quat_align
    return call_along(kernel, "quat.align", q, axis, out, scalar_first)
