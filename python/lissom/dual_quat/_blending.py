# SPDX-License-Identifier: MIT
"""Many dual quaternions together: weighted blends, and signs that follow each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call, call_along
from lissom._base.refusals import no_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def dlb(
    q: ArrayLike, weights: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Blend rigid transforms by weights: dual quaternion linear blending.

    Parameters
    ----------
    q : array_like, shape (..., n, 8)
        Unit, real x, y, z, w, then dual x, y, z, w: n transforms to each blend. Their signs do not matter.
    weights : array_like, shape (..., n)
        At least 0, not all 0; they need not sum to 1. Leading axes broadcast against those of q.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write.

    Returns
    -------
    ndarray, shape (..., 8)
        Unit in both senses, on the side of the item of largest weight (of equal ones the first), against
        which all are signed. So the blend jumps where an item passes half a turn from that one; no choice of
        signs avoids this everywhere. Of NaN where an item or a weight is, of weight 0 too.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a weight is below 0 or all of a blend are 0 (none counts as all 0), a shape does not fit, or `out`
        is read-only.

    Notes
    -----
    Follows nearly the path of `sclerp`: at most 8.15 degrees and 15 % of the shift off for two transforms
    half a turn apart, 0.92 degrees and 3.1 % for a quarter.

    References
    ----------
    .. [1] Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, ACM TOG 27(4) art. 105,
       2008, section 4.

    Examples
    --------
    >>> q = dual_quat.from_quat_translation([0.0, 0, 0, 1], [[2.0, 0, 0], [0, 4, 0]])
    >>> blend = dual_quat.dlb([q[0], -q[1]], [0.75, 0.25])
    >>> dual_quat.translation(blend)
    array([1.5, 1. , 0. ])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_dlb(q, weights, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.dual_quat_dlb,
        "dual_quat.dlb",
        {"q": q, "weights": weights},
        out,
        scalar_first,
        no_weights,
    )


def align(
    q: ArrayLike,
    axis: int = 0,
    *,
    closed: bool = False,
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Choose signs along an axis, so that neighbours lie on one side: each follows the one before.

    q and -q are the same transform, but what lies between two dual quaternions depends on their signs.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w, a sequence along `axis`. The real parts decide.
    axis : int
        One of the leading axes; -1 is the last of them.
    closed : bool
        Whether the last and the first are neighbours, too, as in a loop. Where signs cannot agree all the way
        round, one pair of neighbours stays apart: the one farthest apart as rotations, the last and the first
        where others only equal them.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
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
    >>> q = dual_quat.from_quat_translation([0.0, 0, 0, 1], [[2.0, 0, 0], [4, 0, 0]])
    >>> dual_quat.translation(dual_quat.align([q[0], -q[1]]).sum(axis=0) / 2)
    array([3., 0., 0.])
    """
    kernel = _core.dual_quat_align_closed if closed else _core.dual_quat_align
    return call_along(kernel, "dual_quat.align", q, axis, out, scalar_first)
