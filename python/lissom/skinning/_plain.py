# SPDX-License-Identifier: MIT
"""Skinning at the cost of its work: what the core takes as it is.

Both functions return None where an argument asks for more, or is refused: the checked way then does it, or
says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom import _core
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.skin import Palette
from lissom.skinning._call import Deformed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin

__all__ = ["plain_deform", "plain_deform_poses"]


def plain_deform(
    mesh: object, palette: object, method: object, normals: object, out: object
) -> NDArray[Any] | Deformed | None:
    """Return what `lissom.deform` does, without tangents and morph targets."""
    blocks = None
    if type(mesh) is PreparedMesh:
        blocks, mesh = mesh._blocks, mesh._results
    if type(mesh) is not Mesh or type(palette) is not Palette or not isinstance(normals, bool):
        return None
    if type(method) is str and method == "linear":
        rows, scales = palette._matrices, None
        if rows is None:
            rows = palette.matrices
    elif type(method) is str and method == "dual_quat":
        rows, scales = palette.dual_quats, palette.scales
    else:
        return None
    found = _core.plain_skin(mesh._skinned, blocks, method, normals, rows, scales, out)
    return tuple.__new__(Deformed, found) if type(found) is tuple else found


def plain_deform_poses(
    skeleton: Skeleton,
    skin: Skin | None,
    mesh: object,
    poses: object,
    method: object,
    normals: object,
    out: object,
) -> NDArray[Any] | Deformed | None:
    """Return what `Character.deform` does, without tangents and morph targets."""
    blocks = None
    if type(mesh) is PreparedMesh:
        blocks, mesh = mesh._blocks, mesh._results
    if type(mesh) is not Mesh or skin is None:
        return None
    found = _core.plain_skin_poses(
        mesh._skinned, blocks, method, normals, skeleton._held_parents, skin._bind, poses, out
    )
    return tuple.__new__(Deformed, found) if type(found) is tuple else found
