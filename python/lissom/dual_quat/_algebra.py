# SPDX-License-Identifier: MIT
"""Products, conjugates, inverses and lengths of dual quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._array_function import call

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def multiply(
    a: ArrayLike, b: ArrayLike, *, scalar_first: bool = False, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Multiply dual quaternions: move by b, then by a.

    Parameters
    ----------
    a, b : array_like, shape (..., 8)
        Real x, y, z, w, then dual x, y, z, w; any length.
    scalar_first : bool
        Whether the halves of a, b and the result are w, x, y, z.
    out : ndarray, shape (..., 8), optional
        Where to write; may be a or b.

    Returns
    -------
    ndarray, shape (..., 8)
        The product a b.
    """
    if not scalar_first:
        try:
            return _core.dual_quat_multiply(a, b, out)
        except (TypeError, ValueError):  # said again below, in our words
            pass
    return call(_core.dual_quat_multiply, "dual_quat.multiply", {"a": a, "b": b}, out, scalar_first)
