# SPDX-License-Identifier: MIT
"""A skeleton with the mesh that it moves, if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._rig.skeleton import Skeleton

if TYPE_CHECKING:
    from lissom._character.character import Character


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton and, where it has a mesh, its character."""

    skeleton: Skeleton
    character: Character | None
    size: float


def rig_of(function: str, character: object) -> Rig:
    """Return the rig of a character or a skeleton; refuse others."""
    from lissom._character.character import Character

    if isinstance(character, Character):
        has_mesh = character.mesh is not None and character.mesh.vertex_count > 0
        return Rig(character.skeleton, character if has_mesh else None, character.size)
    if isinstance(character, Skeleton):
        return Rig(character, None, character.size)
    raise TypeError(
        f"{function}: character must be a Character or a Skeleton, got {type(character).__name__}"
    )


def joint_weights(rig: Rig) -> NDArray[Any]:
    """Return the influences of all vertices, (V, K), with fields "joint" and "weight"."""
    assert rig.character is not None
    mesh, skin = rig.character.mesh, rig.character.skin
    assert mesh is not None
    assert skin is not None
    joints = np.asarray(skin.joints)[mesh.indices]
    result = np.zeros(joints.shape, [("joint", np.int32), ("weight", np.float64)])
    result["joint"], result["weight"] = joints, mesh.weights
    return result


def hierarchy_mask(skeleton: Skeleton, joint: int) -> NDArray[np.bool_]:
    """Return whether joints are a joint or descend from it, (J,)."""
    return skeleton.mask(joint) > 0
