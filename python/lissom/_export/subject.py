# SPDX-License-Identifier: MIT
"""What is exported: a bake, or an animation of vertices; either as vertices, clip by clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lissom._export.baked_vertices import checked_frame_count, vertices_of
from lissom._export.vertex_animation import VertexAnimation
from lissom._rig.mesh import Mesh
from lissom._rig.skin import Skin
from lissom.pose_texture import PoseTexture

__all__ = ["Subject", "heaviest_joints"]


def heaviest_joints(mesh: Mesh, skin: Skin | None, joints: Sequence[str]) -> Sequence[str]:
    """Return the joint of each vertex's heaviest influence; nothing without a skin."""
    if skin is None:
        return ()
    heaviest = mesh.indices[range(mesh.vertex_count), mesh.weights.argmax(axis=1)]
    names = [joints[joint] for joint in skin.joints]
    return [names[row] for row in heaviest]


@dataclass(frozen=True)
class Subject:
    """A bake with its mesh, or an animation, and the frames per second of its vertices.

    Attributes
    ----------
    of : PoseTexture or VertexAnimation
    rate : float or None
        Frames per second; its own where None.
    """

    of: PoseTexture | VertexAnimation
    rate: float | None = None

    @property
    def bake(self) -> PoseTexture | None:
        """The bake, where it is one."""
        return self.of if isinstance(self.of, PoseTexture) else None

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        assert self.of.mesh is not None
        return self.of.mesh

    @property
    def clips(self) -> Mapping[str, Any]:
        """The clips by name."""
        return self.of.clips

    @property
    def heaviest_joints(self) -> Sequence[str]:
        """The joint of each vertex's heaviest influence; empty without a skin."""
        bake = self.bake
        return () if bake is None else heaviest_joints(self.mesh, bake.skin, bake.joints)

    def frame_count(self, clip: str) -> int:
        """Return the frames of a clip's vertices: the last is its end, for loops too."""
        if isinstance(self.of, VertexAnimation):
            return self.of.clips[clip].frame_count
        return checked_frame_count(self.of, clip, self.rate)

    def frame_rate(self, clip: str) -> float:
        """Return the frames per second of a clip's vertices; 0 for one frame."""
        duration = self.clips[clip].duration
        return (self.frame_count(clip) - 1) / duration if duration > 0 else 0.0

    def vertices(self, clip: str) -> VertexAnimation:
        """Return one clip as vertices: a clip at a time, since those of all may not fit into memory."""
        if isinstance(self.of, PoseTexture):
            return vertices_of(self.of, [clip], self.rate)
        return self.of.clip(clip)

    def all_vertices(self) -> VertexAnimation:
        """Return all clips as vertices."""
        if isinstance(self.of, PoseTexture):
            return vertices_of(self.of, list(self.of.clips), self.rate)
        return self.of
