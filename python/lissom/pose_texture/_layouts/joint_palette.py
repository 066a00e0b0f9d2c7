# SPDX-License-Identifier: MIT
"""Palettes of model transforms of joints, for the layouts whose rows are joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom import quat
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette, dual_quats_of

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["bind_rotations", "is_rigid", "joint_palette"]

FloatArray = npt.NDArray[np.float32]


def bind_rotations(skin: Skin) -> FloatArray:
    """Return the rotations of `joint_from_bind`, (S, 4), by polar decomposition."""
    from lissom._rig.skin import Skin

    rows = Skin(np.arange(len(skin)), skin.joint_from_bind)
    unmoved = np.broadcast_to(np.eye(4, dtype=np.float32), (len(skin), 4, 4))
    return np.ascontiguousarray(rows.palette(unmoved).dual_quats[:, :4])


def is_rigid(source: Source, scale: FloatArray) -> bool:
    """Return whether rotations of the palette follow from those of joints: it is rigid, no joint mirrors.

    Then ``M = R S B`` with B = joint_from_bind is a rotation, ``B = S^-1 (R^T M)`` has the polar rotation
    R^T M, and the rotation of M is their product. `scale` (..., J, 3) is that of model_from_joint.
    """
    return source.palette.scales is None and bool((scale[..., source.skin.joints, :] > 0).all())


def joint_palette(
    model: FloatArray, rotations: Callable[[], FloatArray], skin: Skin, rig: Rig
) -> SampledPalette:
    """Return the palette of joints, ``M = model_from_joint @ joint_from_bind``.

    Parameters
    ----------
    model : ndarray, shape (..., J, 4, 4)
    rotations : callable
        Returns the rotations of model_from_joint, (..., J, 4), unit.
    """
    matrices = skin.palette(model).matrices
    if not rig.rigid:
        return SampledPalette(matrices=matrices, why_linear="palettes of this bake scale or mirror")

    def dual_quats() -> FloatArray:
        real = quat.multiply(rotations()[..., skin.joints, :], bind_rotations(skin))
        return dual_quats_of(real, matrices[..., :3, 3])

    return SampledPalette(dual_quats, matrices=matrices)
