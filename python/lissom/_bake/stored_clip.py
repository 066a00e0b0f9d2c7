# SPDX-License-Identifier: MIT
"""One clip as texels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom.clip._frames import frames_around
from lissom.errors import BakeError
from lissom.pose_texture._layouts import Texels

if TYPE_CHECKING:
    from lissom._bake.clip_request import ClipRequest
    from lissom._bake.encoding import Encoding
    from lissom._bake.frame_sampler import FrameSampler
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts import SampledPalette

__all__ = ["StoredClip", "store"]

HALF_MAX = 65504.0
"""Largest number that float16 holds."""


@dataclass(frozen=True)
class StoredClip:
    """The frames of a clip at one rate, in one encoding."""

    request: ClipRequest
    encoding: Encoding
    texels: Texels

    @property
    def frame_count(self) -> int:
        """Number of frames, at least 1."""
        return len(self.texels.array)

    @property
    def interval_count(self) -> int:
        """Number of intervals between frames."""
        return self.frame_count - 1

    @property
    def rate(self) -> float:
        """Frames per second; 0 for a clip of one frame."""
        return self.interval_count / self.request.clip.duration if self.interval_count else 0.0

    def palette(self, coordinates: npt.NDArray[np.float64], skin: Skin) -> SampledPalette:
        """Read the palette at frame coordinates (N), as a shader does."""
        rows = self.texels.sample(*frames_around(coordinates, 0, self.interval_count))
        return self.encoding.layout.palette(rows, skin, self.encoding.plan.rig)


def store(
    request: ClipRequest, rate: float, encoding: Encoding, sampler: FrameSampler
) -> StoredClip | Encoding:
    """Bake a clip at a rate, without measuring it; or return the wider encoding that its frames need."""
    source = sampler.at_rate(request.clip, rate)
    needed = encoding.for_frames(source)
    if needed is not encoding:
        return needed
    rows = encoding.layout.rows(source, encoding.plan)
    largest = float(np.abs(rows).max(initial=0.0)) if encoding.dtype == np.float16 else 0.0
    if largest > HALF_MAX:
        why = f"{request.clip.name!r} holds the number {largest:.6g}, and float16 ends at {HALF_MAX:g}"
        if request.max_error is None:
            raise BakeError(f'bake: clip {why}; bake with dtype="float32"')
        return encoding.in_wider_dtype(f"{why}.")
    form = encoding.layout.form(encoding.plan.texels, rows.shape[1])
    return StoredClip(request, encoding, Texels.of(rows, form, encoding.dtype))
