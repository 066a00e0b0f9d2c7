# SPDX-License-Identifier: MIT
"""How long each picture of a film is shown, in the whole units that images tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["spans", "without_repeats"]


def spans(count: int, rate: float, unit: int) -> list[int]:
    """Return how long each of `count` pictures is shown, in whole units of so many milliseconds.

    Rounded are the moments at which pictures end, so that the errors do not add up.
    """
    ends = np.rint(np.arange(count + 1) * (1000 / unit / rate)).astype(int)
    return [int(span) for span in np.diff(ends)]


def without_repeats(
    pictures: Iterable[NDArray[np.uint8]], times: Iterable[int], most: int
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Yield pictures that differ from the one before, with the time of all equal ones, at most `most`."""
    shown: NDArray[np.uint8] | None = None
    lasts = 0
    for picture, time in zip(pictures, times, strict=True):
        if shown is not None and lasts + time <= most and np.array_equal(picture, shown):
            lasts += time
            continue
        if shown is not None:
            yield shown, lasts
        shown, lasts = picture, time
    if shown is not None:
        yield shown, lasts
