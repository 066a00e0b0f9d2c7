# SPDX-License-Identifier: MIT
"""Texels of poses in an array texture, as ``texel.glsl`` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom._base.extras import require
from lissom._pages.layout import LONGEST_SIDE
from lissom.errors import GpuError
from lissom.gpu._context import FOLD_WIDTH, check_texture_size, folded_height

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

__all__ = ["PosePages", "longest_side"]

_DTYPES = {"float32": "f4", "float16": "f2", "uint8": "f1"}  # moderngl's names; f1 is read as byte / 255


class PosePages:
    """An array texture of pages of `side` lines of 2048 texels; most poses fit into one page.

    Texel i is at ``(i & 2047, (i >> 11) & (side - 1), i / (2048 * side))``. The context must be current in
    every call.

    Parameters
    ----------
    gl : moderngl.Context
        Owns the texture.
    texel_count : int
        For so many there is room.
    dtype : {"float32", "float16", "uint8"}
        Of the texels.
    side : int
        Lines of a page, a power of two.
    advice : str
        What errors tell to do where there are too many texels.

    Attributes
    ----------
    page_count : int
        Layers of the texture.
    line_bits : int
        Base 2 logarithm of the lines of a page.
    texture : moderngl.TextureArray

    Raises
    ------
    GpuError
        If a side or the number of pages is beyond the driver's limit.
    """

    def __init__(self, gl: moderngl.Context, texel_count: int, dtype: str, side: int, advice: str) -> None:
        lines = folded_height(texel_count)
        self.line_bits = side.bit_length() - 1
        self.page_count = -(-lines // side)
        self.texture = _texture(gl, min(lines, side), self.page_count, _DTYPES[dtype], advice)

    def write(self, texels: NDArray[Any], first: int = 0) -> None:
        """Write texels, ``(n, 4)`` in the texture's dtype and C-contiguous, from number `first` on."""
        for start, x, y, page, width, height in _rectangles(first, len(texels), 1 << self.line_bits):
            part = texels[start : start + width * height]
            self.texture.write(part, viewport=(x, y, page, width, height, 1))

    def release(self) -> None:
        """Free the texture."""
        self.texture.release()


def longest_side(gl: moderngl.Context) -> int:
    """Return the most lines that a page can have: a power of two."""
    limit = min(int(gl.info["GL_MAX_TEXTURE_SIZE"]), LONGEST_SIDE)
    return 1 << (limit.bit_length() - 1)


def _texture(gl: moderngl.Context, height: int, count: int, dtype: str, advice: str) -> moderngl.TextureArray:
    """Return an empty array texture for texelFetch: without filtering and repeating."""
    moderngl = require("moderngl", "gl", "drawing")
    check_texture_size(gl, FOLD_WIDTH, height, "the pose texture")
    limit = gl.info["GL_MAX_ARRAY_TEXTURE_LAYERS"]
    if count > limit:
        raise GpuError(
            f"the pose texture needs {count} pages of {FOLD_WIDTH} x {height} texels, but this driver's "
            f"limit is {limit}; {advice}"
        )
    texture = gl.texture_array((FOLD_WIDTH, height, count), 4, dtype=dtype)
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    texture.repeat_x = texture.repeat_y = False
    return texture


def _rectangles(first: int, count: int, side: int) -> list[tuple[int, int, int, int, int, int]]:
    """Cut `count` texels from `first` on into rectangles: offset, x, y, page, width, height."""
    parts = []
    start = 0
    while start < count:
        i = first + start
        x, line = i % FOLD_WIDTH, i // FOLD_WIDTH
        whole = (count - start) // FOLD_WIDTH if x == 0 else 0
        height = min(whole, side - line % side) or 1
        width = FOLD_WIDTH if whole else min(FOLD_WIDTH - x, count - start)
        parts.append((start, x, line % side, line // side, width, height))
        start += width * height
    return parts
