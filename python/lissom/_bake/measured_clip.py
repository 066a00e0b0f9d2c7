# SPDX-License-Identifier: MIT
"""One clip as texels, and their error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lissom.errors import BakeError

if TYPE_CHECKING:
    from lissom._bake.stored_clip import StoredClip
    from lissom.clip._error import ClipError
    from lissom.clip._vertex_error import VertexErrors

__all__ = ["MeasuredClip"]


@dataclass(frozen=True)
class MeasuredClip:
    """A stored clip with its errors, which include that of root motion that was taken out."""

    stored: StoredClip
    errors: VertexErrors

    @classmethod
    def of(cls, stored: StoredClip, texture_errors: VertexErrors) -> MeasuredClip:
        """Add the error of taking out root motion. BakeError where float32 cannot hold the errors."""
        request = stored.request
        if not math.isfinite(texture_errors.error.max):
            raise BakeError(
                f"bake: clip {request.clip.name!r} goes so far out that float32 cannot hold its bake's "
                "error; move it nearer to the origin"
            )
        if not request.root_motion_error:
            return cls(stored, texture_errors)
        return cls(stored, texture_errors.plus(request.root_motion_error, request.size))

    @property
    def error(self) -> ClipError:
        """Error over all vertices."""
        return self.errors.error

    @property
    def texture_error(self) -> float:
        """Largest error of the texture, without that of root motion, model units."""
        return self.error.max - self.stored.request.root_motion_error

    @property
    def dtype_error(self) -> float:
        """Largest error at frames, which is that of the stored type alone, model units."""
        return self.error.at_frames.max - self.stored.request.root_motion_error

    @property
    def worst_times(self) -> tuple[float, ...]:
        """Time of the largest error, seconds; empty where there is no error."""
        return () if self.error.worst is None else (self.error.worst.time,)
