# SPDX-License-Identifier: MIT
"""Joint shells: points around joints, where errors are measured on characters without a mesh, or a stub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._rig.mesh import Mesh
from lissom._rig.skin import Skin

if TYPE_CHECKING:
    from lissom._rig.rigged import Rigged
    from lissom._rig.skeleton import Skeleton

__all__ = [
    "SHELL",
    "append_points",
    "joint_shell",
    "mesh_and_size",
    "rest_skin",
    "skin_shell",
    "with_joints",
]

SHELL = 0.03
"""Distance of a joint's shell points from it, as a fraction of the size. The metric follows Frechette,
"Measuring Animation Compression Accuracy" (2016): a joint without a mesh is measured by points where vertices
would be bound to it."""


STUB = 0.1
"""Size of a mesh, as a fraction of the extent of its joints, below which it is no measure of errors: files of
clips carry such meshes to be valid. Real ones surround their joints: the smallest of 45 characters is 0.7 of
them. At a tenth the rounding of float16, 5e-4 of a number, is 0.5 % of the mesh, which no rate can mend."""


def mesh_and_size(character: Rigged) -> tuple[Mesh | None, float]:
    """Return the mesh on which errors are measured, and the size that they are relative to, model units.

    None for joint shells: where there is no mesh, or a stub. The size then is the extent of the joints.
    """
    mesh, skin = character.mesh, character.skin
    if mesh is None or not mesh.vertex_count:
        return None, float(character.size)
    if skin:
        skeleton = character.skeleton
        positions = skeleton.positions(skeleton.rest.astype(np.float64))[skin.joints]
        extent = float(np.linalg.norm(np.ptp(positions, axis=0)))
        if character.size < STUB * extent:
            return None, extent
    return mesh, float(character.size)


def rest_skin(skeleton: Skeleton) -> Skin:
    """Make the skin of a character without one: every joint, bound at rest."""
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    return Skin(np.arange(len(skeleton)), _inverses(model).astype(np.float32))


def with_joints(skin: Skin, joints: Sequence[int]) -> Skin:
    """Append palette rows for joints, with the identity as `joint_from_bind`."""
    identities = np.repeat(np.eye(4, dtype=skin.joint_from_bind.dtype)[None], len(joints), axis=0)
    return Skin(
        np.concatenate([skin.joints, np.asarray(joints, skin.joints.dtype)]),
        np.concatenate([skin.joint_from_bind, identities]),
    )


def joint_shell(skeleton: Skeleton, joints: Sequence[int], first_row: int, distance: float) -> Mesh:
    """Make the shells of joints, in the joints' own spaces; `distance` is in model space at rest."""
    axes = skeleton.model_matrices(skeleton.rest.astype(np.float64))[list(joints), :3, :3]
    lengths = np.linalg.norm(axes, axis=1)
    radii = np.divide(distance, lengths, out=np.zeros_like(lengths), where=lengths > 0)  # (J, 3) per axis
    offsets = np.concatenate([np.zeros((len(axes), 1, 3)), radii[:, :, None] * np.eye(3)], axis=1)
    return _points(offsets.reshape(-1, 3), first_row + np.repeat(np.arange(len(axes)), 4))


def append_points(mesh: Mesh, points: Mesh) -> Mesh:
    """Append points of one influence to a mesh's vertices."""
    padding = ((0, 0), (0, mesh.influence_count - 1))
    return Mesh(
        np.concatenate([mesh.positions, points.positions]),
        mesh.triangles,
        np.concatenate([mesh.indices, np.pad(points.indices, padding)]),
        np.concatenate([mesh.weights, np.pad(points.weights, padding)]),
        parts=(),
        morphs=mesh.morphs,
    )


def _inverses(matrices: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Invert each matrix; singular ones become the identity."""
    wide = np.asarray(matrices, dtype=np.float64)
    regular = np.abs(np.linalg.det(wide)) > 1e-30
    safe = np.where(regular[:, None, None], wide, np.eye(4))
    return np.linalg.inv(safe)


def skin_shell(skin: Skin, distance: float) -> Mesh:
    """Make points in place of a mesh: at each row's joint, and at `distance` along each of its axes."""
    bind_from_joint = _inverses(skin.joint_from_bind)
    axes = np.swapaxes(bind_from_joint[:, :3, :3], 1, 2)
    lengths = np.linalg.norm(axes, axis=2, keepdims=True)
    axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0)
    offsets = np.concatenate([np.zeros((len(axes), 1, 3)), distance * axes], axis=1)
    points = (bind_from_joint[:, None, :3, 3] + offsets).reshape(-1, 3)
    return _points(points, np.repeat(np.arange(len(skin)), 4))


def _points(positions: npt.NDArray[Any], rows: npt.NDArray[np.integer[Any]]) -> Mesh:
    """Make a mesh of points without triangles, each skinned by one palette row."""
    weights = np.ones((len(rows), 1), dtype=np.float32)
    return Mesh(positions, np.empty((0, 3), np.uint32), rows[:, None], weights, parts=())
