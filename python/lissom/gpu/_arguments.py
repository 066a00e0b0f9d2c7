# SPDX-License-Identifier: MIT
"""Checks of arguments that several classes take: skinning method, joint, mesh and stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.names import unknown_name
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom.errors import GpuError
from lissom.gpu._context import GlContext, shared_context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["check_baked_method", "check_joint_name", "checked_mesh", "context_of", "drawn_mesh"]


def check_baked_method(method: object, bake: PoseTexture, caller: str) -> None:
    """Refuse a skinning method that the palettes of a bake do not hold."""
    if method not in bake.methods:
        known = ", ".join(map(repr, bake.methods))
        raise ValueError(
            f"{caller}: method must be one of {known}, which a bake in the layout {bake.layout!r} drives, "
            f"got {method!r}"
        )


def check_joint_name(joint: object, names: Sequence[str], function: str) -> None:
    """Refuse what is not one of the names of joints."""
    if not isinstance(joint, str):
        raise TypeError(f"{function}: joint must be the name of a joint, got {type(joint).__name__}")
    if joint not in names:
        raise ValueError(f"{function}: {unknown_name('joint', joint, names)}")


def checked_mesh(mesh: object, what: str) -> Mesh:
    """Return a mesh, or the mesh that a prepared one skins; `what` names function and argument in errors."""
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if not isinstance(mesh, Mesh):
        raise TypeError(f"{what} must be a Mesh, got {type(mesh).__name__}")
    return mesh


def drawn_mesh(mesh: object, bake: PoseTexture, caller: str) -> Mesh:
    """Return the mesh to draw a bake with: `mesh`, or the bake's own where that is None."""
    if mesh is None and bake.mesh is None:
        raise ValueError(
            f"{caller}: mesh must be passed for a bake without one; pass the character's, or bake with it"
        )
    return checked_mesh(bake.mesh if mesh is None else mesh, f"{caller}: mesh")


def context_of(stage: Stage | None, caller: str) -> GlContext:
    """Return the context of a stage, or this process's where `stage` is None.

    Raises
    ------
    TypeError
        If `stage` is neither.
    GpuError
        If it was released, or no context can be made.
    """
    from lissom.gpu._stage import Stage

    if stage is None:
        return shared_context()
    if not isinstance(stage, Stage):
        raise TypeError(f"{caller}: stage must be a Stage or None, got {type(stage).__name__}")
    if stage.released:
        raise GpuError(f"{caller}: stage was released; make a new one, or leave it out")
    return stage.context
