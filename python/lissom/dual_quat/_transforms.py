# SPDX-License-Identifier: MIT
"""Points and vectors moved by dual quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._base.array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def transform_point(
    q: ArrayLike, p: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Move points: rotate about the origin, then translate.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    p : array_like, shape (..., 3)
        Points; leading axes broadcast against those of q: many points by each of many q are
        ``transform_point(q[:, None], p)``.
    scalar_first : bool
        Whether the halves of q are w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write; may be p.

    Returns
    -------
    ndarray, shape (..., 3)
        Of NaN where q or p is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    References
    ----------
    .. [1] Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, ACM TOG 27(4) art. 105,
       2008, algorithm 1.

    Examples
    --------
    >>> q = dual_quat.from_quat_translation([0, 0, 1, 0], [0, 5, 0])  # half a turn about z
    >>> dual_quat.transform_point(q, [1, 2, 3])
    array([-1.,  3.,  3.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_transform_point(q, p, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.dual_quat_transform_point, "dual_quat.transform_point", {"q": q, "p": p}, out, scalar_first
    )


def transform_vector(
    q: ArrayLike, v: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Rotate vectors, such as directions and normals, which no translation moves.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Unit, real x, y, z, w, then dual x, y, z, w.
    v : array_like, shape (..., 3)
        Vectors; leading axes broadcast against those of q.
    scalar_first : bool
        Whether the halves of q are w, x, y, z.
    out : ndarray, shape (..., 3), optional
        Where to write; may be v.

    Returns
    -------
    ndarray, shape (..., 3)
        Of NaN where the real half of q or v is.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> q = dual_quat.from_quat_translation([0, 0, 1, 0], [0, 5, 0])  # half a turn about z
    >>> dual_quat.transform_vector(q, [1, 2, 3])
    array([-1., -2.,  3.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_transform_vector(q, v, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(
        _core.dual_quat_transform_vector, "dual_quat.transform_vector", {"q": q, "v": v}, out, scalar_first
    )
