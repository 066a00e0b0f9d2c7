# SPDX-License-Identifier: MIT
"""What else the texels of a bake of joints might mean: other orders of numbers, gamma, upside down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export.played import PlayedBake
from lissom._verify.found_clip import Reading
from lissom._verify.gamma import to_linear, to_srgb
from lissom.pose_texture import PoseTexture

__all__ = ["BRIGHTER", "DARKER", "UPSIDE_DOWN", "texel_readings"]

Texels = NDArray[Any]

UPSIDE_DOWN = (
    "its whole texture is upside down: frames run backwards, of several clips those of another are shown;"
    " flip v, or write rows from the other end"
)

GAMMA = "its numbers were made {}, as if they were colours; write and import them as numbers"
BRIGHTER = GAMMA.format("brighter, from linear light to sRGB")
DARKER = GAMMA.format("darker, from sRGB to linear light")


def texel_readings(
    texels: Texels, layout: str, name: str, bake_of: Callable[[Texels], PoseTexture]
) -> tuple[Reading, ...]:
    """Return other readings of texels (frames, rows, texels, 4) of all clips.

    `bake_of` makes a bake, which has the clip, of other texels.
    """

    def reading(fault: str, sentence: str, change: Callable[[Texels], Texels]) -> Reading:
        def at_frames(frames: NDArray[np.int64]) -> NDArray[np.float32]:
            other = change(texels)
            if texels.dtype.kind == "f":  # halves may not hold what numbers become
                most = np.finfo(texels.dtype).max
                other = np.clip(other, -most, most)
            bake = bake_of(np.ascontiguousarray(other, texels.dtype))
            played = PlayedBake(bake)
            clip = played.clips[name]
            return played.vertices(name, clip.start + frames / clip.rate)

        return Reading(fault, sentence, at_frames)

    found = [
        reading(
            "flipped_v",
            UPSIDE_DOWN,
            lambda numbers: numbers[::-1],
        )
    ]
    if texels.dtype.kind == "u":  # bytes of ranges of their own: their order is not that of numbers
        return tuple(found)
    found += [
        reading("gamma", BRIGHTER, to_linear),
        reading("gamma", DARKER, to_srgb),
    ]
    if layout == "dual_quat":
        for count, which in ((2, "both parts of its dual quaternions"), (1, "its rotations")):
            found.append(
                reading(
                    "quaternion_order",
                    f"{which} are w, x, y, z; write x, y, z, w",
                    lambda numbers, count=count: _scalar_last(numbers, count),  # type: ignore[misc]
                )
            )
    if layout == "matrix":
        found.append(
            reading(
                "transposed",
                "its 3x4 matrices are stored column by column; write the four numbers of each row in a texel",
                _rows_of_columns,
            )
        )
    return tuple(found)


def _scalar_last(texels: Texels, count: int) -> Texels:
    """Return texels of which the first ones were w, x, y, z."""
    changed = texels.copy()
    changed[..., :count, :] = np.roll(texels[..., :count, :], -1, axis=-1)
    return changed


def _rows_of_columns(texels: Texels) -> Texels:
    columns = texels.reshape(*texels.shape[:2], 4, 3)
    return np.swapaxes(columns, -1, -2).reshape(texels.shape)
