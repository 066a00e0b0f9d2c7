# SPDX-License-Identifier: MIT
"""What an engine draws of an export: read back from the files, and played by the engine's own rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lissom._export.baked_vertices import drawn
from lissom._export.vertex_animation import Playback, VertexAnimation, frame_coordinates, whole_frames
from lissom._export.vertex_clip import VertexClip
from lissom.pose_texture import PoseTexture

__all__ = ["Played", "PlayedBake", "PlayedVertices"]


class Played(Protocol):
    """Vertices at any time of a clip, in lissom's axes."""

    @property
    def clips(self) -> Mapping[str, VertexClip]:
        """The clips, with the engine's frames."""

    @property
    def playback(self) -> Playback:
        """What the engine does between two frames."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices, V."""

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """Return the vertices (N, V, 3) at times (N) within the clip, its end included."""


@dataclass(frozen=True)
class PlayedVertices:
    """Frames of vertices."""

    animation: VertexAnimation
    playback: Playback = "interpolate"

    @property
    def clips(self) -> Mapping[str, VertexClip]:
        return self.animation.clips

    @property
    def vertex_count(self) -> int:
        return self.animation.mesh.vertex_count

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        return self.animation.sample(clip, seconds, loop=False, playback=self.playback)


@dataclass(frozen=True)
class PlayedBake:
    """A bake that is sampled and skinned as `PoseTexture.sample` and `deform` do it."""

    bake: PoseTexture
    playback: Playback = "interpolate"

    @property
    def clips(self) -> Mapping[str, VertexClip]:
        return {
            name: VertexClip(clip.first_frame, clip.frame_count, clip.rate or 30.0, clip.loop, clip.start)
            for name, clip in self.bake.clips.items()
        }

    @property
    def vertex_count(self) -> int:
        assert self.bake.mesh is not None
        return self.bake.mesh.vertex_count

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        if self.playback == "snap":
            frames = self.clips[clip]
            coordinates = frame_coordinates(frames, seconds, loop=False)
            seconds = frames.start + whole_frames(coordinates) / frames.rate
        return np.asarray(drawn(self.bake, clip, seconds).positions, np.float32)
