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

_IS_DUAL_QUAT = {"linear": False, "dual_quat": True}


def plain_deform(
    mesh: object, palette: object, method: object, normals: object, out: object
) -> NDArray[Any] | Deformed | None:
    """Return what `lissom.deform` does, without tangents and morph targets."""
    is_dual_quat = _IS_DUAL_QUAT.get(method) if type(method) is str else None
    parts = _parts(mesh, normals)
    if is_dual_quat is None or parts is None or type(palette) is not Palette:
        return None
    if is_dual_quat:
        rows, scales = palette.dual_quats, palette.scales
    else:
        rows, scales = palette.matrices, None
    found = _core.plain_skin(*parts, is_dual_quat, rows, scales, out)
    return _result(found, out)


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
    is_dual_quat = _IS_DUAL_QUAT.get(method) if type(method) is str else None
    parts = _parts(mesh, normals)
    if is_dual_quat is None or parts is None or skin is None:
        return None
    found = _core.plain_skin_poses(*parts, is_dual_quat, skeleton._held_parents, skin._bind, poses, out)
    return _result(found, out)


def _parts(mesh: object, normals: object) -> tuple[Any, Any, Any] | None:
    """Return the mesh as the core holds it, its prepared blocks and its normals, or None instead of them."""
    blocks = None
    if type(mesh) is PreparedMesh:
        blocks, mesh = mesh._blocks, mesh._results
    if type(mesh) is not Mesh or (mesh.morphs is not None and mesh.morphs.defaults.any()):
        return None
    if normals is False:
        return mesh._skinned, blocks, None
    if normals is True:
        return mesh._skinned, blocks, mesh.computed_normals() if mesh.normals is None else mesh.normals
    return None


def _result(found: Any, out: object) -> NDArray[Any] | Deformed | None:
    return Deformed(*found) if type(found) is tuple else found
