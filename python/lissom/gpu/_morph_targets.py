# SPDX-License-Identifier: MIT
"""The morph targets of a mesh on the GPU, as ``morphs.glsl`` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.gpu._context import FOLD_WIDTH, GlContext, float_texture, folded_height, write_folded
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.morphs import Morphs

__all__ = ["GpuMorphs", "MorphTables", "morph_tables", "weight_lists"]

BLOCK = 96  # targets of a texel of masks
WORD = 32


class MorphTables(NamedTuple):
    """Morph targets sorted by vertex.

    Attributes
    ----------
    numbers : ndarray of uint32, shape (V,)
        0 for a vertex that no target moves, else one more than its number among those that are moved.
    masks : ndarray of uint32, shape (moved * blocks, 4)
    rows : ndarray of float32, shape (R * stride, 4)
        As ``morphs.glsl`` says.
    blocks, stride : int
    """

    numbers: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    rows: NDArray[np.float32]
    blocks: int
    stride: int


def morph_tables(morphs: Morphs, vertex_count: int, normal_scale: float = 1.0) -> MorphTables:
    """Sort the rows of morph targets by vertex.

    Parameters
    ----------
    morphs : Morphs
        With at least one row.
    vertex_count : int
        Of the mesh.
    normal_scale : float
        Length of the normals in the vertex buffer.
    """
    target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
    order = np.lexsort((target, morphs.vertices))
    target, vertices = target[order], morphs.vertices[order].astype(np.int64)
    moved, number = np.unique(vertices, return_inverse=True)
    numbers = np.zeros(vertex_count, np.uint32)
    numbers[moved] = np.arange(1, len(moved) + 1)
    blocks = -(-len(morphs) // BLOCK)
    masks = np.zeros((len(moved) * blocks, 4), np.uint32)
    texel = number * blocks + target // BLOCK
    masks[:, 0] = np.searchsorted(texel, np.arange(len(masks)))
    bit = target % BLOCK
    one = np.left_shift(np.uint32(1), (bit % WORD).astype(np.uint32))
    np.bitwise_or.at(masks, (texel, 1 + bit // WORD), one)
    stride = 1 if morphs.normals is None else 2
    rows = np.zeros((len(order), stride, 4), np.float32)
    rows[:, 0, :3] = morphs.positions[order]
    if morphs.normals is not None:
        rows[:, 1, :3] = morphs.normals[order] * np.float32(normal_scale)
    return MorphTables(numbers, masks, rows.reshape(-1, 4), blocks, stride)


class GpuMorphs:
    """Textures of what morph targets move: 16 bytes a moved vertex, 16 a row and 16 more with normals.

    Parameters
    ----------
    context : GlContext
        Owns the textures; must be current.
    tables : MorphTables
    """

    def __init__(self, context: GlContext, tables: MorphTables) -> None:
        self.stride = tables.stride
        self._blocks = tables.blocks
        self.textures = {
            "morph_masks": _folded(context.gl, tables.masks, "u4"),
            "morph_rows": _folded(context.gl, tables.rows, "f4"),
        }

    @property
    def uniforms(self) -> dict[str, int]:
        """What ``morphed_vertex.glsl`` is told about the textures."""
        return {"morph_blocks": self._blocks}

    def use(self) -> None:
        """Bind the textures to their units; the context must be current."""
        for name, texture in self.textures.items():
            texture.use(TEXTURE_UNITS[name])

    def release(self) -> None:
        """Free the textures; the context must be current."""
        for texture in self.textures.values():
            texture.release()


def _folded(gl: moderngl.Context, texels: NDArray[Any], dtype: str) -> moderngl.Texture:
    texture = float_texture(gl, (FOLD_WIDTH, folded_height(len(texels))), 4, dtype, "morph targets")
    write_folded(texture, texels)
    return texture


def weight_lists(weights: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return the active targets of weights ``(n, M)`` as lists of ``morphs.glsl``, ``(n, texels, 4)``."""
    count, targets = weights.shape
    blocks = -(-targets // BLOCK)
    is_active = np.zeros((count, blocks, BLOCK), np.bool_)
    is_active.reshape(count, -1)[:, :targets] = weights != 0
    active = is_active.sum(axis=2)
    own, target = np.nonzero(weights)
    before = np.cumsum(active.sum(axis=1)) - active.sum(axis=1)
    texels = blocks + -(-int(active.sum(axis=1).max(initial=0)) // 4)
    lists = np.zeros((count, texels, 4), np.uint32)
    lists[:, :blocks, 0] = np.cumsum(active, axis=1) - active
    lists[:, :blocks, 1:] = np.packbits(is_active, axis=2, bitorder="little").view("<u4")
    place = 4 * blocks + np.arange(len(own)) - before[own]
    lists.reshape(count, -1)[own, place] = weights[own, target].view(np.uint32)
    return lists
