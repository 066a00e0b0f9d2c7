# SPDX-License-Identifier: MIT
"""What the judgement of a clip rests on: some vertices at some frames, of the engine and of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom._base.vectors import lengths
from lissom._character.character import Character
from lissom._export.source import Source
from lissom._verify.found_clip import FoundClip

__all__ = ["Evidence", "Vertices"]

MOST_FRAMES, MOST_VERTICES, WORST = 48, 1500, 32

Vertices = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """A clip of a bake beside its source, which has vertices in the same order.

    Attributes
    ----------
    found : FoundClip
    source : Source
    joints : sequence of str
        Of each vertex the joint of its heaviest influence; empty without a skin.
    character : Character or None
        Whose clip it is.
    partners : ndarray of int64, shape (V,)
        Of each vertex that of the character's mesh.
    worst : int or None
        The frame that is off the most, of all, where it is known.
    """

    found: FoundClip
    source: Source
    joints: Sequence[str]
    character: Character | None
    partners: NDArray[np.int64]
    worst: int | None = None

    @property
    def clips(self) -> tuple[str, ...]:
        """Names of the clips of the character."""
        return () if self.character is None else tuple(self.character.clips)

    @property
    def row_names(self) -> Sequence[str]:
        """The joint of each palette row of the character."""
        character = self.character
        if character is None or character.skin is None:
            return ()
        return [character.skeleton.names[joint] for joint in character.skin.joints]

    @cached_property
    def palettes(self) -> Vertices | None:
        """The matrices (frame, row, 4, 4) of the files at the frames; None where they hold vertices."""
        of = self.found.palettes
        return None if of is None else np.asarray(of(self.frames), np.float64)

    @cached_property
    def source_palettes(self) -> Vertices | None:
        """The matrices (frame, row, 4, 4) of the source at the same times; None without joints."""
        character, name = self.character, self.found.name
        if character is None or character.skin is None:
            return None
        poses = character.clips[name].sample(self.seconds, loop=False)
        palette = character.skin.palette(character.skeleton.model_matrices(poses))
        matrices = np.asarray(palette.matrices, np.float64)
        baked = None if self.found.bake is None else self.found.bake.clips.get(name)
        if baked is not None and baked.root_motion is not None and character.clips[name].root_motion is None:
            back = trs.to_matrix(trs.inverse(baked.root_motion.at(self.seconds)))
            matrices = back[:, None] @ matrices
        return matrices

    @cached_property
    def frames(self) -> NDArray[np.int64]:
        """Frames that are looked at, spread evenly, the first, the last two, and the worst among them."""
        count = self.found.frames.frame_count
        spread = np.linspace(0, count - 1, min(count, MOST_FRAMES)).round().astype(np.int64)
        ends = np.arange(max(count - 2, 0), count)
        worst = [] if self.worst is None else [self.worst]
        return np.union1d(spread, [*ends, *worst]).astype(np.int64)

    @cached_property
    def vertices(self) -> NDArray[np.int64]:
        """Vertices that are looked at: spread evenly, and those that are off the most."""
        count = self.found.mesh.vertex_count
        spread = np.linspace(0, count - 1, min(count, MOST_VERTICES)).round().astype(np.int64)
        distances = lengths(self.whole - self.wanted).max(axis=0)
        return np.union1d(spread, np.argsort(distances)[-WORST:])

    @cached_property
    def whole(self) -> NDArray[np.float32]:
        """All that the engine draws at these frames, (frame, V, 3)."""
        return self.found.at_frames(self.frames)

    @cached_property
    def wanted(self) -> NDArray[np.float32]:
        """All that the source has at the same times, (frame, V, 3)."""
        return self.source.vertices(self.found.name, self.seconds)

    @cached_property
    def actual(self) -> Vertices:
        """What the engine draws, (frame, vertex, 3)."""
        return self.some(self.whole)

    @cached_property
    def rest(self) -> Vertices:
        """The engine's mesh at rest, (vertex, 3)."""
        return self.found.mesh.positions[self.vertices].astype(np.float64)

    @cached_property
    def expected(self) -> Vertices:
        """What the source has at the same times."""
        return self.some(self.wanted)

    @cached_property
    def span(self) -> tuple[float, float]:
        """First and last moment of the source's clip, seconds."""
        return self.source.span(self.found.name)

    def some(self, vertices: NDArray[np.float32]) -> Vertices:
        """Return those that are looked at, of all vertices (..., V, 3)."""
        return vertices[..., self.vertices, :].astype(np.float64)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Times at the source of the frames that are looked at."""
        return self._seconds(self.frames)

    def _seconds(self, frames: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
        clip = self.found.frames
        times = clip.start + (np.asarray(frames, np.float64) - self.found.lag) / clip.rate
        return np.clip(times, *self.span)

    def at_frames(self, frames: NDArray[np.floating] | NDArray[np.integer]) -> Vertices:
        """Return the source at frames of the engine, which may lie between or outside: those are clamped."""
        return self.at_seconds(self._seconds(frames))

    def at_seconds(self, seconds: NDArray[np.float64]) -> Vertices:
        """Return the source at some times, clamped to its clip."""
        begin, end = self.span
        return self.some(self.source.vertices(self.found.name, np.clip(seconds, begin, end)))

    def largest(self, actual: Vertices, expected: Vertices | None = None) -> float:
        """Return the largest distance, as a fraction of the size."""
        other = self.expected if expected is None else expected
        distance = float(lengths(actual - other).max(initial=0.0))
        return distance / max(self.source.size, 1e-30)

    @cached_property
    def error(self) -> float:
        """Largest distance at the frames, as a fraction of the size."""
        return self.largest(self.actual)

    @cached_property
    def bends(self) -> NDArray[np.float64]:
        """How far the source's vertices (frame, vertex) are from the mean of a frame before and one after.

        The most within two frames; model units. A sound bake that was resampled from one of half the rate is
        off by that at frames.
        """
        last = self.found.frames.frame_count - 1
        around = [self.at_frames(np.clip(self.frames + shift, 0, last)) for shift in range(-3, 4)]
        largest = np.zeros(self.actual.shape[:2])
        for shift, (before, here, after) in enumerate(zip(around, around[1:], around[2:], strict=False), -2):
            middle = self.frames + shift
            inside = (middle > 0) & (middle < last)
            bend = lengths(0.5 * (before + after) - here)
            largest[inside] = np.maximum(largest, bend)[inside]
        return largest
