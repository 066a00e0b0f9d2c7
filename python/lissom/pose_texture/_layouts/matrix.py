# SPDX-License-Identifier: MIT
"""The layout of skin matrices: holds any palette, for linear skinning only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom.pose_texture._layouts.layout import Layout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["MatrixLayout"]

FloatArray = npt.NDArray[np.float32]


class MatrixLayout(Layout):
    """Texels 0 to 2: the rows of the 3x4 `model_from_bind`."""

    name = "matrix"
    methods = ("linear",)

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Return three texels, which hold any palette."""
        return Plan(3, self.methods) if plan is None else plan

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return the matrices without their last row."""
        matrices = source.palette.matrices
        rows = np.ascontiguousarray(matrices[..., :3, :], np.float32)
        return rows.reshape(*matrices.shape[:-2], 12)

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return the form of three texels without a quaternion."""
        if texels != 3:
            raise ValueError(f"3 texels, got {texels}")
        return TexelForm(texels, -1, 0, 0)

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Add the last row again."""
        matrices = np.zeros((*rows.shape[:-1], 4, 4), np.float32)
        matrices[..., :3, :] = rows.reshape(*rows.shape[:-1], 3, 4)
        matrices[..., 3, 3] = 1.0
        return SampledPalette(matrices=matrices, why_linear="the layout 'matrix' holds no separate rotations")
