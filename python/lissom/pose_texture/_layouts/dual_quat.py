# SPDX-License-Identifier: MIT
"""The layout of skin dual quaternions, as dual quaternion skinning blends them.

A row is M = R A, a rigid R after a scale A. The rotation of R is that of the polar decomposition of M. Where
a scale goes through zero, that one jumps by half a turn from one frame to the next, and a blend of two such
frames is far from both at any rate. A row of which this is seen in some clip has the rotation of its joint
in all clips instead, the product of the local rotations, which does not jump. Its A has the scale's sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core, quat
from lissom._base.methods import BAKED_METHODS
from lissom.pose_texture._layouts.joint_palette import bind_rotations
from lissom.pose_texture._layouts.layout import Layout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette, dual_quats_of
from lissom.pose_texture._layouts.source import JUMP
from lissom.pose_texture._layouts.texels import TexelForm, Texels

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
        """Widen to the texels that scale needs, and to the rows whose rotation jumps."""
        old = Plan(2, self.methods) if plan is None else plan
        if source.rigid_texels(np.dtype(np.float32)) is not None:  # any plan suffices
            return old
        own = old.own_rotation | jumping_rows(source)
        needed = max(old.texels, 5 if own else 2 + scale_texels(source.palette))
        if plan is not None and (plan.texels, plan.own_rotation) == (needed, own):
            return plan
        return Plan(needed, self.methods, own_rotation=own)

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return the palette's own array where it has no scale."""
        palette = source.palette
        dual_quats = np.ascontiguousarray(palette.dual_quats, np.float32)
        if plan.texels == 2:
            return dual_quats
        scales = palette.scales
        if plan.own_rotation:
            dual_quats = with_own_rotations(dual_quats, source, sorted(plan.own_rotation))
            scales = palette._scales_before(dual_quats.astype(palette.dtype))
        frames, row_count, _ = dual_quats.shape
        rows = np.empty((frames, row_count, 4 * plan.texels), np.float32)
        rows[..., :8] = dual_quats
        matrices = np.broadcast_to(IDENTITY, (frames, row_count, 3, 4)) if scales is None else scales
        if plan.texels == 3:
            diagonal = np.float32(matrices[..., 0, 0] + matrices[..., 1, 1] + matrices[..., 2, 2])
            rows[..., 8:11] = matrices[..., 3]
            rows[..., 11] = diagonal * np.float32(1.0 / 3.0)
        else:
            rows[..., 8:] = matrices.reshape(frames, row_count, 12)
        return rows

    def texels(self, source: Source, plan: Plan, dtype: np.dtype[Any]) -> Texels | None:
        """Return the texels of frames without scale from the clip's keys in one pass."""
        if plan.texels != 2 or plan.own_rotation:
            return None
        aligned = source.rigid_texels(np.dtype(np.float16 if dtype == np.float16 else np.float32))
        if aligned is None:
            return None
        return Texels.of_aligned(aligned, self.form(2, len(source.skin)), dtype)

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


def jumping_rows(source: Source) -> frozenset[int]:
    """Return the rows whose rotation jumps between two frames, while that of their joint does not."""
    dual_quats = source.palette.dual_quats
    rotations = dual_quats[..., :4]
    if dual_quats.dtype == np.float32 and dual_quats.ndim == 3:
        flags = np.empty(dual_quats.shape[1], np.uint8)
        _core.rotation_jumps(dual_quats, JUMP, flags)
        jumping = np.flatnonzero(flags)
    else:
        jumping = np.flatnonzero(_jumps(rotations).any(axis=0))
    if jumping.size:
        against_own = quat.multiply(quat.conjugate(_own_rotations(source, jumping)), rotations[:, jumping])
        jumping = jumping[_jumps(against_own).any(axis=0)]
    return frozenset(jumping.tolist())


def _jumps(rotations: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return whether unit quaternions (F, R, 4) turn by more than a right angle from frame to frame."""
    product = rotations[1:] * rotations[:-1]  # written out: sums by NumPy depend on the machine
    dots = product[..., 0] + product[..., 1] + product[..., 2] + product[..., 3]
    return np.asarray(np.abs(dots) < JUMP)


def _own_rotations(source: Source, rows: Sequence[int] | npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return the rotation of each row's joint since the bind pose, (F, len(rows), 4), unit."""
    turned = quat.from_matrix(source.rotations[:, source.skin.joints[rows]])
    return quat.normalize(quat.multiply(turned, bind_rotations(source.skin)[rows].astype(turned.dtype)))


def with_own_rotations(dual_quats: FloatArray, source: Source, rows: Sequence[int]) -> FloatArray:
    """Return dual quaternions (F, R, 8) of which some rows have the rotation of their joint.

    Like all, they take the joint's place in bind space c to M c.
    """
    real = _own_rotations(source, rows).astype(np.float32)
    rotation = quat.to_matrix(real.astype(np.float64))
    matrix = source.palette.matrices[:, rows].astype(np.float64)
    pivot = source.skin.pivots[rows][:, None]
    moved = (matrix[..., :3, :3] - rotation) * pivot  # written out below, as above
    translation = matrix[..., :3, 3] + (moved[..., 0] + moved[..., 1] + moved[..., 2])
    result = dual_quats.copy()
    result[:, rows] = dual_quats_of(real, translation.astype(np.float32))
    return result
