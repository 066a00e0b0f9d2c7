# SPDX-License-Identifier: MIT
"""The layout of local rotations: one texel a joint, for clips that translate one joint at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom import _core, quat
from lissom._base.methods import BAKED_METHODS
from lissom.pose_texture._layouts.joint_palette import is_rigid, joint_palette
from lissom.pose_texture._layouts.layout import JointLayout, Plan
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["RotationsLayout"]

FloatArray = npt.NDArray[np.float32]

TRANSLATION_TOLERANCE = 1e-4
"""Distance that a joint may move in its parent and count as still, as a fraction of the character's size."""

SCALE_TOLERANCE = 1e-4
"""Difference of a scale from its constant, and of its axes from each other, as a fraction of it: the
tolerance by which a palette counts as free of scale."""


class RotationsLayout(JointLayout):
    """One texel: the local rotation. A last row holds translation x y z, 0 of the one joint that moves."""

    name = "rotations"
    methods = BAKED_METHODS

    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Find the joint that moves; refuse a second one, and scales that change."""
        still = np.array(source.poses[0], np.float32) if plan is None or plan.rig is None else plan.rig.local
        scale = _model_scales(source, still)
        moving = _moving(source, still, scale)
        known = plan.rig.moving if plan is not None and plan.rig is not None and plan.settled else None
        others = [joint for joint in moving if joint != known]
        if len(others) > (known is None):
            also = others[0] if known is not None else others[1]
            first = source.skeleton.names[others[0] if known is None else known]
            raise ValueError(
                f"layout 'rotations' stores the translation of one joint, here {first!r}: clip "
                f"{source.name!r} also moves {source.skeleton.names[also]!r} in its parent, by "
                f"{moving[also] / (source.size or 1.0):.3g} of the size; take layout='dual_quat'"
            )
        rigid = (plan is None or self._rigid(plan)) and is_rigid(source, scale)
        settled = known is not None or bool(moving)
        if plan is not None and (self._rigid(plan), plan.settled) == (rigid, settled):
            return plan
        joint = others[0] if others else known or 0
        rig = Rig(source.skeleton.parents, still, joint, rigid=rigid)
        return Plan(1, self.methods if rigid else ("linear",), rig, settled)

    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return the local rotations, and the one translation."""
        assert plan.rig is not None
        frames, joints, _ = source.poses.shape
        rows = np.zeros((frames, joints + 1, 4), np.float32)
        rows[:, :-1] = source.poses[..., 3:7]
        rows[:, -1, :3] = source.poses[:, plan.rig.moving, :3]
        return rows

    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return the form of one texel, a quaternion in all rows but the last."""
        if texels != 1:
            raise ValueError(f"1 texel, got {texels}")
        return TexelForm(texels, 0, 1, row_count - 1)

    def row_count(self, joint_count: int) -> int:
        """Return one more than the number of joints."""
        return joint_count + 1

    def model(self, rows: FloatArray, rig: Rig) -> FloatArray:
        """Compose the normalised local rotations down the hierarchy."""
        poses = np.empty((*rows.shape[:-2], len(rig), 10), np.float32)
        poses[...] = rig.local
        poses[..., rig.moving, :3] = rows[..., -1, :3]
        poses[..., 3:7] = quat.normalize(rows[..., :-1, :])
        model = np.empty((*poses.shape[:-1], 4, 4), np.float32)
        _core.model_matrices(rig.parents, poses, model)
        return model

    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Multiply matrices by joint_from_bind, and rotations down the hierarchy by its rotations."""
        assert skin is not None
        assert rig is not None
        parents = rig.parents

        def rotations() -> FloatArray:
            model_rotations = quat.normalize(rows[..., :-1, :])
            for joint in np.flatnonzero(parents >= 0):
                model_rotations[..., joint, :] = quat.multiply(
                    model_rotations[..., parents[joint], :], model_rotations[..., joint, :]
                )
            return model_rotations

        return joint_palette(self.model(rows, rig), rotations, skin, rig)


def _model_scales(source: Source, still: FloatArray) -> FloatArray:
    """Return the constant uniform scale of each joint in model space, (J, 1); ValueError for other scales."""
    scales = source.poses[..., 7:]
    names, parents = source.skeleton.names, source.skeleton.parents
    largest = np.abs(still[:, 7:]).max(axis=1)
    drift = np.abs(scales - still[:, 7:]).max(axis=(0, 2))
    joint = int(np.argmax(drift - SCALE_TOLERANCE * largest))
    if drift[joint] > SCALE_TOLERANCE * largest[joint]:
        frame = int(np.argmax(np.abs(scales[:, joint] - still[joint, 7:]).max(axis=1)))
        raise ValueError(
            f"layout 'rotations' stores no scale frame by frame: clip {source.name!r} scales "
            f"{names[joint]!r} from {_numbers(still[joint, 7:])} to {_numbers(scales[frame, joint])} "
            f"(frame {frame}); take layout='dual_quat' or 'trs'"
        )
    spread = np.ptp(still[:, 7:], axis=1)
    joint = int(np.argmax(spread - SCALE_TOLERANCE * largest))
    if spread[joint] > SCALE_TOLERANCE * largest[joint]:
        raise ValueError(
            f"layout 'rotations' needs one scale for all axes: {names[joint]!r} has "
            f"{_numbers(still[joint, 7:])}; take layout='dual_quat' or 'trs'"
        )
    result = still[:, 7:8].copy()
    for child in np.flatnonzero(parents >= 0):
        result[child] *= result[parents[child]]
    return result


def _moving(source: Source, still: FloatArray, scale: FloatArray) -> dict[int, float]:
    """Return the joints that move in their parents with the distance, model units, the farthest first."""
    drift = np.linalg.norm(source.poses[..., :3] - still[:, :3], axis=-1).max(axis=0)
    parents = source.skeleton.parents
    drift = drift * np.where(parents >= 0, np.abs(scale[parents, 0]), 1.0)
    order = np.argsort(-drift, kind="stable")
    return {int(j): float(drift[j]) for j in order if drift[j] > TRANSLATION_TOLERANCE * source.size}


def _numbers(values: FloatArray) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in values) + ")"
