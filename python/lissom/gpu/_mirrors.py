# SPDX-License-Identifier: MIT
"""Whether a bake mirrors anything, which swaps front and back faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["mirrors"]

FRAMES = 256  # per step, to bound memory


def mirrors(bake: PoseTexture) -> bool:
    """Return whether a palette row has a negative determinant at some frame."""
    if bake.layout == "quat_trans" or (bake.layout == "dual_quat" and bake.texels.shape[2] == 2):
        return False  # rigid
    for first in range(0, len(bake.texels), FRAMES):
        frames = np.arange(first, min(first + FRAMES, len(bake.texels)))
        x, y, z = np.moveaxis(bake.sample_frames(frames).matrices[..., :3, :3], -2, 0)
        if ((np.cross(x, y) * z).sum(axis=-1) < 0).any():
            return True
    return False
