# SPDX-License-Identifier: MIT
"""A character with the ground it walks on as one more part, for glTF files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom import trs

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.ground import TriangleMesh

__all__ = ["with_ground", "with_ground_joint"]

COLOR = (0.62, 0.65, 0.69, 1.0)  # of the ground, linear light


def with_ground(character: Character, ground: TriangleMesh) -> Character:
    """Return a character without clips whose ground follows one more root joint, the last.

    Parameters
    ----------
    character : Character
        Must have a mesh.
    ground : TriangleMesh
        Model space of the rest pose.
    """
    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Part
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin
    from lissom._view.terrain_mesh import terrain_mesh

    mesh, skin, skeleton = character.mesh, character.skin, character.skeleton
    assert mesh is not None
    assert skin is not None
    name = "Ground"
    while name in skeleton.names:
        name += "_"
    joints = Skeleton(
        (*skeleton.names, name),
        np.append(skeleton.parents, -1),
        np.concatenate([skeleton.rest, trs.identity(1, skeleton.rest.dtype)]),
    )
    positions, triangles = ground.triangles()
    points = np.asarray(positions, np.float64)
    corners = terrain_mesh(points, triangles.astype(np.int64), float(points[:, 1].min())).corners.reshape(
        -1, 6
    )
    first, count = mesh.vertex_count, len(corners)
    influences = np.zeros((2, count, mesh.influence_count))
    influences[0, :, 0], influences[1, :, 0] = len(skin), 1.0
    part = Part(
        "Ground",
        slice(first, first + count),
        slice(len(mesh.triangles), len(mesh.triangles) + count // 3),
        rigid=True,
        base_color=COLOR,
    )
    normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    scene = Mesh(
        np.concatenate([mesh.positions, corners[:, :3]]),
        np.concatenate([mesh.triangles, first + np.arange(count).reshape(-1, 3)]),
        np.concatenate([mesh.indices, influences[0].astype(np.int64)]),
        np.concatenate([mesh.weights, influences[1]]),
        normals=np.concatenate([normals, corners[:, 3:]]),
        uvs=None if mesh.uvs is None else np.concatenate([mesh.uvs, np.zeros((count, 2))]),
        colors=None if mesh.colors is None else np.concatenate([mesh.colors, np.ones((count, 4))]),
        parts=[*mesh.parts, part],
    )
    rows = Skin(
        np.append(skin.joints, len(skeleton)),
        np.concatenate([skin.joint_from_bind, np.eye(4, dtype=skin.joint_from_bind.dtype)[None]]),
    )
    return Character(character.name, joints, scene, rows)


def with_ground_joint(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses (F, J, 10) with the ground's joint at the identity appended, (F, J + 1, 10)."""
    return np.concatenate([poses, trs.identity((len(poses), 1), poses.dtype)], axis=1)
