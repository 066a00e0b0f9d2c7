# SPDX-License-Identifier: MIT
"""What an export is measured against: the source clips, a bake of them, or the frames of an animation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from lissom import trs
from lissom._export.baked_vertices import drawn
from lissom.clip._error import SUBFRAMES, ClipError
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

    def span(self, clip: str) -> tuple[float, float]:
        """Return the first and the last moment of a clip, seconds."""

    def own_error(self, clip: str) -> ClipError | None:
        """Return how far the source itself is from the source clips, model units; None where it is those."""


class CharacterSource:
    """Source clips, deformed by a method; in place where a bake of them took out root motion."""

    words = "the source clips"

    def __init__(
        self, character: Character, method: str, size: float, bake: PoseTexture | None = None
    ) -> None:
        self.size = size
        self.character = character
        self._method = method
        self._bake = bake

    def vertices(self, clip: str, seconds: Times) -> Vertices:
        source = self.character.clips[clip]
        weights = source.morphs(seconds, loop=False) if source.morph_names else None
        poses = source.sample(seconds, loop=False)
        found = self.character.deform(poses, self._method, morphs=weights)
        baked = None if self._bake is None or clip not in self._bake.clips else self._bake.clips[clip]
        motion = None if baked is None else baked.root_motion
        if motion is not None and source.root_motion is None:
            back = trs.to_matrix(trs.inverse(motion.at(seconds)))
            found = found @ np.swapaxes(back[:, :3, :3], 1, 2) + back[:, None, :3, 3]
        return np.asarray(found, np.float32)

    def moments(self, clip: str, played: VertexClip) -> tuple[Times, npt.NDArray[np.int32]]:
        found = Moments.of_frames(self.character.clips[clip], played.frame_count - 1)
        return found.times, found.groups

    def span(self, clip: str) -> tuple[float, float]:
        return self.character.clips[clip].start, self.character.clips[clip].end

    def own_error(self, clip: str) -> ClipError | None:
        return None


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

    def span(self, clip: str) -> tuple[float, float]:
        return self._bake.clips[clip].start, self._bake.clips[clip].end

    def own_error(self, clip: str) -> ClipError | None:
        return self._bake.clips[clip].error


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

    def span(self, clip: str) -> tuple[float, float]:
        found = self._animation.clips[clip]
        return found.start, found.start + found.duration

    def own_error(self, clip: str) -> ClipError | None:
        return None


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
