# SPDX-License-Identifier: MIT
"""Which joints carry the mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["with_vertices"]


def with_vertices(character: Character | None) -> list[int]:
    """Return the joints that move vertices, in the order of the skeleton; none without a mesh."""
    if character is None or character.mesh is None or character.skin is None:
        return []
    rows = np.unique(character.mesh.indices[character.mesh.weights > 0])
    joints: list[int] = np.unique(character.skin.joints[rows]).tolist()
    return joints
