# SPDX-License-Identifier: MIT
"""The mesh of a bake on joints that only have places: for engines that get palettes from elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._character.character import Character
from lissom._files.gltf.skins import is_singular
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin
from lissom.pose_texture import PoseTexture

__all__ = ["bind_figure", "default_positions", "joint_places"]


def bind_figure(bake: PoseTexture, name: str) -> Character:
    """Return a character with one joint for each palette row, in whose rest pose the mesh is as bound.

    The joints stand where those of the bake do at bind, and are not turned: each has the inverse of its rest
    as ``joint_from_bind``, exactly, so that the rest moves no vertex. Row i of the skin is row i of the bake.
    All hang below one root, as engines expect of the joints of a skin.
    """
    assert bake.mesh is not None
    order, parents = _hierarchy(bake)
    places = joint_places(bake)[order]
    offsets = np.where((parents >= 0)[:, None], places - places[parents], places)
    rest = trs.identity(len(order))
    rest[:, :3] = offsets
    skeleton = Skeleton(_names(bake, order), parents, rest)
    joint_from_bind = np.tile(np.eye(4), (len(order), 1, 1))
    joint_from_bind[:, :3, 3] = -skeleton.positions(rest.astype(np.float64))
    rows = np.empty(len(order), np.int32)
    rows[order] = np.arange(len(order))
    return Character(name, skeleton, _mesh(bake.mesh, name), Skin(rows, joint_from_bind[rows]))


def default_positions(mesh: Mesh) -> NDArray[np.float32]:
    """Return the positions (V, 3) with morph targets at their default weights."""
    if mesh.morphs is None:
        return mesh.positions
    positions = mesh.positions.astype(np.float64)
    for target, weight in enumerate(mesh.morphs.defaults):
        rows = mesh.morphs.rows(target)
        np.add.at(positions, mesh.morphs.vertices[rows], weight * mesh.morphs.positions[rows])
    return positions.astype(np.float32)


def _hierarchy(bake: PoseTexture) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return rows in the order of the joints that they follow, and the parent of each among them."""
    count = bake.palette_row_count
    joints = np.arange(count) if bake.skin is None else np.asarray(bake.skin.joints)
    order = np.argsort(joints, kind="stable")
    first: dict[int, int] = {}  # of each joint the place of its first row in the order
    parents = np.full(count, -1, np.int32)
    for place, row in enumerate(order):
        joint = int(joints[row])
        above = joint if joint in first else _parent(bake, joint)
        while above >= 0 and above not in first:
            above = _parent(bake, above)
        parents[place] = first.get(above, 0 if place else -1)
        first.setdefault(joint, place)
    return order, parents


def _parent(bake: PoseTexture, joint: int) -> int:
    return -1 if bake.parents is None else int(bake.parents[joint])


def joint_places(bake: PoseTexture) -> NDArray[np.float64]:
    """Return where the joint of each row is at bind; the origin where that has no answer."""
    places = np.zeros((bake.palette_row_count, 3))
    if bake.skin is not None:
        matrices = bake.skin.joint_from_bind.astype(np.float64)
        regular = ~is_singular(matrices)
        places[regular] = np.linalg.inv(matrices[regular])[:, :3, 3]
    return places


def _names(bake: PoseTexture, order: NDArray[np.intp]) -> list[str]:
    joints = range(len(order)) if bake.skin is None else bake.skin.joints
    names: list[str] = []
    for row in order:
        name = bake.joints[int(joints[row])]
        names.append(f"{name} (row {row})" if name in names else name)
    return names


def _mesh(mesh: Mesh, name: str) -> Mesh:
    """Return the mesh without morph targets, in parts that cover it."""
    whole = Part(name, slice(0, mesh.vertex_count), slice(0, mesh.triangle_count))
    return Mesh(
        default_positions(mesh),
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.computed_normals() if mesh.normals is None else mesh.normals,
        tangents=mesh.tangents,
        uvs=mesh.uvs,
        colors=mesh.colors,
        parts=mesh.parts if _covered(mesh) else [whole],
    )


def _covered(mesh: Mesh) -> bool:
    """Whether each vertex is in one part, in order, and triangles use those of their own part."""
    vertex = triangle = 0
    for part in mesh.parts:
        corners = mesh.triangles[part.triangles]
        if part.vertices.start != vertex or part.triangles.start != triangle:
            return False
        if corners.size and not vertex <= corners.min() <= corners.max() < part.vertices.stop:
            return False
        vertex, triangle = part.vertices.stop, part.triangles.stop
    return (vertex, triangle) == (mesh.vertex_count, mesh.triangle_count)
