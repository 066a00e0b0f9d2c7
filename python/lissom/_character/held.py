# SPDX-License-Identifier: MIT
"""What a joint of a prop carries, as it rests, in the frame of that joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._rig.joined_mesh import MeshPiece, joined_meshes
from lissom._rig.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character

__all__ = ["held"]

FAR = 1e-4
"""Of its size: how far a mesh may be from one that is moved as a whole."""


def held(prop: Character, joint: int, space: str) -> Mesh:
    """Return the mesh of a prop as it rests, seen from one of its joints: a mesh that follows one row.

    In space "joint" from the joint's own frame, in "joint_unscaled" from that frame in lengths of the
    prop's model, in "model" from the joint's place, along the axes of the prop's model.
    """
    mesh, skin = prop.mesh, prop.skin
    if mesh is None or skin is None:
        raise ValueError(
            "attach: other must have a mesh where grip is given; attach its skeleton without a grip"
        )
    models = prop.skeleton.model_matrices(prop.skeleton.rest.astype(np.float64))
    frame = _frame(models[joint], space, prop.skeleton.names[joint])
    rest = _rest_of(mesh, models[skin.joints] @ skin.joint_from_bind.astype(np.float64))
    moved = np.asarray(np.linalg.solve(frame, rest), np.float64)
    whole = joined_meshes([MeshPiece(mesh, moved, 0, "")])
    return Mesh(
        whole.positions,
        whole.triangles,
        normals=whole.normals,
        tangents=whole.tangents,
        uvs=whole.uvs,
        colors=whole.colors,
        parts=whole.parts,
        morphs=whole.morphs,
    )


def _frame(model_from_joint: NDArray[np.float64], space: str, name: str) -> NDArray[np.float64]:
    if not abs(np.linalg.det(model_from_joint[:3, :3])) > 0:
        raise ValueError(f"attach: grip must have a size at rest, got {name!r}, which is scaled to nothing")
    frame = model_from_joint.copy()
    if space == "joint_unscaled":
        frame[:3, :3] /= np.linalg.norm(frame[:3, :3], axis=0)
    elif space == "model":
        frame[:3, :3] = np.eye(3)
    return frame


def _rest_of(mesh: Mesh, palette: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix that brings a mesh to its rest pose; ValueError where no one matrix does."""
    rows = np.unique(mesh.indices[mesh.weights > 0])
    if not len(rows):
        return np.eye(4)
    low, high = mesh.bounds.astype(np.float64)
    corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
    places = palette[rows, :3] @ np.vstack([corners.T, np.ones(len(corners))])
    size = np.linalg.norm(np.ptp(places[0], axis=1))
    if np.abs(places - places[0]).max() > FAR * size:
        raise ValueError(
            "attach: other must rest as it was modelled where grip is given, and joints of it do not; attach "
            "it without a grip, and with an offset"
        )
    rest: NDArray[np.float64] = palette[rows[0]]
    return rest
