# SPDX-License-Identifier: MIT
"""The layout of joints in model space: translation, rotation and scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom import quat, trs
from lissom._base.methods import BAKED_METHODS
from lissom.pose_texture._layouts.joint_palette import is_rigid, joint_palette
from lissom.pose_texture._layouts.layout import JointLayout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["TrsLayout"]

FloatArray = npt.NDArray[np.float32]

SHEAR_TOLERANCE = 1e-3
"""Shear that a matrix may have beside rotation and scale, as a fraction of its largest entry: about the
rounding of float16."""


class TrsLayout(JointLayout):
    """Texel 0: translation x y z, 0; texel 1: rotation; texel 2: scale x y z, 0: of model_from_joint."""

    name = "trs"
    methods = BAKED_METHODS

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Refuse shear, and find whether palettes are rigid."""
        _, scale, shear = _parts(source)
        frame, joint = np.unravel_index(np.argmax(shear), shear.shape)
        if not shear[frame, joint] <= SHEAR_TOLERANCE:
            raise ValueError(
                f"layout 'trs' holds no shear: clip {source.name!r} shears {source.skeleton.names[joint]!r} "
                f"by {shear[frame, joint]:.3g} of its scale (frame {frame}); "
                "take layout='dual_quat' or 'matrix'"
            )
        rigid = (plan is None or self._rigid(plan)) and is_rigid(source, scale)
        if plan is not None and self._rigid(plan) == rigid:
            return plan
        rig = Rig(source.skeleton.parents, source.skeleton.rest, rigid=rigid)
        return Plan(3, self.methods if rigid else ("linear",), rig)

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Decompose the matrices."""
        rotation, scale, _ = _parts(source)
        rows = np.zeros((*scale.shape[:-1], 12), np.float32)
        rows[..., :3] = source.model[..., :3, 3]
        rows[..., 4:8] = quat.from_matrix(rotation)
        rows[..., 8:11] = scale
        return rows

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return the form of three texels, of which the second is a quaternion."""
        if texels != 3:
            raise ValueError(f"3 texels, got {texels}")
        return TexelForm(texels, 1, 1, row_count)

    def model(self, rows: FloatArray, rig: Rig) -> FloatArray:
        """Compose the matrices."""
        return _matrices(rows, quat.normalize(rows[..., 4:8]))

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Multiply matrices by joint_from_bind, and rotations by its rotations."""
        assert skin is not None
        assert rig is not None
        rotations = quat.normalize(rows[..., 4:8])
        return joint_palette(_matrices(rows, rotations), lambda: rotations, skin, rig)


def _matrices(rows: FloatArray, rotations: FloatArray) -> FloatArray:
    parts = trs.from_parts(translation=rows[..., :3], rotation=rotations, scale=rows[..., 8:11])
    return np.asarray(trs.to_matrix(parts))


def _parts(source: Source) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return rotation matrices (F, J, 3, 3), scales (F, J, 3) and shear (F, J) of model_from_joint.

    The rotation is the product of the local ones. Where a matrix is a rotation after a scale of its axes,
    M = R S, the product is such an R: S^2 is diagonal in its axes exactly where the columns of M are
    perpendicular.
    """
    rotation = source.rotations
    linear = source.model[..., :3, :3]
    product = rotation * linear  # written out below: how NumPy's own product rounds depends on the machine
    scale = product[..., 0, :] + product[..., 1, :] + product[..., 2, :]
    rest = np.abs(linear - rotation * scale[..., None, :]).max(axis=(-2, -1))
    largest = np.abs(linear).max(axis=(-2, -1))
    shear = np.divide(rest, largest, out=np.zeros_like(rest), where=largest > 0)
    return rotation, np.ascontiguousarray(scale, np.float32), shear
