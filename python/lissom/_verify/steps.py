# SPDX-License-Identifier: MIT
"""How coarse stored numbers are: the largest step of a vertex, model units."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._rig.mesh import Mesh
from lissom.pose_texture import PoseTexture

__all__ = ["are_halves", "step_of_bake", "step_of_halves", "step_of_matrices"]

TURNED = float(np.spacing(np.float16(0.99)))
"""Step of a half in a rotation."""

HALF_MAX = float(np.finfo(np.float16).max)


def are_halves(numbers: npt.NDArray[Any], slack: float = 0.0) -> bool:
    """Whether all numbers are those that halves hold, whatever they are stored as."""
    if np.abs(numbers).max(initial=0.0) > HALF_MAX:
        return False
    return bool((np.abs(numbers - numbers.astype(np.float16)) <= slack).all())


def step_of_halves(numbers: npt.NDArray[Any]) -> float:
    """Return the step of the largest of some halves."""
    return float(np.spacing(np.float16(np.abs(numbers).max(initial=0.0))))


def step_of_matrices(matrices: npt.NDArray[Any], mesh: Mesh) -> float:
    """Return the step of vertices where matrices (..., 3 or 4, 4) are halves; else 0."""
    if not are_halves(matrices):
        return 0.0
    return _reach(mesh) * TURNED + step_of_halves(matrices[..., :3, 3])


def step_of_bake(bake: PoseTexture) -> float:
    """Return the step of a bake's vertices; 0 where its texels are floats, or tell no places."""
    mesh, texels = bake.mesh, bake.texels
    if mesh is None or bake.layout not in ("dual_quat", "matrix"):
        return 0.0
    if bake.ranges is not None:
        steps = bake.ranges[..., 1, :]
        return float(2.0 * steps[..., 1, :].max() if bake.layout == "dual_quat" else steps[..., 3].max())
    if bake.layout == "matrix":
        return step_of_matrices(texels, mesh)
    if texels.dtype != np.float16 and not are_halves(texels):
        return 0.0
    return _reach(mesh) * TURNED + 2.0 * step_of_halves(texels[:, :, 1])  # the dual part is half a way


def _reach(mesh: Mesh) -> float:
    return float(np.abs(mesh.positions).sum(axis=1).max(initial=0.0))
