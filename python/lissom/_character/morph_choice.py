# SPDX-License-Identifier: MIT
"""Which weights a character's morph targets have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._rig.morph_weights import morph_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character

__all__ = ["morphs_of"]


def morphs_of(caller: str, character: Character, morphs: ArrayLike | None) -> NDArray[np.float32] | None:
    """Return weights ``(M,)``: given, or the defaults; None where there are no morph targets.

    Raises
    ------
    TypeError, ValueError
        As `morph_weights`.
    """
    return morph_weights(morphs, character.mesh, f"{caller}: morphs")
