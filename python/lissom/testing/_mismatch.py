# SPDX-License-Identifier: MIT
"""From differences to the message: how many are beyond the tolerance, and the worst of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.testing._pair import numbers_text

if TYPE_CHECKING:
    from lissom.testing._pair import Floats, Label

__all__ = ["ElementLabel", "Measure", "Mismatch", "find_mismatch"]


class Measure(NamedTuple):
    """One measure of the difference of joints, vertices or palette rows.

    Attributes
    ----------
    name : str
        "rotation", "translation", "scale" or "position".
    difference : ndarray, shape (..., N)
        Difference of each element from what is desired.
    tolerance : float
    text : callable
        Returns the text of such a difference, with its unit.
    actual, desired : ndarray, shape (..., N, *)
        Numbers to show of the worst element.
    """

    name: str
    difference: Floats
    tolerance: float
    text: Callable[[float], str]
    actual: Floats
    desired: Floats


class Mismatch(NamedTuple):
    """The elements beyond the tolerance, and the message about them.

    Attributes
    ----------
    beyond : ndarray of bool, shape (..., N)
    worst : tuple of int
        Index of the element with the largest difference, in multiples of its tolerance.
    excess : float
        That difference, in multiples of its tolerance.
    counted : str
        "3 of 420 joints, in 2 of 10 poses,".
    lines : list of str
        Four for each measure with a mismatch.
    """

    beyond: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    worst: tuple[int, ...]
    excess: float
    counted: str
    lines: list[str]

    def message(self, function: str, err_msg: str, more: Sequence[str] = ()) -> str:
        """Return the whole message."""
        head = [f"{function}: {self.counted} are beyond the tolerance", *([err_msg] if err_msg else [])]
        return "\n".join([*head, *self.lines, *more])


@dataclass(frozen=True)
class ElementLabel:
    """Names an element by its index.

    Attributes
    ----------
    element : callable
        Names the last index: "joint 'Hand.L' (12)".
    times : ndarray, shape (...), or None
        Seconds of each pose.
    """

    element: Callable[[int], str]
    times: Floats | None = None

    def __call__(self, index: tuple[int, ...]) -> str:
        """Return the name of an element, with the pose it is in and its time."""
        *pose, element = index
        words = self.element(element)
        if pose:
            words += f" of pose {pose[0] if len(pose) == 1 else tuple(pose)}"
        if self.times is not None:
            words += f" at {self.times[tuple(pose)]:.4g} s"
        return words


def find_mismatch(nouns: str, measures: Sequence[Measure], label: Label) -> Mismatch | None:
    """Return what is beyond the tolerances; None where nothing is. NaN is beyond any tolerance."""
    beyond = [~(measure.difference <= measure.tolerance) for measure in measures]
    either = np.logical_or.reduce(beyond)
    if not either.any():
        return None
    lines = []
    worst: tuple[int, ...] = ()
    most = -1.0
    for measure, outside in zip(measures, beyond, strict=True):
        if not outside.any():
            continue
        index = tuple(map(int, np.unravel_index(np.argmax(measure.difference), measure.difference.shape)))
        difference = float(measure.difference[index])
        excess = difference / measure.tolerance if measure.tolerance else np.inf
        if excess > most:
            worst, most = index, excess
        lines += [
            f"  {measure.name}: {measure.text(difference)} apart, "
            f"tolerance {measure.text(measure.tolerance)}, {outside.sum()} beyond",
            f"    worst   {label(index)}",
            f"    actual  {numbers_text(measure.actual[index])}",
            f"    desired {numbers_text(measure.desired[index])}",
        ]
    counted = f"{either.sum()} of {either.size} {nouns}"
    if either.ndim > 1:
        poses = either.any(axis=-1)
        counted += f", in {poses.sum()} of {poses.size} poses,"
    return Mismatch(either, worst, most, counted, lines)
