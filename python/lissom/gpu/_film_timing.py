# SPDX-License-Identifier: MIT
"""When the pictures of a film are taken, and from which side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lissom._base.numbers import check_number
from lissom._formats.films.forms import RATES
from lissom.clip._loop import pass_seconds

if TYPE_CHECKING:
    from lissom.clip import Clip

__all__ = ["TURNTABLE", "FilmTiming", "film_timing", "steady_timing"]

MOST_PICTURES, MOST_TURNS = 1_000_000, 1000
TURNTABLE = 4.0  # seconds of one whole turn, where nothing else tells the length
SLACK = 1e-3  # of a picture: keys stored in float32 end a little beside the pictures they mean


@dataclass(frozen=True)
class FilmTiming:
    """Pictures at `start` + i / `rate`.

    Attributes
    ----------
    count : int
        Pictures.
    rate : float
        Pictures per second.
    start : float
        Seconds of the clip.
    step : float
        Seconds of the clip from one picture to the next; 0 where it stands still.
    turn : float
        Whole turns of the camera from the first picture to the one after the last.
    """

    count: int
    rate: float
    start: float = 0.0
    step: float = 0.0
    turn: float = 0.0

    def time(self, index: float) -> float:
        """Return the clip's seconds of a picture."""
        return self.start + index * self.step

    def turned(self, index: float) -> float:
        """Return by how many degrees the camera is turned in a picture."""
        return 360.0 * self.turn * index / self.count


def film_timing(
    caller: str,
    clip: Clip | None,
    time: float | None,
    rate: float,
    seconds: float | None,
    turn: float | None,
) -> FilmTiming | None:
    """Return when the pictures of a film are taken; None where one picture is asked for.

    Raises
    ------
    TypeError, ValueError
        If a number is none or out of its range, the clip of a film has no duration, `seconds` comes with
        neither, or there would be too many pictures.
    """
    rate, seconds, turn = _checked(caller, rate, seconds, turn)
    is_still = clip is None or time is not None or not clip.duration
    if is_still and turn is None:
        if clip is not None and time is None:
            raise ValueError(
                f"{caller}: clip {clip.name!r} must have a duration for a film, got one moment; pass time= "
                "for a picture"
            )
        if seconds is not None:
            raise ValueError(
                f"{caller}: seconds must come with turn, or with a clip and no time, got neither; one pose "
                "is one picture"
            )
        return None
    if is_still and turn == 0:
        raise ValueError(
            f"{caller}: turn must not be 0 for a film of one pose, as all pictures were alike; omit it for "
            "one picture"
        )
    turned = turn or 0.0
    if clip is None or is_still:
        length = TURNTABLE * abs(turned) if seconds is None else seconds
        return FilmTiming(_picture_count(caller, length * rate), rate, turn=turned)
    if seconds is not None:
        return FilmTiming(_picture_count(caller, seconds * rate), rate, clip.start, 1 / rate, turned)
    length = pass_seconds(clip)
    whole = math.floor(length * rate + SLACK)
    if not clip.loop:  # to the last picture at its end or before
        count = _picture_count(caller, whole + 1)
        return FilmTiming(count, rate, clip.start, 1 / rate, turned)
    count = _picture_count(caller, whole)
    if whole and abs(length * rate - whole) > SLACK:
        # Whole pictures: the step over the seam is as every other. Never faster, which a file may not hold.
        rate = whole / length
    return FilmTiming(count, rate, clip.start, 1 / rate, turned)


def steady_timing(caller: str, seconds: float | None, rate: float, turn: float | None) -> FilmTiming:
    """Return when the pictures of a film are taken that is no clip's.

    Raises
    ------
    TypeError, ValueError
        If a number is none or out of its range, or there are neither `seconds` nor `turn`.
    """
    rate, seconds, turn = _checked(caller, rate, seconds, turn)
    if seconds is None:
        if not turn:
            got = "neither" if turn is None else "no turn"
            raise ValueError(f"{caller}: seconds must be passed where turn is not, got {got}")
        seconds = TURNTABLE * abs(turn)
    return FilmTiming(_picture_count(caller, seconds * rate), rate, 0.0, 1 / rate, turn or 0.0)


def _checked(
    caller: str, rate: float, seconds: float | None, turn: float | None
) -> tuple[float, float | None, float | None]:
    """Return the numbers that users pass, checked."""
    rate = check_number(rate, f"{caller}: rate", least=RATES[0], largest=RATES[1])
    if turn is not None:
        turn = check_number(turn, f"{caller}: turn", largest=MOST_TURNS)
    if seconds is not None:
        seconds = check_number(seconds, f"{caller}: seconds", above_zero=True)
    return rate, seconds, turn


def _picture_count(caller: str, pictures: float) -> int:
    """Return the nearest whole number of pictures, at least one; refuse more than a film may have."""
    if pictures > MOST_PICTURES:
        raise ValueError(
            f"{caller}: a film must have at most {MOST_PICTURES} pictures, got {pictures:.0f}; lower rate or "
            "seconds"
        )
    return max(1, round(pictures))
