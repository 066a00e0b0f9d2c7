# SPDX-License-Identifier: MIT
"""How palette rows become texels and come back: one object per layout, found by name in `LAYOUTS`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from lissom import _core, dual_quat

__all__ = ["LAYOUTS", "DualQuatLayout", "SampledPalette", "layout_named"]

FloatArray = npt.NDArray[np.float32]
TexelArray = npt.NDArray[np.float16] | npt.NDArray[np.float32]

UNIFORM_TOLERANCE = 2e-5
"""A scale counts as uniform where its matrix is within this of s times the identity, in units of max(1, |s|):
ten times the rounding of the float32 decomposition it comes from."""


class SampledPalette:
    """Palette rows read from a pose texture between its frames, as the shader reads them.

    Attributes
    ----------
    dual_quats : ndarray of float32, shape (..., S, 8)
        Real x, y, z, w, then dual. A lerp of two frames, not normalised: whoever blends the influences
        normalises once, at the end.
    scales : ndarray of float32, shape (..., S, 3, 4), or None
        The scale A that moves bind positions first; None where the texture holds none.
    """

    __slots__ = ("_matrices", "dual_quats", "scales")

    def __init__(self, dual_quats: FloatArray, scales: FloatArray | None = None) -> None:
        self.dual_quats = dual_quats
        self.scales = scales
        self._matrices: FloatArray | None = None

    @property
    def matrices(self) -> FloatArray:
        """The same transforms as matrices, shape (..., S, 4, 4): normalised here, scale included."""
        if self._matrices is None:
            self._matrices = _matrices(self.dual_quats, self.scales)
        return self._matrices

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[np.generic]:
        return np.array(self.dual_quats, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        scale = "no scale" if self.scales is None else "with scale"
        return f"SampledPalette(dual_quats {self.dual_quats.shape}, {scale})"


class Palette(Protocol):
    """What a layout needs of a palette: `lissom.Palette` has it, and so has `SampledPalette`."""

    @property
    def dual_quats(self) -> FloatArray:
        """Unit dual quaternions, shape (..., S, 8)."""

    @property
    def scales(self) -> FloatArray | None:
        """Scales, shape (..., S, 3, 4), or None."""


class DualQuatLayout:
    """Texels 0 and 1: real and dual part; then the scale: none, offset and factor, or rows of a 3x4."""

    name = "dual_quat"

    def scale_texels(self, palette: Palette) -> int:
        """Count the texels that the scale of this palette needs: 0, 1 where it is uniform, else 3."""
        if palette.scales is None:
            return 0
        linear = palette.scales[..., :3]
        factor = np.trace(linear, axis1=-2, axis2=-1) / 3.0
        away = np.abs(linear - factor[..., None, None] * np.eye(3, dtype=np.float32)).max(axis=(-2, -1))
        return 1 if bool(np.all(away <= UNIFORM_TOLERANCE * np.maximum(1.0, np.abs(factor)))) else 3

    def write(self, palette: Palette, scale_texels: int, dtype: npt.DTypeLike) -> TexelArray:
        """Write the frames of one clip, signs aligned along time: (F, S, 2 + scale_texels, 4).

        Raises
        ------
        ValueError
            If a number is not finite or does not fit `dtype`.
        """
        rows = np.ascontiguousarray(palette.dual_quats, dtype=np.float32)
        scales = None if palette.scales is None else np.ascontiguousarray(palette.scales, dtype=np.float32)
        texels: TexelArray = np.empty((*rows.shape[:2], 2 + scale_texels, 4), dtype=dtype)
        if texels.dtype == np.float16:
            _core.write_pose_texture_f16(rows, scales, scale_texels, texels.view(np.uint16))
        else:
            _core.write_pose_texture_f32(rows, scales, scale_texels, texels)
        return texels

    def sample(
        self,
        texels: TexelArray,
        frames: npt.NDArray[np.int32],
        nexts: npt.NDArray[np.int32],
        fractions: FloatArray,
    ) -> SampledPalette:
        """Read rows between two frames each: the CPU twin of the shader. Arguments are C-contiguous."""
        scale_texels = texels.shape[2] - 2
        count, rows = len(frames), texels.shape[1]
        dual_quats = np.empty((count, rows, 8), dtype=np.float32)
        scales = np.empty((count, rows, 3, 4), dtype=np.float32) if scale_texels else None
        if texels.dtype == np.float16:
            bits = texels.view(np.uint16)
            _core.sample_pose_texture_f16(bits, scale_texels, frames, nexts, fractions, dual_quats, scales)
        else:
            _core.sample_pose_texture_f32(texels, scale_texels, frames, nexts, fractions, dual_quats, scales)
        return SampledPalette(dual_quats, scales)


LAYOUTS = {layout.name: layout for layout in (DualQuatLayout(),)}


def layout_named(function: str, name: str) -> DualQuatLayout:
    """Find a layout; ValueError in the name of `function` lists what exists."""
    if not isinstance(name, str) or name not in LAYOUTS:
        exists = ", ".join(repr(known) for known in LAYOUTS)
        raise ValueError(f"{function}: layout must be one of {exists}, got {name!r}")
    return LAYOUTS[name]


def _matrices(dual_quats: FloatArray, scales: FloatArray | None) -> FloatArray:
    """Make matrices of dual quaternions that are about unit."""
    result = dual_quat.to_matrix(dual_quat.normalize(dual_quats))
    if scales is not None:
        offset = result[..., :3, 3].copy()
        linear = result[..., :3, :3]
        # Written out: how NumPy's own product rounds depends on the machine.
        result[..., :3, :] = (
            linear[..., :1] * scales[..., :1, :]
            + linear[..., 1:2] * scales[..., 1:2, :]
            + linear[..., 2:] * scales[..., 2:, :]
        )
        result[..., :3, 3] += offset
    return result
