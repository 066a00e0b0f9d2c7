# SPDX-License-Identifier: MIT
"""From distances to the message: how many are beyond the tolerance, and the worst of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.testing._pair import brief

if TYPE_CHECKING:
    from lissom.testing._pair import Floats, Place

__all__ = ["Finding", "Measure", "Places", "find"]


class Measure(NamedTuple):
    """One way in which things may differ.

    Attributes
    ----------
    name : str
        "rotation", ...
    apart : ndarray, shape (..., N)
        How far each thing is from what is desired.
    tolerance : float
    said : callable
        Puts such a number into words.
    actual, desired : ndarray, shape (..., N, *)
        What the message shows of the worst.
    """

    name: str
    apart: Floats
    tolerance: float
    said: Callable[[float], str]
    actual: Floats
    desired: Floats


class Finding(NamedTuple):
    """What is beyond the tolerance.

    Attributes
    ----------
    beyond : ndarray of bool, shape (..., N)
    worst : tuple of int
        Index of the one that is farthest beyond its tolerance.
    excess : float
        Its distance in tolerances.
    counted : str
        "3 of 420 joints, in 2 of 10 poses"
    lines : list of str
        One for each measure.
    """

    beyond: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    worst: tuple[int, ...]
    excess: float
    counted: str
    lines: list[str]

    def message(self, function: str, err_msg: str, more: Sequence[str] = ()) -> str:
        """Give the whole message."""
        head = [f"{function}: {self.counted} are beyond the tolerance", *([err_msg] if err_msg else [])]
        return "\n".join([*head, *self.lines, *more])


@dataclass(frozen=True)
class Places:
    """Puts the index of a thing into words.

    Attributes
    ----------
    element : callable
        Of the last index: "joint 'Hand.L' (12)".
    times : ndarray, shape (...), or None
        Seconds of each pose.
    """

    element: Callable[[int], str]
    times: Floats | None = None

    def __call__(self, index: tuple[int, ...]) -> str:
        """Say where a thing is: which, in which pose, when."""
        *pose, element = index
        words = self.element(element)
        if pose:
            words += f" of pose {pose[0] if len(pose) == 1 else tuple(pose)}"
        if self.times is not None:
            words += f" at {self.times[tuple(pose)]:.4g} s"
        return words


def find(nouns: str, measures: Sequence[Measure], place: Place) -> Finding | None:
    """Give what is beyond the tolerance; None where all is within. NaN is beyond any."""
    beyond = [~(measure.apart <= measure.tolerance) for measure in measures]
    either = np.logical_or.reduce(beyond)
    if not either.any():
        return None
    lines = []
    worst: tuple[int, ...] = ()
    most = -1.0
    for measure, outside in zip(measures, beyond, strict=True):
        if not outside.any():
            continue
        index = tuple(map(int, np.unravel_index(np.argmax(measure.apart), measure.apart.shape)))
        apart = float(measure.apart[index])
        excess = apart / measure.tolerance if measure.tolerance else np.inf
        if excess > most:
            worst, most = index, excess
        lines += [
            f"  {measure.name}: {measure.said(apart)} apart, tolerance {measure.said(measure.tolerance)}, "
            f"{outside.sum()} beyond",
            f"    worst   {place(index)}",
            f"    actual  {brief(measure.actual[index])}",
            f"    desired {brief(measure.desired[index])}",
        ]
    counted = f"{either.sum()} of {either.size} {nouns}"
    if either.ndim > 1:
        poses = either.any(axis=-1)
        counted += f", in {poses.sum()} of {poses.size} poses,"
    return Finding(either, worst, most, counted, lines)
