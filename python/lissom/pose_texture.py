# SPDX-License-Identifier: MIT
"""Clips baked into a texture of skin transforms, and how a time becomes a place in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._layouts import SampledPalette, TexelArray, layout_named
from lissom._names import unknown_name
from lissom.bake_report import BakedClip, BakeReport, ClipError, ErrorStats

if TYPE_CHECKING:
    from lissom.mesh import Mesh

__all__ = ["BakeReport", "BakedClip", "ClipError", "ErrorStats", "PoseTexture", "SampledPalette", "load_bake"]

FOLDED_WIDTH = 2048
"""Width of the texture on the GPU: texel i of the sequence lies at (i & 2047, i >> 11)."""


class PoseTexture:
    """Skin transforms of several clips, frame after frame, as a GPU reads them. Made by `lissom.bake`.

    Attributes
    ----------
    texels : ndarray of float16 or float32, shape (frames, rows, texels_per_row, 4), read-only
        Time-major. Texels of a row in the layout ``"dual_quat"``: real part x, y, z, w; dual part x, y, z, w;
        then nothing, or one texel (offset x, y, z and factor) of a uniform scale, or three (the rows of a 3x4
        matrix). A row takes bind positions to model space: first the scale, then the rigid transform.
    clips : mapping of str to BakedClip
        In the order of the texture, one clip after another.
    joints : tuple of str
        Names of the rows: the joints whose skin transforms they hold.
    layout, method : str
        Layout of the texels; skinning method the report was made with. Storage is not the deformer: the rows
        can drive either method.
    size : float
        The character's size, model units.
    mesh : Mesh or None
        The merged mesh, where the bake carries it.
    report : BakeReport
        The error of every clip.
    source_hash : str
        SHA-256 of the character and clips it was baked from, in hexadecimal.
    """

    def __init__(
        self,
        texels: TexelArray,
        clips: Mapping[str, BakedClip],
        joints: Sequence[str],
        report: BakeReport,
        *,
        mesh: Mesh | None = None,
        source_hash: str = "",
    ) -> None:
        if not isinstance(texels, np.ndarray) or texels.dtype not in (np.float16, np.float32):
            got = texels.dtype if isinstance(texels, np.ndarray) else type(texels).__name__
            raise TypeError(f"PoseTexture: texels must be a float16 or float32 array, got {got}")
        if texels.ndim != 4 or texels.shape[3] != 4 or texels.shape[2] not in (2, 3, 5):
            raise ValueError(
                f"PoseTexture: texels must have shape (frames, rows, 2, 3 or 5, 4), got {texels.shape}"
            )
        if len(joints) != texels.shape[1]:
            raise ValueError(
                f"PoseTexture: joints must name each of the {texels.shape[1]} rows, got {len(joints)} names"
            )
        _check_clips(clips, len(texels))
        self._layout = layout_named("PoseTexture", report.layout)
        view: Any = np.ascontiguousarray(texels).view()
        view.flags.writeable = False
        self.texels: TexelArray = view
        self.clips: Mapping[str, BakedClip] = MappingProxyType(dict(clips))
        self.joints = tuple(joints)
        self.layout = report.layout
        self.method = report.method
        self.size = report.size
        self.mesh = mesh
        self.report = report
        self.source_hash = source_hash
        table = list(self.clips.values())
        self._firsts = np.array([clip.first_frame for clip in table], dtype=np.int64)
        self._lasts = self._firsts + np.array([clip.frame_count - 1 for clip in table], dtype=np.int64)
        self._starts = np.array([clip.start for clip in table], dtype=np.float64)
        self._durations = np.array([clip.duration for clip in table], dtype=np.float64)
        self._rates = np.array([clip.rate for clip in table], dtype=np.float64)
        self._loops = np.array([clip.loop for clip in table], dtype=bool)

    def __repr__(self) -> str:
        frames, rows, _, _ = self.texels.shape
        return (
            f"PoseTexture({len(self.clips)} clips, {frames} frames, {rows} rows, {self.layout} "
            f"{self.texels.dtype}, {self.texels.nbytes} bytes, error {self.report.max_relative:.2%} of size)"
        )

    @property
    def scale_texels(self) -> int:
        """Texels of a row that hold scale: 0, 1 (uniform) or 3."""
        return int(self.texels.shape[2]) - 2

    def frame_coordinate(
        self, clip: str | int | npt.ArrayLike, times: npt.ArrayLike, loop: bool | None = None
    ) -> npt.NDArray[np.float64]:
        """Turn times into places in the texture: the one rule of time, computed in double.

        Parameters
        ----------
        clip : str, int or array of int
            A clip's name, or its index in the order of `clips`; an array of indices is broadcast with
            `times`.
        times : array_like of float
            The source clip's seconds. A looping clip wraps them, half open: its end is its start. Others
            clamp.
        loop : bool, optional
            Wrap or clamp whatever the clip says.

        Returns
        -------
        ndarray of float64
            Frame index within `texels`, with a fraction. The integer part is the frame to read, its neighbour
            the other; on the last frame of a clip the frame before is read with the fraction 1.

        Raises
        ------
        ValueError
            If there is no such clip.
        """
        index = self._clip_index(clip)
        local = np.asarray(times, dtype=np.float64) - self._starts[index]
        duration = self._durations[index]
        wraps = (self._loops[index] if loop is None else np.asarray(loop)) & (duration > 0.0)
        safe = np.where(duration > 0.0, duration, 1.0)
        # A time wrapped from just below zero rounds up to the duration itself, which is zero again.
        wrapped = np.mod(local, safe)
        wrapped = np.where(wrapped >= safe, 0.0, wrapped)
        local = np.where(wraps, wrapped, np.clip(local, 0.0, duration))
        intervals = self._lasts[index] - self._firsts[index]
        result = self._firsts[index] + np.minimum(local * self._rates[index], intervals)
        return np.asarray(result, dtype=np.float64)

    def sample(
        self, clip: str | int | npt.ArrayLike, times: npt.ArrayLike, loop: bool | None = None
    ) -> SampledPalette:
        """Read palette rows at any times, in the arithmetic of the shader.

        Parameters
        ----------
        clip, times, loop
            As `frame_coordinate` takes them; leading axes of the result are those of `times`.

        Returns
        -------
        SampledPalette
            ``.dual_quats`` (..., S, 8) float32 not normalised, ``.scales`` (..., S, 3, 4) or None,
            ``.matrices`` (..., S, 4, 4). It goes where a palette goes.

        Raises
        ------
        ValueError
            If there is no such clip or a time is not finite.
        """
        return self.sample_frames(self.frame_coordinate(clip, times, loop))

    palette = sample

    def sample_frames(self, coordinates: npt.ArrayLike) -> SampledPalette:
        """Read palette rows at frame coordinates: what a shader does that is handed one of them.

        Two neighbouring frames are fetched, the second is signed to the first, and
        ``a * (1 - t) + b * t`` is computed in float32, ``t`` being the coordinate's fraction rounded to
        float32.

        Parameters
        ----------
        coordinates : array_like of float
            From `frame_coordinate`. Float32 ones are taken as they are, so that a shader's own can be
            followed.

        Raises
        ------
        ValueError
            If a coordinate is not finite or outside the texture.
        """
        wanted = np.asarray(coordinates)
        places = wanted.astype(np.float64).reshape(-1)
        inside = (places >= 0.0) & (places <= len(self.texels) - 1)
        if not inside.all():
            raise ValueError(
                f"PoseTexture.sample: frame coordinates must be finite and in [0, {len(self.texels) - 1}], "
                f"got {places[~inside][0]}"
            )
        whole = np.floor(places).astype(np.int64)
        clip = np.searchsorted(self._firsts, whole, side="right") - 1
        last = self._lasts[clip]
        frames = np.clip(whole, None, np.maximum(last - 1, self._firsts[clip]))
        nexts = np.minimum(frames + 1, last)
        fractions = np.minimum(places - frames, 1.0).astype(np.float32)
        rows = self._layout.sample(self.texels, frames.astype(np.int32), nexts.astype(np.int32), fractions)
        scales = rows.scales
        return SampledPalette(
            rows.dual_quats.reshape((*wanted.shape, *rows.dual_quats.shape[1:])),
            None if scales is None else scales.reshape((*wanted.shape, *scales.shape[1:])),
        )

    def folded(self, width: int = FOLDED_WIDTH) -> TexelArray:
        """Lay the texels out as the GPU has them: texel i at column i mod width, row i // width.

        Parameters
        ----------
        width : int
            A power of two.

        Returns
        -------
        ndarray of the dtype of `texels`, shape (height, width, 4)
            The end of the last row is zero.
        """
        if width < 1 or width & (width - 1):
            raise ValueError(f"PoseTexture.folded: width must be a power of two, got {width}")
        flat = self.texels.reshape(-1, 4)
        height = -(-len(flat) // width)
        result = np.zeros((height, width, 4), dtype=self.texels.dtype)
        result.reshape(-1, 4)[: len(flat)] = flat
        return result

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one safetensors file, atomically: a failed save leaves the old file.

        The same bake gives the same bytes. Any safetensors reader finds the arrays; the tables are JSON in
        ``__metadata__``.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        from lissom.files import pose_texture as file

        file.write(path, self)

    def _clip_index(self, clip: str | int | npt.ArrayLike) -> npt.NDArray[np.intp]:
        if isinstance(clip, str):
            if clip not in self.clips:
                raise ValueError(f"PoseTexture: {unknown_name('clip', clip, self.clips)}")
            return np.asarray(list(self.clips).index(clip))
        index = np.asarray(clip)
        if index.dtype.kind not in "iu":
            raise TypeError(
                f"PoseTexture: clip must be a name, an index or an array of indices, got {clip!r}"
            )
        if index.size and (index.min() < 0 or index.max() >= len(self.clips)):
            raise ValueError(
                f"PoseTexture: clip must be at least 0 and below {len(self.clips)}, "
                f"got {index.min() if index.min() < 0 else index.max()}"
            )
        return index.astype(np.intp)


def load_bake(path: str | os.PathLike[str], verify: bool = True) -> PoseTexture:
    """Open a bake that `PoseTexture.save` wrote. Its arrays are read-only views of the mapped file.

    Parameters
    ----------
    path : str or path
        The file.
    verify : bool
        Compare the checksum (SHA-256) with all bytes, and look for numbers that are not finite: about a
        second for 300 MB. Without it tables and mesh alone are looked at, in milliseconds, and texels are
        fetched from the disk when they are used. For files that have been checked before.

    Returns
    -------
    PoseTexture
        Equal to the one saved, arrays byte for byte.

    Raises
    ------
    ValueError
        If the file is not a bake, is damaged, or needs a newer lissom: one sentence that says which.
    OSError
        If it cannot be opened.

    Notes
    -----
    The file may be replaced, also by saving this very bake to it: the arrays keep the old one. Do not cut it
    off or write into it in place. Files below 64 KiB, and all on Windows, are read instead of mapped.
    """
    from lissom.files import pose_texture as file

    return file.read(path, verify)


def _check_clips(clips: Mapping[str, BakedClip], frame_count: int) -> None:
    """Check that the clips lie one after another and fill the texture."""
    if not clips:
        raise ValueError("PoseTexture: clips must hold at least one clip, got none")
    first = 0
    for name, clip in clips.items():
        if clip.first_frame != first or clip.frame_count < 1:
            raise ValueError(
                f"PoseTexture: clip {name!r} must start at frame {first} and have frames, "
                f"got first_frame {clip.first_frame} and frame_count {clip.frame_count}"
            )
        first += clip.frame_count
        numbers = (clip.rate, clip.start, clip.duration)
        rate = (clip.frame_count - 1) / clip.duration if clip.duration > 0 else 0.0
        if not np.isfinite(numbers).all() or clip.duration < 0:
            raise ValueError(
                f"PoseTexture: clip {name!r} must have finite numbers and a duration of at least 0, "
                f"got {numbers}"
            )
        if abs(clip.rate - rate) > 1e-9 * rate or (clip.frame_count > 1) != (clip.duration > 0):
            raise ValueError(
                f"PoseTexture: clip {name!r} must have the rate {rate} of its {clip.frame_count} frames "
                f"in {clip.duration} s, got {clip.rate}"
            )
    if first != frame_count:
        raise ValueError(f"PoseTexture: clips must fill all {frame_count} frames, got {first}")
