# SPDX-License-Identifier: MIT
"""What a `SkinnedModel` draws: the mesh of a character, a mesh by itself, or the bones of a skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._view.bones import skeleton_mesh
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from lissom._rig.skin import Skin

__all__ = ["ModelSource", "model_source"]


class ModelSource(NamedTuple):
    """The parts of a source.

    Attributes
    ----------
    mesh : Mesh
        What is uploaded.
    deformer : Mesh or PreparedMesh
        What centres of rotation come from.
    character : Character or None
        None for a mesh by itself.
    skin : Skin or None
        Makes palettes of the character's poses.
    """

    mesh: Mesh
    deformer: Mesh | PreparedMesh
    character: Character | None = None
    skin: Skin | None = None


def model_source(source: object, caller: str) -> ModelSource:
    """Return the parts of a Character, Mesh or PreparedMesh; `caller` starts the errors.

    Raises
    ------
    TypeError
        If `source` is something else.
    ValueError
        If it is a character without mesh and joints.
    """
    if isinstance(source, Mesh):
        return ModelSource(source, source)
    if isinstance(source, PreparedMesh):
        return ModelSource(source._results, source)
    if not isinstance(source, Character):
        advice = "; Crowd(bake, count) draws a bake" if isinstance(source, PoseTexture) else ""
        raise TypeError(
            f"{caller}: source must be a Character, a Mesh or a PreparedMesh, got "
            f"{type(source).__name__}{advice}"
        )
    if source.mesh is not None:
        return ModelSource(source.mesh, source.prepared_mesh or source.mesh, source, source.skin)
    if len(source.skeleton):
        mesh, skin = skeleton_mesh(source.skeleton)
        return ModelSource(mesh, mesh, source, skin)
    raise ValueError(f"{caller}: source must have a mesh or a joint to draw, got {source.name!r} without")
