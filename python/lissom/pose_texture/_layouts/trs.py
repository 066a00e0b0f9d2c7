# SPDX-License-Identifier: MIT
"""The layout of joints in model space, apart as translation, rotation and scale."""

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
"""What a matrix may have beside rotation and scale along its axes, as a share of its largest entry: about
what float16 rounds off."""


class TrsLayout(JointLayout):
    """Texel 0: translation x y z, 0; texel 1: rotation; texel 2: scale x y z, 0: of model_from_joint."""

    name = "trs"
    methods = BAKED_METHODS

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Refuse shear, and see whether palettes are rigid."""
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
        """Take the matrices apart."""
        rotation, scale, _ = _parts(source)
        rows = np.zeros((*scale.shape[:-1], 12), np.float32)
        rows[..., :3] = source.model[..., :3, 3]
        rows[..., 4:8] = quat.from_matrix(rotation)
        rows[..., 8:11] = scale
        return rows

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Three texels, of which the rotation's has a sign."""
        if texels != 3:
            raise ValueError(f"3 texels, got {texels}")
        return TexelForm(texels, 1, 1, row_count)

    def model(self, rows: FloatArray, rig: Rig) -> FloatArray:
        """Put matrices together."""
        return _matrices(rows, quat.normalize(rows[..., 4:8]))

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Multiply matrices with joint_from_bind, and rotations with its rotations."""
        assert skin is not None
        assert rig is not None
        rotations = quat.normalize(rows[..., 4:8])
        return joint_palette(_matrices(rows, rotations), lambda: rotations, skin, rig)


def _matrices(rows: FloatArray, rotations: FloatArray) -> FloatArray:
    parts = trs.from_parts(translation=rows[..., :3], rotation=rotations, scale=rows[..., 8:11])
    return np.asarray(trs.to_matrix(parts))


def _parts(source: Source) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give rotation matrices (F, J, 3, 3), scales (F, J, 3) and shear (F, J) of model_from_joint.

    The rotation is the product of the local ones: where a matrix is a rotation after a scale along its axes,
    M = R S, that is such an R: S^2 is diagonal in its axes exactly where the columns of M
    are at right angles. It is there also where scale is zero or mirrors.
    """
    rigid = source.poses.copy()
    rigid[..., :3] = 0.0
    rigid[..., 7:] = 1.0
    rotation = source.skeleton.model_matrices(rigid)[..., :3, :3]
    linear = source.model[..., :3, :3]
    turned = rotation * linear  # written out below: how NumPy's own product rounds depends on the machine
    scale = turned[..., 0, :] + turned[..., 1, :] + turned[..., 2, :]
    rest = np.abs(linear - rotation * scale[..., None, :]).max(axis=(-2, -1))
    largest = np.abs(linear).max(axis=(-2, -1))
    shear = np.divide(rest, largest, out=np.zeros_like(rest), where=largest > 0)
    return rotation, np.ascontiguousarray(scale, np.float32), shear
