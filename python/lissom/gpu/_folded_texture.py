# SPDX-License-Identifier: MIT
"""Folded textures that grow with what is written to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.gpu._context import FOLD_WIDTH, GlContext, float_texture, folded_height, write_folded
from lissom.gpu._texture_units import TEXTURE_UNITS

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

__all__ = ["FoldedTexture"]


class FoldedTexture:
    """A folded texture of four numbers a texel, for one sampler.

    It only grows, to powers of two lines: what changes from picture to picture, but not in size, allocates
    nothing.

    Parameters
    ----------
    context : GlContext
        Owns the texture.
    sampler : str
        Whose unit it is bound to.
    what : str
        What it holds: the start of errors.
    dtype : {"f4", "u4"}
        Single precision, or unsigned integers.

    Attributes
    ----------
    texture : moderngl.Texture or None
        None before there is anything to hold.
    """

    def __init__(self, context: GlContext, sampler: str, what: str, dtype: str = "f4") -> None:
        self._context = context
        self._unit = TEXTURE_UNITS[sampler]
        self._what = what
        self._dtype = dtype
        self.texture: moderngl.Texture | None = None

    def reserve(self, texel_count: int) -> moderngl.Texture:
        """Make it large enough, and return it: another texture where it grew; the context must be current."""
        height = folded_height(texel_count)
        if self.texture is None or self.texture.height < height:
            self.release()
            gl = self._context.gl
            # Beyond the driver's limit, errors shall say what is needed.
            capacity = min(1 << (height - 1).bit_length(), max(height, int(gl.info["GL_MAX_TEXTURE_SIZE"])))
            self.texture = float_texture(gl, (FOLD_WIDTH, capacity), 4, self._dtype, self._what)
        return self.texture

    def write(self, texels: NDArray[Any]) -> None:
        """Upload texels, ``(n, 4)``, in the texture's dtype; the context must be current."""
        write_folded(self.reserve(len(texels)), texels)

    def use(self) -> None:
        """Bind the texture, if there is one, to its unit; the context must be current."""
        if self.texture is not None:
            self.texture.use(self._unit)

    def release(self) -> None:
        """Free the texture; the context must be current."""
        if self.texture is not None:
            self.texture.release()
            self.texture = None
