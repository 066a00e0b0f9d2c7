# SPDX-License-Identifier: MIT
"""A skeleton with the mesh that it moves, if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats

if TYPE_CHECKING:
    from lissom._character.character import Character


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton and, where it has a mesh, its character."""

    skeleton: Skeleton
    character: Character | None
    size: float
    added: int = 0
    """Joints at the end of the skeleton that its owner does not have: the ends of shins."""

    def with_shin_ends(self, shins: Sequence[tuple[int, int]]) -> Rig:
        """Return a rig with a joint below each knee, in the place that the joint of the foot has at rest.

        Rigs that are exported with their controls may end legs with the knee: the end of the shin, which is
        what reaches the foot beside the leg, is no joint there.

        Parameters
        ----------
        shins : sequence of (knee, foot)
            Joints by index.
        """
        from lissom._character.character import Character

        skeleton = self.skeleton
        model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
        rest = trs.identity(len(shins), np.float64)
        names = list(skeleton.names)
        for row, (knee, foot) in zip(rest, shins, strict=True):
            frame = model[knee]
            row[:3] = np.linalg.solve(frame[:3, :3], model[foot, :3, 3] - frame[:3, 3])
            name = f"{skeleton.names[knee]}_end"
            while name in names:
                name += "_"
            names.append(name)
        longer = Skeleton(
            names,
            np.append(skeleton.parents, [knee for knee, _ in shins]),
            np.concatenate([skeleton.rest, rest.astype(skeleton.rest.dtype)]),
        )
        whole = self.character
        if whole is not None:
            whole = Character(whole.name, longer, whole.mesh, whole.skin)
        return Rig(longer, whole, self.size, len(shins))

    def with_added(self, poses: Floats) -> Floats:
        """Return poses (..., J, 10) of the owner's joints with those that were added, at rest."""
        if not self.added:
            return poses
        rest = self.skeleton.rest[-self.added :].astype(poses.dtype)
        return np.concatenate([poses, np.broadcast_to(rest, (*poses.shape[:-2], *rest.shape))], axis=-2)

    def without_added(self, poses: Floats) -> Floats:
        """Return poses of the owner's joints alone."""
        return poses[..., : len(self.skeleton) - self.added, :]


def rig_of(function: str, character: object, argument: str = "character") -> Rig:
    """Return the rig of a character or a skeleton; refuse others."""
    from lissom._character.character import Character

    if isinstance(character, Character):
        has_mesh = character.mesh is not None and character.mesh.vertex_count > 0
        return Rig(character.skeleton, character if has_mesh else None, character.size)
    if isinstance(character, Skeleton):
        return Rig(character, None, character.size)
    raise TypeError(
        f"{function}: {argument} must be a Character or a Skeleton, got {type(character).__name__}"
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
