# SPDX-License-Identifier: MIT
"""Skins: joints, inverse bind matrices, and the matrix that transforms a skin's mesh to model space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import LARGEST
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.hierarchy import Hierarchy
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Document
from lissom._files.gltf.schema import Skin as SkinObject

Float: TypeAlias = NDArray[np.float64]

# Smallest scale of a matrix, as a fraction of its largest, whose inverse is still accurate enough: the
# matrices are stored in float32, which resolves 6e-8.
SINGULAR = 1e-6
# Memory of a joint of a skin: its bind matrices in float64, before and after they are bound, and its row.
_BYTES_PER_JOINT = 700

_FORMAT = "MAT4 of float"
_LAST_ROW = np.array((0.0, 0.0, 0.0, 1.0))

# Factors within this of each other, as a fraction, are one: files round them, and the rest is in the palette.
SAME_FACTOR = 0.01


@dataclass(frozen=True, slots=True)
class BoundSkin:
    """A skin, bound to meshes in model space.

    Attributes
    ----------
    joints : ndarray of int64, shape (row,)
        Joints of the skeleton.
    joint_from_bind : ndarray of float64, shape (row, 4, 4)
        Inverse bind matrices of a mesh that was transformed by model_from_source.
    model_from_source : ndarray of float64, shape (4, 4)
        Transforms the mesh to model space.
    is_moved : bool
        Whether the mesh is in model space already, as lissom saves it.
    """

    joints: NDArray[np.int64]
    joint_from_bind: Float
    model_from_source: Float
    is_moved: bool = False


def is_singular(matrices: Float) -> NDArray[np.bool_]:
    """Whether matrices (..., 4, 4) have no accurate inverse, or are not finite."""
    finite = np.isfinite(matrices).all(axis=(-2, -1), keepdims=True)
    linear = np.where(finite, matrices[..., :3, :3], 0.0)
    # Most are far from it, as can be told without a decomposition: the smallest scale is the determinant by
    # the two others, and none is larger than the norm.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        norms = np.sqrt(np.sum(linear * linear, axis=(-2, -1)))
        doubtful = ~(np.abs(np.linalg.det(linear)) > 1e3 * SINGULAR * norms**3)
    if not doubtful.any():
        return np.asarray(doubtful)
    sizes = np.linalg.svd(linear, compute_uv=False)
    return np.asarray(sizes[..., 2] <= SINGULAR * sizes[..., 0])


def read_skin(
    number: int,
    document: Document,
    accessors: Accessors,
    hierarchy: Hierarchy,
    log: Log,
    is_weighted: Callable[[], NDArray[np.bool_]],
) -> BoundSkin:
    """Read a skin, whose joints are all in the hierarchy. Refuses matrices of another format or number.

    `is_weighted` returns which joints move vertices, (row).
    """
    skin = document.skins[number]
    pointer = f"/skins/{number}"
    accessors.budget.spend(
        _BYTES_PER_JOINT * len(skin.joints), f"{pointer}/joints", "its skins have too many joints"
    )
    joints = hierarchy.joint_of_node[skin.joints] if skin.joints else np.zeros(0, np.int64)
    roots = hierarchy.roots[joints]
    if (roots != roots[:1]).any():
        log.mend(
            "SKIN_NO_COMMON_ROOT",
            f"{pointer}/joints",
            "the joints must have a common root node; they were loaded as they are",
        )
    is_in_model_space = hierarchy.marks.is_in_model_space(number)
    plain = None if is_in_model_space else _plain_frame(skin, joints, accessors, hierarchy)
    if plain is None:
        source_from_bind = _inverse_bind_matrices(number, document, accessors, log)
        if is_in_model_space:
            return BoundSkin(joints, source_from_bind, np.eye(4), True)
        model_from_source = _frame(joints, source_from_bind, hierarchy, log, is_weighted, pointer)
    else:
        source_from_bind, model_from_source = plain
    joint_from_bind = source_from_bind @ np.linalg.inv(model_from_source)
    joint_from_bind[:, 3] = _LAST_ROW
    return BoundSkin(joints, joint_from_bind, model_from_source)


def _plain_frame(
    skin: SkinObject, joints: NDArray[np.int64], accessors: Accessors, hierarchy: Hierarchy
) -> tuple[Float, Float] | None:
    """Return what `_inverse_bind_matrices` and `_frame` do, where the core finds nothing odd about them."""
    index, count = skin.inverseBindMatrices, len(joints)
    if not 0 <= index < len(accessors) or not accessors.is_plain[index] or accessors.count[index] < count:
        return None
    stored = accessors.read(index)
    if stored.shape[1] != 16 or accessors.describe(index) != _FORMAT:
        return None
    plain: tuple[Float, Float] | None = _core.plain_skin_frame(
        stored[:count],
        joints,
        hierarchy.model_from_joint,
        hierarchy.depths,
        LARGEST,
        SINGULAR,
        SAME_FACTOR,
    )
    return plain


def _frame(
    joints: NDArray[np.int64],
    source_from_bind: Float,
    hierarchy: Hierarchy,
    log: Log,
    is_weighted: Callable[[], NDArray[np.bool_]],
    pointer: str,
) -> Float:
    """Return the matrix that says where the mesh stands at rest."""
    with np.errstate(over="ignore", invalid="ignore"):
        candidates = hierarchy.model_from_joint[joints] @ source_from_bind
    order = np.argsort(hierarchy.depths[joints], kind="stable")
    regular = order[~is_singular(candidates[order])]
    if len(regular):
        frame: Float = candidates[_frame_row(regular, candidates, is_weighted())]
        return frame
    if len(joints):
        log.note(
            "SKIN_SINGULAR",
            pointer,
            "every joint of the skin is singular at rest; its mesh stays in the space of the file",
        )
    return np.eye(4)


def _frame_row(rows: NDArray[np.intp], candidates: Float, is_weighted: NDArray[np.bool_]) -> int:
    """Return the row that says where the mesh stands at rest: of `rows`, the first of those that scale alike.

    Joints without vertices may be bound in other units, so that the mesh would be in these.
    """
    factors = np.cbrt(np.abs(np.linalg.det(candidates[rows, :3, :3])))
    moving = is_weighted[rows]
    factor = factors[moving.argmax() if moving.any() else 0]
    return int(rows[(np.abs(factors - factor) <= SAME_FACTOR * factor).argmax()])


def _inverse_bind_matrices(number: int, document: Document, accessors: Accessors, log: Log) -> Float:
    skin = document.skins[number]
    count = len(skin.joints)
    index = skin.inverseBindMatrices
    if index < 0:
        return np.broadcast_to(np.eye(4), (count, 4, 4))
    pointer = f"/skins/{number}/inverseBindMatrices"
    accessors.check_index(index, pointer)
    if accessors.describe(index) != _FORMAT:
        refuse(
            "SKIN_IBM_INVALID_FORMAT",
            pointer,
            f"inverse bind matrices must be MAT4 of float, got {accessors.describe(index)}",
        )
    if accessors.count[index] < count:
        refuse(
            "INVALID_IBM_ACCESSOR_COUNT",
            pointer,
            f"there must be an inverse bind matrix for each of {count} joints, got {accessors.count[index]}",
        )
    matrices = (
        accessors.finite_floats(index)[:count].astype(np.float64).reshape(count, 4, 4).transpose(0, 2, 1)
    )
    refuse_larger(matrices, pointer)
    odd = np.abs(matrices[:, 3] - (0, 0, 0, 1)).max(axis=1) > 1e-6
    if odd.any():
        report = log.mend if accessors.has_view[index] else log.note
        report(
            "ACCESSOR_INVALID_IBM",
            pointer,
            f"the last row of matrices must be 0 0 0 1, got {np.count_nonzero(odd)} with another, first"
            f" matrix {odd.argmax()}; it was replaced",
        )
        matrices = matrices.copy()
        matrices[:, 3] = (0, 0, 0, 1)
    return matrices
