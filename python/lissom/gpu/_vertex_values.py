# SPDX-License-Identifier: MIT
"""Values per vertex outside the mesh's buffer: heat, centres of rotation, blend weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import ArrayLike, NDArray

    from lissom.gpu._context import GlContext

__all__ = ["VertexValues", "checked_centers", "checked_heat"]

_WIDTHS = {"heat": 1, "center": 3, "blend": 1}  # attributes of influences.glsl and skinned_model.vert


class VertexValues:
    """Optional vertex attributes, each in its own buffer, which is made when first written.

    Parameters
    ----------
    context : GlContext
        Owns the buffers.
    vertex_count : int
        Length of each attribute.
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
        """Return the written attributes as `GpuMesh.vertex_array` takes them."""
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
        If they are not real numbers.
    ValueError
        If the shape is not ``(V, 3)``, or one is not finite.
    """
    values = as_numbers(centers, "SkinnedModel: centers").astype(np.float64)
    if values.shape != (vertex_count, 3):
        raise ValueError(f"SkinnedModel: centers must have shape ({vertex_count}, 3), got {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise ValueError(f"SkinnedModel: centers must be finite, got {values[bad[0]]} at vertex {bad[0]}")
    return values.astype(np.float32)


def checked_heat(
    values: ArrayLike, maximum: float | None, vertex_count: int, what: str, what_maximum: str
) -> NDArray[np.float64]:
    """Return values over their maximum, the largest where `maximum` is None.

    Raises
    ------
    TypeError
        If they are not real numbers.
    ValueError
        If the shape is not ``(V,)``, or one is negative or not finite.
    """
    heat = as_numbers(values, what).astype(np.float64)
    if heat.shape != (vertex_count,):
        raise ValueError(f"{what} must have shape ({vertex_count},), got {heat.shape}")
    bad = np.flatnonzero(~(np.isfinite(heat) & (heat >= 0)))
    if len(bad):
        raise ValueError(f"{what} must be finite and at least 0, got {heat[bad[0]]} at vertex {bad[0]}")
    top = float(heat.max(initial=0)) if maximum is None else check_number(maximum, what_maximum, least=0)
    top = top or 1.0
    return np.asarray(np.minimum(heat, top) / top)  # beyond the maximum the colour is the last one
