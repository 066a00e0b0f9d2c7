# SPDX-License-Identifier: MIT
"""What a bake says about itself: how far its vertices are from those of the source clips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from lissom.clip import Marker
    from lissom.root_motion import RootMotion

__all__ = ["SUBFRAMES", "BakeReport", "BakedClip", "ClipError", "ErrorStats"]

SUBFRAMES = (0.25, 0.5, 0.75)
"""Moments between two neighbouring frames at which a bake is measured, as fractions of the interval. Keys of
the source that lie elsewhere are measured as well: there the motion has its corners."""


@dataclass(frozen=True)
class ErrorStats:
    """Distances between baked and source vertices over some moments, in model units.

    Attributes
    ----------
    max : float
        Largest distance.
    p99 : float
        99 of 100 distances are at most this (rounded up by at most 0.8 %).
    rms : float
        Root of the mean square.
    moment_count : int
        Moments measured; each counts every vertex.
    """

    max: float
    p99: float
    rms: float
    moment_count: int


@dataclass(frozen=True)
class ClipError:
    """The error of one baked clip, source and bake skinned by the same method.

    Attributes
    ----------
    max, p99, rms : float
        Over all moments, at frames and between them, in model units. Jumps are left out.
    max_relative : float
        `max` as a fraction of the character's size.
    at_frames : ErrorStats
        At stored frames alone: what the storage format costs.
    between : ErrorStats or None
        Between frames alone; None for a clip of one frame.
    jumps : ErrorStats or None
        Inside the intervals in which a STEP track changes its value, which no frame rate reaches: the source
        jumps, a texture moves over within one frame. None where no STEP track jumps.
    """

    max: float
    p99: float
    rms: float
    max_relative: float
    at_frames: ErrorStats
    between: ErrorStats | None = None
    jumps: ErrorStats | None = None


@dataclass(frozen=True, eq=False)
class BakedClip:
    """One clip inside a pose texture.

    Attributes
    ----------
    first_frame, frame_count : int
        Its frames within ``PoseTexture.texels``. The last one is the pose at the clip's end, for loops too.
    rate : float
        Frames per second: (frame_count - 1) / duration; 0 for a clip without duration.
    loop : bool
        Whether times outside the clip wrap (half open: the end is the start) or are clamped.
    start, duration : float
        Seconds, as in the source clip.
    bounds : ndarray of float32, shape (2, 3)
        Lowest and highest corner of the skinned vertices over the whole clip, model units.
    error : ClipError
        Measured against the source clip.
    markers : tuple of Marker
        Named moments, in the source clip's seconds, by time.
    root_motion : RootMotion or None
        Where the clip takes its character, over the source clip's seconds.
    """

    first_frame: int
    frame_count: int
    rate: float
    loop: bool
    start: float
    duration: float
    bounds: npt.NDArray[np.float32]
    error: ClipError
    markers: tuple[Marker, ...] = ()
    root_motion: RootMotion | None = None

    @property
    def end(self) -> float:
        """Last moment of the clip, in seconds."""
        return self.start + self.duration


@dataclass(frozen=True, eq=False)
class BakeReport:
    """The error of a bake, clip by clip, and what was chosen to reach it.

    Attributes
    ----------
    clips : mapping of str to BakedClip
        In the order of the texture.
    size : float
        The character's size in model units: what relative errors are relative to.
    layout, method, dtype : str
        Layout of the texels, skinning method of both sides, type of the stored numbers.
    measured : str
        ``"skinned vertices"``, or ``"joint shell"`` for a character without a mesh: three points at 3 % of
        the size from each joint, one along each of its axes, and the joint itself.
    vertex_count : int
        Points measured at each moment.
    subframes : tuple of float
        Moments measured inside each interval, beside those of keys that lie between frames.
    max_error : float or None
        What was asked, as a fraction of `size`.
    notes : tuple of str
        One sentence for each choice that was made on the way: rates raised, precision raised.
    edited : bool
        Whether texels were changed by hand since they were measured: the errors say nothing of them.
    """

    clips: Mapping[str, BakedClip]
    size: float
    layout: str
    method: str
    dtype: str
    measured: str
    vertex_count: int
    subframes: tuple[float, ...] = SUBFRAMES
    max_error: float | None = None
    notes: tuple[str, ...] = field(default=())
    edited: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "clips", MappingProxyType(dict(self.clips)))

    @property
    def max_relative(self) -> float:
        """Largest error of all clips, as a fraction of the size."""
        return max((clip.error.max_relative for clip in self.clips.values()), default=0.0)

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and a BakeError carries its report across processes.
        values = {**self.__dict__, "clips": dict(self.clips)}
        return _report, (values,)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as plain numbers, strings, lists and dicts, ready for JSON."""
        result = {name: value for name, value in self.__dict__.items() if name != "clips"}
        result["subframes"] = list(self.subframes)
        result["notes"] = list(self.notes)
        result["max_relative"] = self.max_relative
        result["clips"] = {
            name: {
                "frame_count": clip.frame_count,
                "rate": clip.rate,
                "loop": clip.loop,
                "start": clip.start,
                "duration": clip.duration,
                "bounds": clip.bounds.tolist(),
                "error": asdict(clip.error),
            }
            for name, clip in self.clips.items()
        }
        return result

    def __str__(self) -> str:
        head = (
            f"{self.layout}, {self.dtype}; {self.vertex_count} points ({self.measured}) by {self.method} "
            f"skinning; size {self.size:.6g}; errors in percent of it"
        )
        wide = max([4, *map(len, self.clips)])
        lines = [head, f"{'clip':<{wide}}  frames    rate       max       p99       rms     jumps"]
        percent = 100.0 / self.size if self.size > 0 else 0.0
        for name, clip in self.clips.items():
            error = clip.error
            jumps = f"{error.jumps.max * percent:9.4f}" if error.jumps else f"{'-':>9}"
            lines.append(
                f"{name:<{wide}}  {clip.frame_count:6d}  {clip.rate:6.1f} {error.max * percent:9.4f} "
                f"{error.p99 * percent:9.4f} {error.rms * percent:9.4f} {jumps}"
            )
        return "\n".join([*lines, *self.notes])


def _report(values: dict[str, Any]) -> BakeReport:
    return BakeReport(**values)
