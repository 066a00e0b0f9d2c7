# SPDX-License-Identifier: MIT
"""One clip as texels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom.clip._frames import frames_around
from lissom.errors import BakeError
from lissom.pose_texture._layouts import Texels
from lissom.pose_texture._morph_weights import between

if TYPE_CHECKING:
    from lissom._bake.clip_request import ClipRequest
    from lissom._bake.encoding import Encoding
    from lissom._bake.frame_sampler import FrameSampler
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts import SampledPalette, Source
    from lissom.pose_texture._morph_weights import WeightArray

__all__ = ["StoredClip", "store"]

HALF_MAX = 65504.0
"""Largest number that float16 holds."""


@dataclass(frozen=True)
class StoredClip:
    """The frames of a clip at one rate, in one encoding.

    `weights` are those of the morph targets, (F, M); None where there are none.
    """

    request: ClipRequest
    encoding: Encoding
    texels: Texels
    weights: WeightArray | None = None

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

    def morphs(self, coordinates: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """Read the weights of the morph targets, (N, M), at frame coordinates (N), as a shader does."""
        assert self.weights is not None
        return between(self.weights, *frames_around(coordinates, 0, self.interval_count))


def store(
    request: ClipRequest, rate: float, encoding: Encoding, sampler: FrameSampler
) -> StoredClip | Encoding:
    """Bake a clip at a rate, without measuring it; or return the wider encoding that its frames need."""
    source = sampler.at_rate(request.clip, rate)
    texels = _texels(request, encoding, source)
    if not isinstance(texels, Texels):
        return texels
    weights = None
    if sampler.morphs:
        weights = sampler.weights_at_times(request.clip, source.times)
    if weights is not None and encoding.dtype != np.float32:
        largest = float(np.abs(weights).max(initial=0.0))
        if largest > HALF_MAX:
            return _in_wider_dtype(request, encoding, f"has a morph target of weight {largest:.6g}")
    return StoredClip(request, encoding, texels, _stored_weights(weights, encoding.dtype))


def _texels(request: ClipRequest, encoding: Encoding, source: Source) -> Texels | Encoding:
    """Return the frames as texels, or the wider encoding that they need."""
    texels = encoding.layout.texels(source, encoding.plan, encoding.dtype)
    if texels is not None:
        return texels
    needed = encoding.for_frames(source)
    if needed is not encoding:
        return needed
    rows = encoding.layout.rows(source, encoding.plan)
    if encoding.dtype == np.float16:
        largest = float(np.abs(rows).max(initial=0.0))
        if largest > HALF_MAX:
            return _in_wider_dtype(request, encoding, f"holds the number {largest:.6g}")
    return Texels.of(rows, encoding.layout.form(encoding.plan.texels, rows.shape[1]), encoding.dtype)


def _in_wider_dtype(request: ClipRequest, encoding: Encoding, what: str) -> Encoding:
    """Return the encoding that holds what float16 does not; BakeError where the user named the type."""
    why = f"{request.clip.name!r} {what}, and float16 ends at {HALF_MAX:g}"
    if request.max_error is None:
        raise BakeError(f'bake: clip {why}; bake with dtype="float32"')
    return encoding.in_wider_dtype(f"{why}.")


def _stored_weights(weights: npt.NDArray[np.float32] | None, dtype: np.dtype[Any]) -> WeightArray | None:
    """Return weights in the type of the texels; float16 beside bytes, whose ranges belong to rows."""
    if weights is None or dtype == np.float32:
        return weights
    return weights.astype(np.float16)
