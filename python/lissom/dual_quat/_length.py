# SPDX-License-Identifier: MIT
"""Inverse, normalisation and sign of dual quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lissom import _core
from lissom._base.array_function import call
from lissom._base.refusals import NO_REAL_PART

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def inverse(q: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the inverse, of any length. For unit dual quaternions `conjugate` is the same and faster.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; the real part not zero.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        ``q* / (q q*)``, where ``q q*`` is the dual number ``|real|^2 + 2 eps <real, dual>``. Of NaN where q
        is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a real part is zero, a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> q = np.array([0, 0, 0, 2.0, 1, 2, 3, 4])
    >>> dual_quat.multiply(q, dual_quat.inverse(q))
    array([0., 0., 0., 1., 0., 0., 0., 0.])
    """
    if not scalar_first:
        try:
            return _core.dual_quat_inverse(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_inverse, "dual_quat.inverse", {"q": q}, out, scalar_first, NO_REAL_PART)


def normalize(
    q: ArrayLike,
    *,
    zero: Literal["error", "identity"] = "error",
    scalar_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Make dual quaternions unit in both senses: ``|real| = 1`` and ``<real, dual> = 0``.

    Parameters
    ----------
    q : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w. Very small and very large ones are as good as any.
    zero : "error" or "identity"
        The result for a real part of zero, which is not a rotation.
    scalar_first : bool
        Whether the halves of q and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be q.

    Returns
    -------
    ndarray, shape (..., 8)
        ``q / sqrt(q q*)``: both halves divided by ``|real|``, and from the dual half what lies along the real
        one removed, which moves nothing. Of NaN where q is.

    Raises
    ------
    TypeError
        If q holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a real part is zero and `zero` is "error", a shape does not fit, or `out` is read-only.

    References
    ----------
    .. [1] Kavan et al., Geometric Skinning with Approximate Dual Quaternion Blending, ACM TOG 27(4) art. 105,
       2008, section 3.

    Examples
    --------
    >>> dual_quat.normalize([0, 0, 0, 2.0, 2, 4, 6, 1])
    array([0., 0., 0., 1., 1., 2., 3., 0.])
    """
    if zero == "error":
        kernel = _core.dual_quat_normalize
        no_answer = f'{NO_REAL_PART}; pass zero="identity" to take it for no motion'
    elif zero == "identity":
        kernel, no_answer = _core.dual_quat_normalize_or_identity, ""
    else:
        raise ValueError(f'dual_quat.normalize: zero must be "error" or "identity", got {zero!r}')
    if not scalar_first:
        try:
            return kernel(q, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(kernel, "dual_quat.normalize", {"q": q}, out, scalar_first, no_answer)


def dot(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the dot products of the real parts: below zero where a and b lie on different sides.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w.
    scalar_first : bool
        Whether the halves of a and b are w, x, y, z.
    out : ndarray, shape (...), optional
        Where to write.

    Returns
    -------
    ndarray, shape (...)
        The cosine of half the angle between unit a and b; that of b and -b, the same transform, differ in
        sign. NaN where a real part has one.

    Raises
    ------
    TypeError
        If an argument holds no real numbers, or `out` has another precision than the result.
    ValueError
        If a shape does not fit, or `out` is read-only.

    Examples
    --------
    >>> a = dual_quat.identity(dtype=float)
    >>> float(dual_quat.dot(a, -a))
    -1.0
    """
    if not scalar_first:
        try:
            return _core.dual_quat_dot(a, b, out)
        except (TypeError, ValueError):  # refused below, with a message of ours
            pass
    return call(_core.dual_quat_dot, "dual_quat.dot", {"a": a, "b": b}, out, scalar_first)
