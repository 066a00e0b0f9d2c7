# SPDX-License-Identifier: MIT
"""The vertices of a bake, frame after frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip
from lissom.clip._frames import interval_count
from lissom.skinning import Deformed, deform

if TYPE_CHECKING:
    from lissom.pose_texture import PoseTexture

__all__ = ["checked_frame_count", "drawn", "vertices_of"]

MOST_BYTES = 8 << 30
"""Memory that the vertices of one clip may take."""

BYTES_PER_VERTEX = 24  # and frame: its position and its normal


def checked_frame_count(bake: PoseTexture, name: str, rate: float | None) -> int:
    """Return the frames of a clip at a rate, or of the bake; ValueError where they take too much memory."""
    clip = bake.clips[name]
    assert bake.mesh is not None
    count = clip.frame_count if rate is None else interval_count(clip.duration, rate) + 1
    needed = BYTES_PER_VERTEX * bake.mesh.vertex_count * count
    if needed > MOST_BYTES:
        raise ValueError(
            f"export: rate must let the vertices of clip {name!r} take at most {MOST_BYTES >> 30} GiB, got "
            f"{needed / (1 << 30):.3g} GiB for {count} frames of {bake.mesh.vertex_count} vertices; lower it"
        )
    return count


def drawn(bake: PoseTexture, clip: str, seconds: npt.NDArray[np.float64]) -> Deformed:
    """Return the vertices, with normals, that a bake draws by its own method at times within a clip."""
    assert bake.mesh is not None
    morphs = None if bake.weights is None else bake.sample_morphs(clip, seconds, loop=False)
    palette: Any = bake.sample(clip, seconds, loop=False)
    return deform(bake.mesh, palette, bake.method, normals=True, morphs=morphs)


def vertices_of(bake: PoseTexture, names: Sequence[str], rate: float | None) -> VertexAnimation:
    """Return what a bake draws of some clips, at frames of a rate, or at its own."""
    mesh = bake.mesh
    if mesh is None:
        raise ValueError(
            "VertexAnimation.of_bake: the bake must have its mesh, got none; bake with include_mesh=True"
        )
    clips: dict[str, VertexClip] = {}
    positions, normals, first = [], [], 0
    for name in names:
        clip = bake.clips[name]
        intervals = checked_frame_count(bake, name, rate) - 1
        times = clip.start + np.linspace(0.0, clip.duration, intervals + 1)
        deformed = drawn(bake, name, times)
        positions.append(deformed.positions)
        normals.append(deformed.normals)
        own_rate = intervals / clip.duration if intervals else 30.0
        clips[name] = VertexClip(first, intervals + 1, own_rate, bool(clip.loop), clip.start)
        first += intervals + 1
    return VertexAnimation(mesh, np.concatenate(positions), clips, normals=np.concatenate(normals))
