# SPDX-License-Identifier: MIT
"""Whether what a bake plays is mirrored somewhere, so that faces are seen from behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["mirrors"]

FRAMES = 256  # looked at together


def mirrors(bake: PoseTexture) -> bool:
    """Return whether a palette row mirrors at some frame."""
    if bake.layout == "quat_trans" or (bake.layout == "dual_quat" and bake.texels.shape[2] == 2):
        return False  # rotations alone
    for first in range(0, len(bake.texels), FRAMES):
        frames = np.arange(first, min(first + FRAMES, len(bake.texels)))
        x, y, z = np.moveaxis(bake.sample_frames(frames).matrices[..., :3, :3], -2, 0)
        if ((np.cross(x, y) * z).sum(axis=-1) < 0).any():
            return True
    return False
