# SPDX-License-Identifier: MIT
"""What "blended" skinning takes: a number per vertex, one for all, or "bend" for what poses ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lissom._character.bend_blend import bend_blend
from lissom.skinning._blend_weights import checked_blend

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character

    Blend = ArrayLike | Literal["bend"]

__all__ = ["blend_of"]


def blend_of(caller: str, character: Character, poses: NDArray[Any], blend: Blend) -> NDArray[np.float32]:
    """Return ``blend=`` of a caller as one number per vertex of a character with a mesh.

    Parameters
    ----------
    poses : ndarray, shape (..., J, 10)
        What ``"bend"`` is painted from.
    blend : float, array_like of shape (V,) or "bend"

    Raises
    ------
    TypeError
        If it is no number.
    ValueError
        On another word or shape, or a number that is not from 0 to 1.
    """
    assert character.mesh is not None
    if isinstance(blend, str):
        if blend != "bend":
            raise ValueError(f"{caller}: blend must be numbers from 0 to 1 or 'bend', got {blend!r}")
        return bend_blend(character, poses)
    return checked_blend(blend, character.mesh.vertex_count, f"{caller}: blend")
