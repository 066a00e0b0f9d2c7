# SPDX-License-Identifier: MIT
"""The report of resampling and key reduction: the error of the result, and what it saved."""

from __future__ import annotations

from dataclasses import dataclass

from lissom._base.doors import as_html
from lissom._base.set_module import set_module


@set_module("lissom")
@dataclass(frozen=True)
class ClipReport:
    """The measured error of a clip that was resampled or optimized, and what it saved.

    Attributes
    ----------
    max, p99, rms : float
        Distances from the source clip, in model units, at its frames or keys and between them: the largest;
        the 99th percentile (at "vertices" rounded up by at most 0.8 %); the root of the mean square.
        Intervals in which a STEP track jumps are left out, see `jumps`.
    max_relative : float
        `max` as a fraction of `size`.
    size : float
        Size of the character if one was passed, else of the skeleton, in model units.
    judged : str
        "joint shell" or "vertices": where the distances were measured.
    worst : str or int
        The joint, or the vertex, at which `max` was found.
    worst_time : float
        Seconds at which it was found, on the clip's time line.
    jumps : float or None
        Largest distance inside the intervals in which a STEP track of the source changes its value, which no
        rate reproduces; None without such intervals.
    rate : float or None
        Frames per second of a resampled clip, 0 where it has no duration; None where keys were reduced.
    keys_before, keys_after : int
        Keys of all tracks, before and after.
    bytes_before, bytes_after : int
        Bytes of the key times, values and table of tracks, as each clip alone stores them.
    max_weight : float
        Largest difference of a weight of a morph target, at the same moments.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> report = walk.resampled(60).report
    >>> report.keys_before, report.keys_after, round(report.rate)
    (1122, 2211, 60)
    >>> report.max_relative < 0.001  # a fraction of the size, at the joints and around them
    True
    """

    max: float
    p99: float
    rms: float
    max_relative: float
    size: float
    judged: str
    worst: str | int
    worst_time: float
    jumps: float | None
    rate: float | None
    keys_before: int
    keys_after: int
    bytes_before: int
    bytes_after: int
    max_weight: float = 0.0

    @property
    def keys_kept(self) -> float:
        """Keys after as a fraction of those before; 1 for a clip without keys."""
        return self.keys_after / self.keys_before if self.keys_before else 1.0

    _repr_html_ = as_html

    def __str__(self) -> str:
        percent = 100 / self.size if self.size > 0 else 0.0
        at = f"joint {self.worst!r}" if self.judged == "joint shell" else f"vertex {self.worst}"
        lines = [
            f"error at {self.judged}: max {self.max * percent:.4f} %, p99 {self.p99 * percent:.4f} %, "
            f"rms {self.rms * percent:.4f} % of size {self.size:.6g}; worst at {at}, {self.worst_time:.4f} s",
            f"{self.keys_before} keys became {self.keys_after}, {self.bytes_before} bytes {self.bytes_after}",
        ]
        if self.rate is not None:
            lines[1] += f"; {self.rate:.6g} frames per second"
        if self.jumps is not None:
            lines.append(f"where STEP tracks jump: up to {self.jumps * percent:.4f} % within one frame")
        if self.max_weight > 0:
            lines.append(f"weights of morph targets differ by up to {self.max_weight:.4g}")
        return "\n".join(lines)
