# SPDX-License-Identifier: MIT
"""The layout of skin dual quaternions, as dual quaternion skinning blends them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._base.methods import BAKED_METHODS
from lissom.pose_texture._layouts.layout import Layout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Palette, Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["DualQuatLayout"]

FloatArray = npt.NDArray[np.float32]

UNIFORM_TOLERANCE = 2e-5
"""A scale counts as uniform where its matrix is within this of s times the identity, in units of max(1, |s|):
ten times the rounding of the float32 decomposition that it comes from."""

IDENTITY = np.eye(3, 4, dtype=np.float32)


class DualQuatLayout(Layout):
    """Texels 0 and 1: real and dual part; then the scale: none, offset and factor, or rows of a 3x4."""

    name = "dual_quat"
    methods = BAKED_METHODS

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Widen to the texels that scale needs."""
        needed = 2 + scale_texels(source.palette)
        if plan is not None and plan.texels >= needed:
            return plan
        return Plan(needed, self.methods)

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return the palette's own array where it has no scale."""
        dual_quats = np.ascontiguousarray(source.palette.dual_quats, np.float32)
        if plan.texels == 2:
            return dual_quats
        frames, row_count, _ = dual_quats.shape
        rows = np.empty((frames, row_count, 4 * plan.texels), np.float32)
        rows[..., :8] = dual_quats
        scales = source.palette.scales
        matrices = np.broadcast_to(IDENTITY, (frames, row_count, 3, 4)) if scales is None else scales
        if plan.texels == 3:
            diagonal = np.float32(matrices[..., 0, 0] + matrices[..., 1, 1] + matrices[..., 2, 2])
            rows[..., 8:11] = matrices[..., 3]
            rows[..., 11] = diagonal * np.float32(1.0 / 3.0)
        else:
            rows[..., 8:] = matrices.reshape(frames, row_count, 12)
        return rows

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return the form of two, three or five texels."""
        if texels not in (2, 3, 5):
            raise ValueError(f"2, 3 or 5 texels, got {texels}")
        return TexelForm(texels, 0, 2, row_count)

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Return the dual quaternions unchanged, and the scale as 3x4."""
        texels = rows.shape[-1] // 4
        if texels == 2:
            return SampledPalette(rows)
        dual_quats = np.ascontiguousarray(rows[..., :8])
        if texels == 5:
            return SampledPalette(
                dual_quats, np.ascontiguousarray(rows[..., 8:]).reshape(*rows.shape[:-1], 3, 4)
            )
        scales = np.zeros((*rows.shape[:-1], 3, 4), np.float32)
        for axis in range(3):
            scales[..., axis, axis] = rows[..., 11]
        scales[..., 3] = rows[..., 8:11]
        return SampledPalette(dual_quats, scales)


def scale_texels(palette: Palette) -> int:
    """Return the number of texels that a palette's scale needs: 0 without, 1 where it is uniform, else 3."""
    if palette.scales is None:
        return 0
    linear = palette.scales[..., :3]
    factor = np.trace(linear, axis1=-2, axis2=-1) / 3.0
    difference = np.abs(linear - factor[..., None, None] * np.eye(3, dtype=np.float32)).max(axis=(-2, -1))
    return 1 if bool(np.all(difference <= UNIFORM_TOLERANCE * np.maximum(1.0, np.abs(factor)))) else 3
