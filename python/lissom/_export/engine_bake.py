# SPDX-License-Identifier: MIT
"""A bake as an engine has it from its files: texels in lines, a table of clips, and a mesh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export.vertex_clip import VertexClip
from lissom._rig.mesh import Mesh
from lissom.clip._error import ClipError, ErrorStats
from lissom.pose_texture import BakedClip, BakeReport, PoseTexture

__all__ = ["EngineBake", "engine_clip"]

NOTHING = ErrorStats(0.0, 0.0, 0.0, 0)
NOT_MEASURED = ClipError(0.0, 0.0, 0.0, 0.0, NOTHING)
MOST_SECONDS = 1e9


@dataclass(frozen=True)
class EngineBake:
    """What the files say, in lissom's axes.

    Attributes
    ----------
    texels : ndarray of float16 or float32, shape (frames, rows, texels, 4)
        All that are stored, the rest of the last line among them.
    layout, method : str
    clips : dict of str to VertexClip
        By name; their frames may lie anywhere in the texels, and overlap.
    mesh : Mesh
    """

    texels: NDArray[Any]
    layout: str
    method: str
    clips: Mapping[str, VertexClip]
    mesh: Mesh

    def clip(self, name: str) -> PoseTexture:
        """Return the frames of one clip as a bake of their own."""
        found = self.clips[name]
        texels = self.texels[found.first_frame : found.first_frame + found.frame_count]
        is_still = found.frame_count == 1
        alone = BakedClip(
            0,
            found.frame_count,
            0.0 if is_still else found.rate,
            found.loop,
            found.start,
            found.duration,
            np.zeros((2, 3), np.float32),
            NOT_MEASURED,
        )
        joints = [f"row {row}" for row in range(texels.shape[1])]
        size = float(np.ptp(self.mesh.positions, axis=0).max(initial=0.0)) or 1.0
        report = BakeReport(
            {name: alone},
            size,
            self.layout,
            self.method,
            str(texels.dtype),
            "nothing",
            0,
            joints=tuple(joints),
        )
        return PoseTexture(texels, {name: alone}, joints, report, mesh=self.mesh)


def engine_clip(
    what: str, first: float, intervals: float, seconds: float, loop: bool, start: float
) -> VertexClip:
    """Return a clip of a table; ValueError, which begins with `what`, where it is none."""
    is_right = (
        first >= 0
        and intervals >= 0
        and first == int(first)
        and intervals == int(intervals)
        and 0.0 <= seconds < MOST_SECONDS
        and abs(start) < MOST_SECONDS
    )
    if not is_right:
        raise ValueError(
            f"{what} must have a first frame, intervals and seconds, from 0, got {first:g}, {intervals:g}, "
            f"{seconds:g} from {start:g} s on; export it again"
        )
    if seconds == 0.0 or intervals == 0:  # shaders then show the first frame alone
        return VertexClip(int(first), 1, 30.0, loop, start)
    return VertexClip(int(first), int(intervals) + 1, intervals / seconds, loop, start)
