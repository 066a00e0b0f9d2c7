# SPDX-License-Identifier: MIT
"""Skinned vertices, read back from the GPU by transform feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

__all__ = ["OUTPUTS", "GpuDeformed", "read_back"]

OUTPUTS = ("deformed_position", "deformed_normal")
"""What programs for `read_back` capture."""


class GpuDeformed(NamedTuple):
    """Skinned vertices read back from the GPU.

    Attributes
    ----------
    positions, normals : ndarray of float32, shape (V, 3)
        Model space.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> with lissom.gpu.SkinnedModel(hero) as model:
    ...     positions, normals = model.deformed()
    >>> bool(np.allclose(positions, hero.deform(hero.skeleton.rest), atol=1e-5))
    True
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


def read_back(gl: moderngl.Context, vertex_array: moderngl.VertexArray, count: int) -> GpuDeformed:
    """Run a program that captures `OUTPUTS` for `count` vertices; the context must be current."""
    target = gl.buffer(reserve=max(24, 24 * count))
    vertex_array.transform(target, mode=gl.POINTS, vertices=count)
    values = np.frombuffer(target.read(), np.float32)[: 6 * count].reshape(count, 2, 3)
    target.release()
    return GpuDeformed(values[:, 0].copy(), values[:, 1].copy())
