# SPDX-License-Identifier: MIT
"""Frames of clips, sampled from their keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom.clip._frames import checked_interval_count, frame_times
from lissom.pose_texture._layouts import ClipSource

if TYPE_CHECKING:
    from lissom._rig.morphs import Morphs
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skin import Skin
    from lissom.clip import Clip

__all__ = ["FrameSampler"]

MOST_BYTES = 4 << 30
"""Memory that baking one clip may take, which keeps its frames below the 2**24 that float32 tells apart."""

# What sampling, storing and measuring take at most, as measured on clips of 2 to 104 joints in all layouts.
_BYTES_PER_FRAME = 256
_BYTES_PER_ROW = 300  # and frame, for each joint of the skeleton and each of the skin
_BYTES_PER_MORPH = 24  # and frame


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
    morphs : Morphs or None
        Morph targets of the mesh; None where it has none.
    """

    skeleton: Skeleton
    skin: Skin
    size: float
    morphs: Morphs | None = None

    def at_times(self, clip: Clip, times: npt.NDArray[np.float64]) -> ClipSource:
        """Sample a clip at times in seconds, not wrapped."""
        return ClipSource(self.skeleton, self.skin, clip, times, self.size)

    def weights_at_times(self, clip: Clip, times: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """Sample the weights of the morph targets, (N, M), at times in seconds, not wrapped.

        They are the mesh's own, its defaults, where the clip knows of no morph targets.
        """
        assert self.morphs is not None
        if not clip.morph_names:
            return np.tile(self.morphs.defaults, (len(times), 1))
        return np.asarray(clip.morphs(times, loop=False), np.float32)

    def at_rate(self, clip: Clip, rate: float) -> ClipSource:
        """Sample a clip at regular frames: at its start, its end and at least `rate` times a second."""
        if rate > self.highest_rate(clip):
            enough = 0.99 * self.highest_rate(clip)  # rounded to three digits it is still below
            needed = rate * clip.duration * self._bytes_per_frame
            raise ValueError(
                f"bake: rate must let clip {clip.name!r} take at most {MOST_BYTES >> 30} GiB to bake, got "
                f"{needed / (1 << 30):.3g} GiB for {rate:.6g} frames per second, {clip.duration:.6g} s and "
                f"{len(self.skeleton)} joints; pass a rate of at most {enough:.3g}, or a part of "
                "the clip (Clip.trimmed)"
            )
        return self.at_times(clip, frame_times(clip, checked_interval_count("bake", clip, rate)))

    def highest_rate(self, clip: Clip) -> float:
        """Return the highest rate, frames per second, at which a clip can be baked in `MOST_BYTES`."""
        if clip.duration <= 0:
            return math.inf
        return (MOST_BYTES // self._bytes_per_frame - 1) / clip.duration

    @property
    def _bytes_per_frame(self) -> int:
        morph_count = 0 if self.morphs is None else len(self.morphs)
        rows = len(self.skeleton) + len(self.skin)
        return _BYTES_PER_FRAME + _BYTES_PER_ROW * rows + _BYTES_PER_MORPH * morph_count
