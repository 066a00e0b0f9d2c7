# SPDX-License-Identifier: MIT
"""One clip of a vertex animation: which frames, how fast, and whether it loops."""

from __future__ import annotations

from dataclasses import dataclass

from lissom._base.names import counted
from lissom._base.numbers import check_flag, check_number, whole_number
from lissom._base.set_module import set_module

__all__ = ["VertexClip"]


@set_module("lissom")
@dataclass(frozen=True)
class VertexClip:
    """One clip of a `VertexAnimation`.

    Parameters
    ----------
    first_frame, frame_count : int
        Frames within ``VertexAnimation.positions``. The last one is the clip's end, for loops too: there it
        is the first again.
    rate : float
        Frames per second, above 0; of no use for one frame.
    loop : bool
        Whether times outside the clip wrap, or are clamped.
    start : float
        Time of the first frame, seconds.

    Raises
    ------
    TypeError, ValueError
        If a number is of another type or out of range.

    Examples
    --------
    >>> lissom.VertexClip(0, 31, 30.0, loop=True).duration
    1.0
    """

    first_frame: int
    frame_count: int
    rate: float = 30.0
    loop: bool = False
    start: float = 0.0

    def __post_init__(self) -> None:
        whole_number(self.first_frame, "VertexClip: first_frame")
        whole_number(self.frame_count, "VertexClip: frame_count", least=1)
        check_number(self.rate, "VertexClip: rate", above_zero=True)
        check_flag(self.loop, "VertexClip: loop")
        check_number(self.start, "VertexClip: start")

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.frame_count - 1) / self.rate

    def __repr__(self) -> str:
        plays = "loops" if self.loop else "plays once"
        return f"<VertexClip: {counted(self.frame_count, 'frame')} at {self.rate:.4g} a second, {plays}>"
