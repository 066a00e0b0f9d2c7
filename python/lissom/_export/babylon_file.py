# SPDX-License-Identifier: MIT
"""Files of Babylon's texture of baked animation, as `VertexAnimationBaker` and `texture_json` write them."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._export.babylon_texture import BakedTexture, Rounds
from lissom._export.texel_lines import MOST_NUMBER

__all__ = ["baked_matrices", "baked_texture", "texture_of_ours"]


def baked_texture(path: Path, what: str) -> BakedTexture:
    """Read a file of `texture_json`; `what` begins errors."""
    whole = json.loads(path.read_text(encoding="utf-8"))
    return texture_of_ours(baked_matrices(whole, path, what), whole["lissom"], path, what)


def baked_matrices(whole: Mapping[str, Any], path: Path, what: str) -> npt.NDArray[np.float32]:
    """Return the matrices of all bones, (frame, bone, 4, 4), without the identity at the end of rows.

    `what` begins errors.
    """
    width, height, text = whole.get("width"), whole.get("height"), whole.get("vertexData")
    try:
        data = base64.b64decode(text if isinstance(text, str) else "", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not isinstance(width, int) or not isinstance(height, int) or width < 8 or width % 4 or height < 1:
        raise ValueError(
            f"{what}: {path} must have four texels for each bone and for one more, got {width!r} x {height!r}"
        )
    sizes = {16 * width * height: "<f4", 8 * width * height: "<f2"}
    if len(data) not in sizes:
        raise ValueError(
            f"{what}: {path} must hold {width} x {height} texels of four floats or halves in base64, got "
            f"{len(data)} bytes"
        )
    numbers = np.frombuffer(data, sizes[len(data)]).astype(np.float32).reshape(height, width // 4, 4, 4)
    are_right = np.abs(numbers) < MOST_NUMBER
    if not are_right.all():
        row, bone = np.argwhere(~are_right)[0][:2]
        raise ValueError(f"{what}: {path} must hold finite numbers, got another at frame {row}, bone {bone}")
    return np.ascontiguousarray(np.swapaxes(numbers[:, :-1], -1, -2))


def texture_of_ours(
    matrices: npt.NDArray[np.float32], own: Mapping[str, Any], path: Path, what: str
) -> BakedTexture:
    """Return a texture with the clips that lissom says it has; ValueError where they are not in it."""
    clips, loops = {}, {}
    told = own.get("clips")
    for name, clip in (told if isinstance(told, dict) else {}).items():
        try:
            first, last, _, speed = clip["settings"]
            start, duration, loop = clip["start"], clip["duration"], clip["loop"]
            is_right = 0 <= first < last < len(matrices) and 0 < speed < math.inf and 0 <= duration < 1e9
            is_right = is_right and abs(start) < 1e9 and first == int(first) and last == int(last)
        except (TypeError, KeyError, ValueError, OverflowError):
            is_right = False
        if not is_right:
            raise ValueError(
                f"{what}: {path}: clip {name!r} must have settings within its {len(matrices)} frames, a start"
                f" and a duration, got {str(clip)[:200]}; export it again"
            )
        clips[name], loops[name] = Rounds(int(first), int(last), speed, start, duration), bool(loop)
    if not clips:
        raise ValueError(
            f"{what}: {path} must say its clips, as exports do, got {str(told)[:80]}; export it again"
        )
    return BakedTexture(matrices, clips, loops)
