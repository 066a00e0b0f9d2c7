# SPDX-License-Identifier: MIT
"""The layout of skin rotations and translations: as small as dual quaternions, and less accurate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom import quat
from lissom._base.methods import BAKED_METHODS
from lissom.pose_texture._layouts.layout import Layout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette, dual_quats_of
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["QuatTransLayout"]

FloatArray = npt.NDArray[np.float32]


class QuatTransLayout(Layout):
    """Texel 0: the rotation; texel 1: translation x y z, 0."""

    name = "quat_trans"
    methods = BAKED_METHODS

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Refuse palettes that scale."""
        scales = source.palette.scales
        if scales is not None:
            difference = np.abs(scales[..., :3] - np.eye(3, dtype=scales.dtype)).max(axis=(-2, -1))
            frame, row = np.unravel_index(np.argmax(difference), difference.shape)
            raise ValueError(
                f"layout 'quat_trans' holds no scale: clip {source.name!r} scales "
                f"{source.row_name(int(row))!r} by up to {difference[frame, row]:.3g} more or less than 1 "
                f"(frame {frame}); take layout='dual_quat' or 'matrix'"
            )
        return Plan(2, self.methods) if plan is None else plan

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return the palette's own array."""
        return np.ascontiguousarray(source.palette.quat_trans, np.float32)

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return the form of two texels, of which the translation keeps its sign."""
        if texels != 2:
            raise ValueError(f"2 texels, got {texels}")
        return TexelForm(texels, 0, 1, row_count)

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Return matrices of both, and dual quaternions when they are used."""
        real, offset = rows[..., :4], rows[..., 4:7]
        matrices = np.zeros((*rows.shape[:-1], 4, 4), np.float32)
        matrices[..., :3, :3] = quat.to_matrix(quat.normalize(real))
        matrices[..., :3, 3] = offset
        matrices[..., 3, 3] = 1.0
        return SampledPalette(lambda: dual_quats_of(real, offset), matrices=matrices)
