# SPDX-License-Identifier: MIT
"""Palettes that change from picture to picture on the GPU, a frame of a pose texture for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.gpu._pose_pages import PosePages, longest_side
from lissom.gpu._pose_upload import LAYOUT_NUMBERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skin import Palette
    from lissom.gpu._context import GlContext

__all__ = ["LivePoses"]


class LivePoses:
    """Palettes of many poses, as ``pose_texture.glsl`` reads them: frame i is the palette of pose i.

    Of float32 numbers; nothing is rounded. The texture only grows, to powers of two: poses of constant number
    allocate nothing. The context must be current in every call.

    Parameters
    ----------
    context : GlContext
        Owns the texture.
    """

    def __init__(self, context: GlContext) -> None:
        self._context = context
        self._pages: PosePages | None = None
        self._capacity = 0
        self._shape = (0, 0, 0)  # poses, rows, texels of a row
        self._layout = "dual_quat"
        self._texels: NDArray[np.float32] | None = None

    def write(self, palette: Palette, method: str) -> None:
        """Upload the palettes of poses, one leading axis, for a skinning method."""
        self._write(_texels(palette, method), "matrix" if method == "linear" else "dual_quat")

    def write_some(self, palette: Palette, method: str, rows: NDArray[np.intp]) -> bool:
        """Upload anew, with the palettes of these poses, those of the last `write`; else return False.

        They do not fit where poses of one are scaled and of the other are not, or the method is another.
        """
        texels = _texels(palette, method)
        layout = "matrix" if method == "linear" else "dual_quat"
        if self._texels is None or layout != self._layout or texels.shape[1:] != self._texels.shape[1:]:
            return False
        if not self._texels.flags.writeable:  # the palette's own
            self._texels = self._texels.copy()
        self._texels[rows] = texels
        self._write(self._texels, layout)
        return True

    def _write(self, texels: NDArray[np.float32], layout: str) -> None:
        self._texels, self._layout = texels, layout
        self._shape = texels.shape[:3]
        flat = np.ascontiguousarray(texels).reshape(-1, 4)
        if self._pages is None or self._capacity < len(flat):
            self.release()
            gl = self._context.gl
            self._capacity = 1 << max(1, len(flat) - 1).bit_length()
            self._pages = PosePages(gl, self._capacity, "float32", longest_side(gl), "draw fewer characters")
        self._pages.write(flat)

    @property
    def defines(self) -> dict[str, int]:
        """The constants that ``pose_texture.glsl`` is compiled with."""
        constants = {"POSE_LAYOUT": LAYOUT_NUMBERS[self._layout], "POSE_TEXELS": self._shape[2]}
        return constants | {"WITHOUT_FADES": 1, "WITHOUT_INTERPOLATION": 1}

    @property
    def uniforms(self) -> dict[str, int]:
        """The members of the struct ``PoseTexture`` in ``pose_texture.glsl``."""
        line_bits = 0 if self._pages is None else self._pages.line_bits
        return {"pose_row_count": self._shape[1], "frame_count": self._shape[0], "line_bits": line_bits}

    @property
    def texels_per_row(self) -> int:
        """Texels of a palette row."""
        return self._shape[2]

    def use(self, unit: int, ranges: int | None = None, rig: int | None = None) -> None:
        """Bind the texture to a texture unit, a ``sampler2DArray``; there are no ranges and no rig."""
        if self._pages is not None:
            self._pages.texture.use(unit)

    def release(self) -> None:
        """Free the texture."""
        if self._pages is not None:
            self._pages.release()
            self._pages = None


def _texels(palette: Palette, method: str) -> NDArray[np.float32]:
    """Return palettes (n, S) as texels (n, S, texels of a row, 4)."""
    count, rows = palette.batch_shape[0], len(palette.skin)
    if method == "linear":
        return np.ascontiguousarray(palette.matrices[..., :3, :], np.float32)
    texels: NDArray[np.float32] = palette.dual_quats.astype(np.float32, copy=False).reshape(count, rows, 2, 4)
    if palette.scales is not None:
        return np.concatenate([texels, palette.scales.astype(np.float32, copy=False)], axis=2)
    return texels
