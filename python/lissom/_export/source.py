# SPDX-License-Identifier: MIT
"""What an export is measured against: the source clips, a bake of them, or the frames of an animation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from lissom import trs
from lissom._export.baked_vertices import drawn
from lissom.clip._error import SUBFRAMES
from lissom.clip._frames import AT_FRAMES, BETWEEN, NEAR, Moments

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._export.vertex_animation import VertexAnimation
    from lissom._export.vertex_clip import VertexClip
    from lissom.pose_texture import PoseTexture

__all__ = ["AnimationSource", "BakeSource", "CharacterSource", "Source"]

Times = npt.NDArray[np.float64]
Vertices = npt.NDArray[np.float32]


class Source(Protocol):
    """Vertices at any time of a clip."""

    words: str
    size: float

    def vertices(self, clip: str, seconds: Times) -> Vertices:
        """Return the vertices (N, V, 3) at times (N) within the clip."""

    def moments(self, clip: str, played: VertexClip) -> tuple[Times, npt.NDArray[np.int32]]:
        """Return the times to measure an engine's frames at, and their groups."""

    def slack(self, clip: str) -> float:
        """Return how far the source itself may be from the source clips, model units."""


class CharacterSource:
    """The source clips of a bake, deformed by its method; in place where the bake took out root motion."""

    words = "the source clips"

    def __init__(self, character: Character, bake: PoseTexture) -> None:
        self.size = bake.size
        self._character = character
        self._bake = bake

    def vertices(self, clip: str, seconds: Times) -> Vertices:
        source = self._character.clips[clip]
        weights = source.morphs(seconds, loop=False) if source.morph_names else None
        poses = source.sample(seconds, loop=False)
        found = self._character.deform(poses, self._bake.method, morphs=weights)
        motion = self._bake.clips[clip].root_motion
        if motion is not None and source.root_motion is None:
            back = trs.to_matrix(trs.inverse(motion.at(seconds)))
            found = found @ np.swapaxes(back[:, :3, :3], 1, 2) + back[:, None, :3, 3]
        return np.asarray(found, np.float32)

    def moments(self, clip: str, played: VertexClip) -> tuple[Times, npt.NDArray[np.int32]]:
        found = Moments.of_frames(self._character.clips[clip], played.frame_count - 1)
        return found.times, found.groups

    def slack(self, clip: str) -> float:
        return 0.0


class BakeSource:
    """What a bake draws; its own error is added to all that is measured against it."""

    words = "the bake, with its own error added"

    def __init__(self, bake: PoseTexture) -> None:
        self.size = bake.size
        self._bake = bake

    def vertices(self, clip: str, seconds: Times) -> Vertices:
        return np.asarray(drawn(self._bake, clip, seconds).positions, np.float32)

    def moments(self, clip: str, played: VertexClip) -> tuple[Times, npt.NDArray[np.int32]]:
        return _moments(played, self._bake.clips[clip].frame_count)

    def slack(self, clip: str) -> float:
        return float(self._bake.clips[clip].error.max)


class AnimationSource:
    """The frames of a vertex animation, mixed between."""

    words = "the animation"

    def __init__(self, animation: VertexAnimation) -> None:
        self.size = animation.size
        self._animation = animation

    def vertices(self, clip: str, seconds: Times) -> Vertices:
        return self._animation.sample(clip, seconds, loop=False)

    def moments(self, clip: str, played: VertexClip) -> tuple[Times, npt.NDArray[np.int32]]:
        return _moments(played, self._animation.clips[clip].frame_count)

    def slack(self, clip: str) -> float:
        return 0.0


def _moments(played: VertexClip, source_frames: int) -> tuple[Times, npt.NDArray[np.int32]]:
    """Return an engine's frames, moments between them, and the frames of the source, where it has corners."""
    intervals = played.frame_count - 1
    frames = np.arange(intervals + 1, dtype=np.float64)
    between = (frames[:-1, None] + np.array(SUBFRAMES)).reshape(-1)
    own = np.linspace(0.0, intervals, source_frames)
    own = own[np.abs(own - np.rint(own)) > NEAR]
    coordinates = np.concatenate([frames, between, own])
    groups = np.full(len(coordinates), BETWEEN, np.int32)
    groups[: len(frames)] = AT_FRAMES
    return played.start + coordinates / played.rate, groups
