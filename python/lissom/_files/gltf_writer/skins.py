# SPDX-License-Identifier: MIT
"""The skin: palette rows as joints with their inverse bind matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.extras import SkinMark, extras_of
from lissom._files.gltf.skins import is_singular
from lissom._files.gltf_writer.accessors import Accessors, Pool
from lissom._files.gltf_writer.document import Skin as SkinObject
from lissom._files.gltf_writer.nodes import Nodes
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin


def write_skin(skin: Skin, name: str, nodes: Nodes, accessors: Accessors) -> SkinObject:
    """Return the skin of a mesh in model space."""
    matrices = _matrices(skin.joint_from_bind, accessors)
    return SkinObject(name, nodes.rows(skin), matrices, extras_of(SkinMark(space="model")))


def make_skin(skeleton: Skeleton, name: str, accessors: Accessors) -> SkinObject:
    """Return a skin of all joints, with the rest pose as bind pose, for a skeleton without a skin.

    Blender, for one, imports nodes as bones only where a skin names them. A joint that is singular at rest
    gets the identity as its inverse.
    """
    model_from_joint = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    matrices = np.array(
        [np.eye(4) if is_singular(matrix) else np.linalg.inv(matrix) for matrix in model_from_joint]
    )
    joints = list(range(len(skeleton)))
    return SkinObject(name, joints, _matrices(matrices, accessors), extras_of(SkinMark(made=True)))


def _matrices(joint_from_bind: NDArray[Any], accessors: Accessors) -> int:
    with np.errstate(over="ignore"):
        columns = joint_from_bind.transpose(0, 2, 1).astype("<f4")  # column-major
    if not np.isfinite(columns).all():
        row = int(np.flatnonzero(~np.isfinite(columns).all(axis=(1, 2)))[0])
        raise ValueError(
            f"save_glb: joint_from_bind must fit single precision, got "
            f"{np.abs(joint_from_bind[row]).max():g} in row {row} of the skin; scale the character down"
        )
    columns[:, :, 3] = (0, 0, 0, 1)
    pool = Pool(accessors)
    index = pool.add(columns, "MAT4")
    pool.close()
    return index
