# SPDX-License-Identifier: MIT
"""Palette rows as rotations about the places of their joints, and how far those places move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import dual_quat, quat
from lissom._export.bind_figure import joint_places
from lissom._export.texel_lines import float_texels
from lissom.pose_texture import PoseTexture

__all__ = ["RigidRows", "rigid_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RigidRows:
    """Rows of a palette that turn about pivots, and move them: ``v' = turned(v - pivot) + pivot + offset``.

    Attributes
    ----------
    pivots : ndarray of float64, shape (R, 3)
        Where joints are in the bind pose.
    rotations : ndarray of float64, shape (..., R, 4)
        x, y, z, w, unit.
    offsets : ndarray of float64, shape (..., R, 3)
        How far each pivot has moved.
    """

    pivots: Floats
    rotations: Floats
    offsets: Floats

    @property
    def dual_quats(self) -> Floats:
        """The rows as unit dual quaternions, (..., R, 8)."""
        translations = self.pivots + self.offsets - quat.rotate(self.rotations, self.pivots)
        return np.asarray(dual_quat.from_quat_translation(self.rotations, translations))


def rigid_rows(bake: PoseTexture) -> RigidRows:
    """Return all frames of a bake "dual_quat" without scale, each row signed to the frame before."""
    rows = float_texels(bake).reshape(len(bake.texels), -1, 8)
    if not np.isfinite(rows).all():
        frame, row, _ = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(
            f"export: texels must be finite, got another at frame {frame}, palette row {row}; bake again"
        )
    whole = rows.astype(np.float64)
    lengths = np.linalg.norm(whole[..., :4], axis=-1, keepdims=True)
    rotations, translations = dual_quat.to_quat_translation(whole / np.where(lengths > 0, lengths, 1.0))
    turns = np.where((rotations[1:] * rotations[:-1]).sum(axis=-1) < 0, -1.0, 1.0)
    rotations[1:] *= np.cumprod(turns, axis=0)[..., None]
    pivots = joint_places(bake)
    return RigidRows(pivots, rotations, quat.rotate(rotations, pivots) + translations - pivots)
