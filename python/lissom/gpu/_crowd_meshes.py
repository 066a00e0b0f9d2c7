# SPDX-License-Identifier: MIT
"""The meshes of a crowd on the GPU: the whole one and its levels of detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._lod.default_levels import default_levels
from lissom.gpu._crowd_levels import is_morphed
from lissom.gpu._vertices import GpuMesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lissom._crowd.bounds import Visible
    from lissom._rig.mesh import Mesh
    from lissom.gpu._context import GlContext

__all__ = ["CrowdMeshes"]

HALF_PIXEL = 0.5  # how far a default level may be from the whole mesh on the picture
# Length on the picture above which no default level is drawn, however near to the mesh: its shading shows.
MOST_PIXELS = 300.0


class CrowdMeshes:
    """A mesh and its levels of detail, the finest first.

    Parameters
    ----------
    context : GlContext
        Which holds the buffers.
    whole : Mesh
        What near instances are drawn with.
    levels : sequence of (Mesh, float), or None
        Meshes and the heights in pixels below which they are drawn, the largest height first. None for the
        default ones, which are made when an instance is drawn that is low enough.
    max_count : int
        Influences per vertex to keep.

    Attributes
    ----------
    limits : list of float
        The heights of the levels.
    are_default : bool
        Whether the levels are the default ones.
    row_count : int
        Palette rows up to the last that a vertex names. Sockets come after them.
    """

    def __init__(
        self,
        context: GlContext,
        whole: Mesh,
        levels: Sequence[tuple[Mesh, float]] | None,
        max_count: int,
    ) -> None:
        self._context = context
        self._whole = whole
        self._max_count = max_count
        self._length = float(np.ptp(whole.positions, axis=0).max()) if whole.vertex_count else 0.0
        self.are_default = self._waits = levels is None
        self._meshes: list[GpuMesh] = []
        self.limits: list[float] = []
        self._add(whole)
        for mesh, pixels in levels or ():
            self._add(mesh)
            self.limits.append(pixels)
        self.row_count = 1 + max(int(mesh.influences.rows.max(initial=0)) for mesh in self._meshes)

    def __len__(self) -> int:
        return len(self._meshes)

    def __getitem__(self, level: int) -> GpuMesh:
        return self._meshes[level]

    def heights(self, visible: Visible, scales: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what `limits` are compared with for instances, pixels, ``(n,)``.

        The heights of their boxes; for default levels the longest side of the rest pose, as long as it can be
        on the picture there, since who lies, or is seen from above, shows as many details.
        """
        if not self.are_default:
            return visible.pixels
        length = np.float32(self._length)
        return visible.pixels_per_unit * scales * length if length else visible.pixels

    def fit(self, heights: NDArray[np.float32]) -> None:
        """Make the default levels, if one of these heights is low enough for them; the context is current."""
        if not self._waits or not (heights < MOST_PIXELS).any():
            return
        self._waits = False
        for level in default_levels(self._whole):
            self._add(level.mesh)
            self.limits.append(min(MOST_PIXELS, HALF_PIXEL * self._length / level.distance))

    def _add(self, mesh: Mesh) -> None:
        finest = self._meshes[0] if self._meshes else None
        self._meshes.append(
            GpuMesh(
                self._context,
                mesh,
                packed=True,
                max_count=self._max_count,
                morphed=is_morphed(mesh, len(self._meshes), self._whole, "Crowd"),
                finer=finest,
            )
        )

    def shadow_of(self, level: int) -> GpuMesh:
        """Return what casts the shadow of a level: the next coarser one."""
        return self._meshes[min(level + 1, len(self._meshes) - 1)]

    def release(self) -> None:
        """Free the buffers; the context must be current."""
        for mesh in self._meshes:
            mesh.release()
