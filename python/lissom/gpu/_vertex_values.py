# SPDX-License-Identifier: MIT
"""Numbers per vertex beside the mesh's own buffer: heat, centres of rotation, blends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import ArrayLike, NDArray

    from lissom.gpu._context import GlContext

__all__ = ["VertexValues", "checked_centers"]

_WIDTHS = {"heat": 1, "center": 3, "blend": 1}  # attributes of influences.glsl and skinned_model.vert


class VertexValues:
    """Optional attributes, each in a buffer of its own that is made when first written.

    Parameters
    ----------
    context : GlContext
        Owns the buffers.
    vertex_count : int
        Rows of each attribute.
    """

    def __init__(self, context: GlContext, vertex_count: int) -> None:
        self._context = context
        self._vertex_count = vertex_count
        self._buffers: dict[str, moderngl.Buffer] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._buffers

    def write(self, name: str, values: NDArray[Any]) -> None:
        """Set ``"heat"`` or ``"blend"`` ``(V,)``, or ``"center"`` ``(V, 3)``; the context must be current."""
        if name not in self._buffers:
            size = 4 * _WIDTHS[name] * self._vertex_count
            self._buffers[name] = self._context.gl.buffer(reserve=max(4, size))
        self._buffers[name].write(np.ascontiguousarray(values, np.float32).tobytes())

    def entries(self) -> list[tuple[moderngl.Buffer, str, tuple[str, ...]]]:
        """Return what there is, as `GpuMesh.vertex_array` takes it."""
        return [(buffer, f"{_WIDTHS[name]}f4", (name,)) for name, buffer in self._buffers.items()]

    def release(self) -> None:
        """Free the buffers; the context must be current."""
        for buffer in self._buffers.values():
            buffer.release()
        self._buffers.clear()


def checked_centers(centers: ArrayLike, vertex_count: int) -> NDArray[np.float32]:
    """Return centres of rotation in bind space.

    Raises
    ------
    TypeError
        If they are no real numbers.
    ValueError
        On another shape than ``(V, 3)``, or one that is not finite.
    """
    values = as_numbers(centers, "SkinnedModel: centers").astype(np.float64)
    if values.shape != (vertex_count, 3):
        raise ValueError(f"SkinnedModel: centers: expected shape ({vertex_count}, 3), got {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise ValueError(f"SkinnedModel: centers: not finite at vertex {bad[0]}")
    return values.astype(np.float32)
