# SPDX-License-Identifier: MIT
"""The error of a clip as numbers: the largest distance of vertices, the 99th percentile, the rms, the worst.

Annotations of fields are not strings: msgspec reads them, and would look up names in the public module.
"""

from dataclasses import dataclass

from lissom._base.doors import as_html
from lissom._base.names import counted
from lissom._base.set_module import set_module

__all__ = ["SUBFRAMES", "ClipError", "ErrorStats", "WorstVertex"]

SUBFRAMES = (0.25, 0.5, 0.75)
"""Moments between two neighbouring frames at which a bake is measured, as fractions of the interval. Keys of
the source that lie elsewhere are measured as well: there the motion has its corners. Peaks between these
moments count for `max` alone."""


@set_module("lissom.bake_report")
@dataclass(frozen=True)
class ErrorStats:
    """Distances between baked and source vertices over some moments, in model units.

    Attributes
    ----------
    max : float
        Largest distance.
    p99 : float
        99th percentile, rounded up by at most 0.8 %.
    rms : float
        Root of the mean square.
    moment_count : int
        Moments measured, each at every vertex.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> bake.clips["bend"].error.at_frames.moment_count == bake.clips["bend"].frame_count
    True
    """

    max: float
    p99: float
    rms: float
    moment_count: int

    def __str__(self) -> str:
        return f"{_summary(self)} over {counted(self.moment_count, 'moment')}"


@set_module("lissom.bake_report")
@dataclass(frozen=True)
class WorstVertex:
    """Where and when a baked clip is farthest from its source.

    Attributes
    ----------
    vertex : int
        Index into the mesh; of the shell's points (four for each palette row) where there is no mesh.
    joint : str
        Joint of the vertex's heaviest influence.
    time : float
        Seconds, on the clip's own time line.
    frame : float
        The same as a frame coordinate in the clip: 2.5 is midway between the third frame and the fourth.
    distance : float
        Model units; equals ``ClipError.max``.
    at_frame : bool
        Whether it is at a stored frame, where only the storage format causes errors, or between two.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> error = bake.clips["bend"].error
    >>> error.worst.distance == error.max
    True
    """

    vertex: int
    joint: str
    time: float
    frame: float
    distance: float
    at_frame: bool

    def __str__(self) -> str:
        where = f"frame {self.frame:.0f}" if self.at_frame else f"between frames, at {self.frame:.2f}"
        return f"vertex {self.vertex} of joint {self.joint!r} at {self.time:.4f} s, {where}"


@set_module("lissom.bake_report")
@dataclass(frozen=True)
class ClipError:
    """The error of one baked clip, source and bake skinned by the same method.

    Attributes
    ----------
    max, p99, rms : float
        Over all moments, at frames and between them, in model units. Jumps are left out. `max` is that of the
        peaks between moments, too.
    max_relative : float
        `max` as a fraction of the character's size.
    at_frames : ErrorStats
        At stored frames alone: the error of the storage format.
    between : ErrorStats or None
        Between frames alone; None for a clip of one frame.
    jumps : ErrorStats or None
        Inside the intervals in which a STEP track changes its value, which no frame rate reproduces: the
        source jumps, a texture interpolates within one frame. None where no STEP track jumps.
    worst : WorstVertex or None
        Where and when `max` was found; None in files of format version 1.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> bake.clips["bend"].error.max_relative < 0.001
    True
    """

    max: float
    p99: float
    rms: float
    max_relative: float
    at_frames: ErrorStats
    between: ErrorStats | None = None
    jumps: ErrorStats | None = None
    worst: WorstVertex | None = None

    _repr_html_ = as_html

    def __repr__(self) -> str:
        worst = f", worst at {self.worst.joint!r}, {self.worst.time:.3f} s" if self.worst else ""
        return (
            f"<ClipError: max {self.max:.3g} ({self.max_relative:.2%} of size), p99 {self.p99:.3g}, "
            f"rms {self.rms:.3g}{worst}>"
        )

    def __str__(self) -> str:
        parts = {
            "at frames": self.at_frames,
            "between frames": self.between,
            "where STEP tracks jump": self.jumps,
            "worst": self.worst,
        }
        head = f"{_summary(self)}; max is {self.max_relative:.4%} of size"
        return "\n".join([head, *(f"{name}: {part}" for name, part in parts.items() if part is not None)])


def _summary(error: ErrorStats | ClipError) -> str:
    return f"max {error.max:.6g}, p99 {error.p99:.6g}, rms {error.rms:.6g}"
