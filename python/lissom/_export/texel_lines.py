# SPDX-License-Identifier: MIT
"""Texels of a bake in lines of a texture, for shaders that find a texel by its number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export.vertex_clip import VertexClip
from lissom.pose_texture import PoseTexture
from lissom.pose_texture._sampling import rows_at

__all__ = [
    "DTYPES",
    "LINE",
    "MOST_NUMBER",
    "check_dtype",
    "float_texels",
    "frames_of_lines",
    "in_lines",
    "line_count",
    "texel_dtype",
]

LINE = 2048
"""Texels of a line of a texture."""

MOST_LINES = 16384
"""Lines of a texture that GPUs of desktops take."""

MOST_NUMBER = 1e8
"""Numbers that are read are below: squares of sums of their products still fit into floats."""

DTYPES = ("float16", "float32")
"""Numbers of texels that shaders read as they are."""


def check_dtype(dtype: str | None) -> None:
    """Refuse what is no number of texels; None stands for the bake's."""
    if dtype is not None and dtype not in DTYPES:
        raise ValueError(f"export: dtype must be one of {', '.join(DTYPES)}, got {dtype!r}")


def texel_dtype(bake: PoseTexture, dtype: str | None) -> str:
    """Return the numbers of a bake's texels: the bake's when None, of bytes float16."""
    return dtype or ("float32" if bake.texels.dtype == np.float32 else "float16")


def float_texels(bake: PoseTexture) -> NDArray[np.float32]:
    """Return the texels (F, R, T, 4) as numbers, whatever stores them."""
    rows = rows_at("export", bake, np.arange(len(bake.texels)), None, None, False)
    return np.asarray(rows, np.float32).reshape(bake.texels.shape)


def in_lines(form: str, texels: NDArray[np.floating], dtype: str) -> NDArray[Any]:
    """Return texels (F, R, T, 4) in lines, (lines, LINE, 4), the last filled with zeros.

    ValueError where the numbers do not hold them, or a texture does not.
    """
    with np.errstate(over="ignore"):
        stored = texels.astype(dtype)
    if not np.isfinite(stored).all():
        raise ValueError(
            f"export: dtype {dtype!r} must hold all texels, got one of {np.abs(texels).max():.6g}; use "
            "dtype='float32'"
        )
    count = stored.size // 4
    lines = line_count(count)
    if lines > MOST_LINES:
        raise ValueError(
            f"export: form {form!r} holds {MOST_LINES * LINE} texels, got {count}; bake fewer clips at a "
            "time, or at a lower rate"
        )
    padded = np.zeros((lines, LINE, 4), dtype)
    padded.reshape(-1, 4)[:count] = stored.reshape(-1, 4)
    return padded


def line_count(texels: int) -> int:
    """Return the lines that hold so many texels."""
    return -(-texels // LINE)


def frames_of_lines(
    what: str, stored: NDArray[Any], shape: tuple[int, int], layout: str, clips: Mapping[str, VertexClip]
) -> NDArray[Any]:
    """Return texels in lines as frames (frames, rows, texels, 4), of so many rows and texels.

    ValueError where a clip needs more than there are, or holds a number that is not finite, or no rotation.
    """
    rows, texels = shape
    count = stored.size // (4 * rows * texels)
    frames = stored.reshape(-1)[: count * rows * texels * 4].reshape(count, rows, texels, 4)
    for name, clip in clips.items():
        last = clip.first_frame + clip.frame_count
        if last > count:
            raise ValueError(
                f"{what} must hold the {last} frames of {rows} rows that clip {name!r} reaches, got {count};"
                " is it of another bake?"
            )
        own = frames[clip.first_frame : last]
        checks = {"finite numbers": (np.abs(own, dtype=np.float32) < MOST_NUMBER).all(axis=(2, 3))}
        if layout == "dual_quat":
            checks["quaternions that are not zero"] = (own[:, :, 0] != 0).any(axis=2)
        for words, are_right in checks.items():
            if not are_right.all():
                frame, row = np.argwhere(~are_right)[0]
                raise ValueError(
                    f"{what} must hold {words}, got another in clip {name!r} at frame {frame}, row {row}"
                )
    return frames
