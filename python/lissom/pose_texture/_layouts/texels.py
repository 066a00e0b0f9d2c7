# SPDX-License-Identifier: MIT
"""Row floats stored as texels of a type."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lissom import _core

__all__ = ["DTYPES", "TexelArray", "TexelForm", "Texels", "bytes_of", "ends_are_finite"]

FloatArray = npt.NDArray[np.float32]
IndexArray = npt.NDArray[np.int32]
TexelArray = npt.NDArray[np.float16] | npt.NDArray[np.float32] | npt.NDArray[np.uint8]

DTYPES = ("float32", "float16", "uint8")
"""Types that texels are stored in."""

HIGHEST_BYTE = 255


class TexelForm(NamedTuple):
    """Which texel of a row is a quaternion, since q and -q are one rotation.

    Attributes
    ----------
    texels : int
        Texels of a row.
    quat : int
        The texel that holds the quaternion, x y z w; -1 where none does.
    flipped : int
        Number of texels that change sign with it, from `quat` on.
    signed_rows : int
        Number of rows that have a quaternion: the first ones.
    """

    texels: int
    quat: int
    flipped: int
    signed_rows: int

    @property
    def signs(self) -> tuple[int, int, int]:
        """Arguments of the core."""
        return self.quat, self.flipped, self.signed_rows

    def mix(self, first: FloatArray, second: FloatArray, weights: FloatArray) -> FloatArray:
        """Mix row floats (N, R, 4 T) of two clips: the second signed to the first, then a lerp."""
        mixed = np.empty_like(first)
        _core.mix_rows(first, second, *self.signs, weights, mixed)
        return mixed


class Texels(NamedTuple):
    """Stored rows.

    Attributes
    ----------
    array : ndarray of float32, float16 or uint8, shape (F, R, T, 4)
    form : TexelForm
    ranges : ndarray of float32, shape (clips, R, T, 2, 4), or None
        For uint8: low and step of each number of a clip's rows; value = low + step * byte.
    """

    array: TexelArray
    form: TexelForm
    ranges: FloatArray | None = None

    @classmethod
    def of(cls, rows: FloatArray, form: TexelForm, dtype: npt.DTypeLike) -> Texels:
        """Store the frames of one clip, (F, R, 4 T), with signs of quaternions aligned from frame to frame.

        Raises
        ------
        ValueError
            If a number is not finite or does not fit `dtype`.
        """
        stored = np.dtype(dtype)
        frames, row_count, _ = rows.shape
        aligned: Any = np.empty(rows.shape, np.float16 if stored == np.float16 else np.float32)
        if stored == np.float16:
            _core.write_texels_f16(rows, *form.signs, aligned.view(np.uint16))
        else:
            _core.write_texels_f32(rows, *form.signs, aligned)
        return cls.of_aligned(aligned.reshape(frames, row_count, form.texels, 4), form, stored)

    @classmethod
    def of_aligned(cls, texels: Any, form: TexelForm, dtype: npt.DTypeLike) -> Texels:
        """Store texels (F, R, T, 4) whose signs are aligned: of float16 for that type, else of float32."""
        if np.dtype(dtype) != np.uint8:
            return cls(texels, form)
        ranges = _ranges(texels)
        return cls(bytes_of(texels, ranges), form, ranges[None])

    def plain_sample(self, clip: int, frame: int, after: int, fraction: float) -> FloatArray | None:
        """Read row floats (R, 4 T) between two frames; None where the core does not take them as they are."""
        _, quat, flipped, signed_rows = self.form
        found: FloatArray | None = _core.plain_sample_texels(
            self.array, self.ranges, quat, flipped, signed_rows, clip, frame, after, fraction
        )
        return found

    def sample(
        self, frames: IndexArray, nexts: IndexArray, fractions: FloatArray, clips: IndexArray | None = None
    ) -> FloatArray:
        """Read row floats (N, R, 4 T) between two frames each: the CPU twin of the shader.

        `clips` (N) are the clips whose ranges decode uint8; clip 0 when omitted.
        """
        stored_frames, row_count, _, _ = self.array.shape
        stored: Any = self.array.reshape(stored_frames, row_count, 4 * self.form.texels)
        rows = np.empty((len(frames), row_count, 4 * self.form.texels), np.float32)
        read = _core.sample_texels_f32
        if stored.dtype == np.float16:
            read, stored = _core.sample_texels_f16, stored.view(np.uint16)
        elif stored.dtype == np.uint8:
            read = _core.sample_texels_u8
            clips = np.zeros(len(frames), np.int32) if clips is None else clips
        ranged = self.ranges is not None
        read(
            stored,
            self.ranges,
            clips if ranged else None,
            *self.form.signs,
            frames,
            nexts,
            fractions,
            rows,
        )
        return rows


def bytes_of(values: FloatArray, ranges: FloatArray) -> npt.NDArray[np.uint8]:
    """Return the nearest bytes of values (..., R, T, 4) by ranges (R, T, 2, 4), clamped to them."""
    low, step = ranges[..., 0, :].astype(np.float64), ranges[..., 1, :].astype(np.float64)
    steps = (values - low) / np.where(step > 0, step, 1.0)
    return np.clip(np.rint(steps), 0, HIGHEST_BYTE).astype(np.uint8)


def ends_are_finite(ranges: FloatArray) -> bool:
    """Return whether low, step and the value of every byte are finite float32 numbers."""
    low, step = ranges[..., 0, :].astype(np.float64), ranges[..., 1, :].astype(np.float64)
    limit = float(np.finfo(np.float32).max)
    return bool(np.all(np.abs(low) <= limit) and np.all(np.abs(low) + HIGHEST_BYTE * np.abs(step) <= limit))


def _ranges(texels: FloatArray) -> FloatArray:
    """Return low and step (R, T, 2, 4) of ranges from the lowest to the highest number over the frames."""
    low = texels.min(axis=0)
    spans = texels.max(axis=0).astype(np.float64) - low
    ranges: FloatArray = np.stack([low, (spans / HIGHEST_BYTE).astype(np.float32)], axis=-2)
    if not ends_are_finite(ranges):
        raise ValueError(
            f"numbers must span less than the largest float32, got {spans.max():.6g}; "
            "bake with dtype='float32'"
        )
    return ranges
