# SPDX-License-Identifier: MIT
"""Markers: named moments of a clip, such as a foot touching the ground."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom.clip._loop import checked_loop

if TYPE_CHECKING:
    from lissom.clip import Clip, Loop

MAX_CYCLES = 1_000_000
"""Cycles of a clip between two times: more are a mistake of the caller, and would fill the memory."""


@set_module("lissom")
class Marker(NamedTuple):
    """A named moment of a clip.

    Attributes
    ----------
    time : float
        Seconds, on the clip's own time line.
    name : str
        Any text; several markers may have the same.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> step = walk.with_markers([(0.1, "left foot"), (0.6, "right foot")]).markers[0]
    >>> step
    Marker(time=0.1, name='left foot')
    >>> step.time
    0.1
    """

    time: float
    name: str


def checked_markers(markers: Iterable[tuple[float, str]]) -> tuple[Marker, ...]:
    """Sort markers by time; equal times keep their order."""
    return tuple(sorted(_checked("Clip", markers), key=lambda marker: marker.time))


def _checked(function: str, markers: object) -> Iterator[Marker]:
    if not isinstance(markers, Iterable):
        raise TypeError(
            f"{function}: markers must be pairs of a time and a name, got {type(markers).__name__}"
        )
    for pair in markers:
        try:
            time, name = pair
        except (TypeError, ValueError):
            raise TypeError(f"{function}: markers must be pairs of a time and a name, got {pair!r}") from None
        if not isinstance(name, str):
            raise TypeError(f"{function}: a marker must be a time and a name, got {time!r} and {name!r}")
        yield Marker(check_number(time, f"{function}: the time of {name!r}"), name)


def with_markers(
    self: Clip, markers: Mapping[str, float | Iterable[float]] | Iterable[tuple[float, str]]
) -> Clip:
    """Name moments of a clip, in place of its present markers.

    Parameters
    ----------
    markers : mapping of str to float or floats, or iterable of (float, str)
        Names and their times, in seconds of the clip; or pairs of time and name. To keep the present ones:
        ``[*clip.markers, (0.4, "left")]``.

    Returns
    -------
    Clip
        Shares the keys of this one.

    Raises
    ------
    TypeError
        If a name is not a string or a time is not a number.
    ValueError
        If a time is not finite or lies outside the clip.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"].with_markers({"left": 0.0, "right": 0.5})
    >>> walk.markers
    (Marker(time=0.0, name='left'), Marker(time=0.5, name='right'))
    """
    pairs: object = markers
    if isinstance(markers, Mapping):
        pairs = [
            (time, name)
            for name, times in markers.items()
            for time in (times if isinstance(times, Iterable) else (times,))
        ]
    placed = []
    for time, name in _checked("Clip.with_markers", pairs):
        inside = _inside(self, time)
        if inside is None:
            raise ValueError(
                f"Clip.with_markers: {name!r} must lie inside the clip, from {self.start:g} s to "
                f"{self.end:g} s, got {time:g}"
            )
        placed.append((inside, name))
    return self._edited(markers=placed)


def markers_between(
    self: Clip, t0: float, t1: float, loop: Loop | None = None, *, include_start: bool = False
) -> list[Marker]:
    """Return the markers that playing from one time to another passes.

    Parameters
    ----------
    t0, t1 : float
        Seconds, as `sample` takes them: not wrapped. Before `t0`, `t1` plays backwards.
    loop : bool or "ping_pong", optional
        ``clip.loop`` if omitted. True passes each marker once a cycle, a marker at the start as the clip
        starts again; "ping_pong" passes it forwards and backwards, at the ends once.
    include_start : bool
        Whether a marker at exactly `t0` counts, as it should when playing begins there.

    Returns
    -------
    list of Marker
        In the order they are passed, each with the time at which it is passed, between `t0` and `t1`, not
        wrapped.

    Raises
    ------
    TypeError
        If a time is not a number.
    ValueError
        If a time is not finite, a million cycles or more lie between them, or `loop` is unknown.

    Notes
    -----
    Half open: forwards all in (t0, t1], backwards all in [t1, t0). So a step that is split in two passes the
    same markers once each, whatever the times; they are computed in double from the marker and whole cycles,
    never from `t0`. Markers outside the clip's span are never passed.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"].with_markers({"left": 0.0, "right": 0.5})
    >>> [(round(time, 3), name) for time, name in walk.markers_between(0.4, 1.2)]
    [(0.5, 'right'), (1.1, 'left')]
    """
    t0, t1 = (check_number(t, f"Clip.markers_between: t{i}") for i, t in enumerate((t0, t1)))
    mode = self.loop if loop is None else checked_loop(loop, "Clip.markers_between")
    low, high = min(t0, t1), max(t0, t1)
    period = {False: 0.0, True: self.duration, "ping_pong": 2 * self.duration}[mode or False]
    if period and not (high - low) / period < MAX_CYCLES:
        raise ValueError(
            f"Clip.markers_between: t0 and t1 must be less than {MAX_CYCLES} cycles of {self.duration:.6g} s "
            f"apart, got {t0} and {t1}"
        )
    forwards = t1 >= t0
    passed: list[tuple[float, int]] = []
    for index, marker in enumerate(self.markers):
        inside = _inside(self, marker.time)
        if inside is None:
            continue
        firsts = [inside]
        if mode == "ping_pong" and self.start < inside < self.end:
            firsts.append(2 * self.end - inside)  # backwards
        for first in firsts:
            times = np.array([first])
            if period:
                cycles = np.arange(
                    math.floor((low - first) / period) - 1, math.ceil((high - first) / period) + 2
                )
                times = first + cycles * period
            above = times > low if forwards else times >= low
            below = times <= high if forwards else times < high
            counts = above & below
            if include_start:
                counts |= times == t0
            passed += [(time, index) for time in times[counts].tolist()]
    passed.sort(reverse=not forwards)
    return [Marker(time, self.markers[index].name) for time, index in passed]


def markers_passed(
    clip: Clip, begins: NDArray[np.float64], ends: NDArray[np.float64], include_begin: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Return what `markers_between` does, for n steps forwards: step, time and marker of each one passed."""
    mode, found = clip.loop, []
    period = {False: 0.0, True: clip.duration, "ping_pong": 2 * clip.duration}[mode]
    for index, marker in enumerate(clip.markers):
        inside = _inside(clip, marker.time)
        if inside is None:
            continue
        firsts = [inside]
        if mode == "ping_pong" and clip.start < inside < clip.end:
            firsts.append(2 * clip.end - inside)  # backwards
        for first in firsts:
            cycles = np.floor((begins - first) / period) - 1 if period else np.zeros_like(begins)
            last = np.ceil((ends - first) / period) + 1 if period else cycles
            for _ in range(int((last - cycles).max(initial=-1)) + 1):
                times = first + cycles * period
                passed = ((times > begins) & (times <= ends)) | (include_begin & (times == begins))
                steps = np.flatnonzero(passed & (cycles <= last))
                found.append((steps, times[steps], np.full(len(steps), index)))
                cycles = cycles + 1
    if not found:
        return np.zeros(0, np.intp), np.zeros(0), np.zeros(0, np.intp)
    steps, times, indices = (np.concatenate(column) for column in zip(*found, strict=True))
    return steps, times, indices


def _inside(clip: Clip, time: float) -> float | None:
    """Clamp a time to the clip if it is outside by float32 rounding; return None if it is further outside."""
    slack = 4 * float(np.spacing(np.float32(max(abs(clip.start), abs(clip.end), 1.0))))
    if not clip.start - slack <= time <= clip.end + slack:
        return None
    return min(max(time, clip.start), clip.end)
