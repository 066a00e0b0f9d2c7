# SPDX-License-Identifier: MIT
"""Palette rows read from a pose texture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lissom import dual_quat

__all__ = ["SampledPalette", "dual_quats_of"]

FloatArray = npt.NDArray[np.float32]


class SampledPalette:
    """Palette rows read from a pose texture between its frames, as the shader reads them.

    Attributes
    ----------
    dual_quats : ndarray of float32, shape (..., S, 8)
        Real x, y, z, w, then dual. A lerp of two frames, not normalised: skinning normalises once, after
        blending the influences. ValueError where the layout drives linear skinning only.
    scales : ndarray of float32, shape (..., S, 3, 4), or None
        The scale A that is applied to bind positions first; None where the texture holds none.
    matrices : ndarray of float32, shape (..., S, 4, 4)
        The same transforms as matrices: normalised, scale included.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = lissom.bake(bar, "bend", rate=30).sample("bend", 0.5)
    >>> palette.dual_quats.shape, lissom.deform(bar.mesh, palette).shape == bar.mesh.positions.shape
    ((2, 8), True)
    """

    __slots__ = ("_dual_quats", "_make_dual_quats", "_matrices", "_why_linear", "scales")

    def __init__(
        self,
        dual_quats: FloatArray | Callable[[], FloatArray] | None = None,
        scales: FloatArray | None = None,
        *,
        matrices: FloatArray | None = None,
        why_linear: str = "",
    ) -> None:
        self.scales = scales
        self._dual_quats = None if callable(dual_quats) else dual_quats
        self._make_dual_quats = dual_quats if callable(dual_quats) else None
        self._matrices = matrices
        self._why_linear = why_linear

    @property
    def dual_quats(self) -> FloatArray:
        """Dual quaternions, shape (..., S, 8), not normalised. ValueError where there are none."""
        if self._dual_quats is None and self._make_dual_quats is not None:
            self._dual_quats = self._make_dual_quats()
        if self._dual_quats is None:
            raise ValueError(
                f"SampledPalette.dual_quats: {self._why_linear}, which drives linear skinning alone; "
                "bake with layout='dual_quat'"
            )
        return self._dual_quats

    @property
    def matrices(self) -> FloatArray:
        """The same transforms as matrices, shape (..., S, 4, 4): normalised here, scale included."""
        if self._matrices is None:
            self._matrices = _matrices(self.dual_quats, self.scales)
        return self._matrices

    @property
    def _rows(self) -> FloatArray:
        """Matrices where they are computed or nothing else is, or else dual quaternions."""
        return self.matrices if self._matrices is not None else self.dual_quats

    def __len__(self) -> int:
        rows = self._rows
        return int(rows.shape[-3 if rows is self._matrices else -2])

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[np.generic]:
        linear = self._dual_quats is None and self._make_dual_quats is None
        return np.array(self.matrices if linear else self.dual_quats, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        rows = self._rows
        form = "matrices" if rows is self._matrices else "dual_quats"
        scale = "" if self.scales is None else ", with scale"
        return f"SampledPalette({form} {rows.shape}{scale})"


def dual_quats_of(real: FloatArray, translation: FloatArray) -> FloatArray:
    """Return dual quaternions (..., 8) of rotations (..., 4), of any length, and translations (..., 3).

    dual = 0.5 t real; both parts have the length of the rotation, which leaves the translation unchanged.
    """
    x, y, z, w = (real[..., k] for k in range(4))
    a, b, c = (np.float32(0.5) * translation[..., k] for k in range(3))
    dual = (a * w + b * z - c * y, b * w + c * x - a * z, c * w + a * y - b * x, -(a * x + b * y + c * z))
    return np.concatenate([real, np.stack(dual, axis=-1)], axis=-1)


def _matrices(dual_quats: FloatArray, scales: FloatArray | None) -> FloatArray:
    """Return matrices of dual quaternions of about unit length."""
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
