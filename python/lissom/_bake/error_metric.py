# SPDX-License-Identifier: MIT
"""The error of a bake: source and bake are skinned by the same method, at frames and between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom.clip._error import WorstVertex
from lissom.clip._frames import AT_FRAMES, Moments
from lissom.clip._vertex_error import Rows, VertexErrorMetric, VertexErrors
from lissom.pose_texture._layouts import Source

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skin import Palette
    from lissom.clip import Clip
    from lissom.pose_texture._layouts import Layout, Rig, Texels

__all__ = ["BakeErrorMetric"]


class BakeErrorMetric(VertexErrorMetric):
    """Measures bakes of one character against their source clips.

    Rows of `extra_joints` come after those of the skin, and carry shells of their own.
    """

    def __init__(self, character: Character, method: str, extra_joints: Sequence[int] = ()) -> None:
        if not len(character.skeleton):
            raise ValueError(f"bake: {character.name!r} must have joints, got a skeleton without any")
        super().__init__(character, method, extra_joints)

    def palette(self, clip: Clip, times: npt.NDArray[np.float64]) -> Palette:
        """Give the source's palette: the clip as it is, not wrapped."""
        return self.source(clip, times).palette

    def source(self, clip: Clip, times: npt.NDArray[np.float64]) -> Source:
        """Give the source's frames: the clip as it is, not wrapped."""
        return Source(self.skeleton, self.skin, clip.sample(times, loop=False), clip.name, self.size)

    def measure(self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None) -> VertexErrors:
        """Measure one baked clip against its source."""
        measured = self.measure_up_to(math.inf, clip, layout, texels, rig)
        assert measured is not None
        return measured

    def measure_up_to(
        self, most: float, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None
    ) -> VertexErrors | None:
        """Measure one baked clip against its source; None as soon as a distance is above `most`."""
        moments = Moments.of_frames(clip, len(texels.array) - 1)
        distances = self._run(moments, *self._rows(moments, clip, layout, texels, rig), most)
        if distances.farthest > most:
            return None
        found = self._summed(moments, distances)
        worst = WorstVertex(
            found.vertex,
            self.skeleton.names[self.skin.joints[self.rows[found.vertex]]],
            float(moments.times[found.moment]),
            float(moments.coordinates[found.moment]),
            found.error.max,
            bool(moments.groups[found.moment] == AT_FRAMES),
        )
        return replace(found, error=replace(found.error, worst=worst))

    def loss_at_frames(self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None, most: int) -> float:
        """Give the largest distance at some of the frames: what the stored type costs."""
        moments = Moments.of_frames(clip, len(texels.array) - 1).frames(most)
        return self._run(moments, *self._rows(moments, clip, layout, texels, rig)).farthest

    def largest_near(
        self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None, times: Sequence[float]
    ) -> float:
        """Give the largest distance within one interval of any of the times, jumps left out."""
        intervals = len(texels.array) - 1
        moments = Moments.of_frames(clip, intervals).near(times, clip.duration / max(intervals, 1))
        return self._run(moments, *self._rows(moments, clip, layout, texels, rig)).farthest

    def _rows(
        self, moments: Moments, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None
    ) -> tuple[Rows, Rows]:
        """Give what makes palettes of the source and of the bake at some of the moments."""
        intervals = len(texels.array) - 1

        def baked(part: slice) -> Any:
            places = moments.coordinates[part]
            frames = np.minimum(np.floor(places), max(intervals - 1, 0)).astype(np.int32)
            nexts = np.minimum(frames + 1, intervals).astype(np.int32)
            rows = texels.sample(frames, nexts, (places - frames).astype(np.float32))
            return layout.palette(rows, self.skin, rig)

        return (lambda part: self.palette(clip, moments.times[part])), baked
