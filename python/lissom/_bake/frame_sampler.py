# SPDX-License-Identifier: MIT
"""Frames of clips, sampled from their keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom.clip._frames import checked_interval_count, frame_times
from lissom.pose_texture._layouts import Source

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin
    from lissom.clip import Clip

__all__ = ["FrameSampler"]


@dataclass(frozen=True)
class FrameSampler:
    """Samples clips of one character.

    Attributes
    ----------
    skeleton : Skeleton
    skin : Skin
        With the rows of extra joints after its own.
    size : float
        The character's size, model units.
    """

    skeleton: Skeleton
    skin: Skin
    size: float

    def at_times(self, clip: Clip, times: npt.NDArray[np.float64]) -> Source:
        """Sample a clip at times in seconds, not wrapped."""
        return Source(self.skeleton, self.skin, clip.sample(times, loop=False), clip.name, self.size)

    def at_rate(self, clip: Clip, rate: float) -> Source:
        """Sample a clip at regular frames: at its start, its end and at least `rate` times a second."""
        return self.at_times(clip, frame_times(clip, checked_interval_count("bake", clip, rate)))
