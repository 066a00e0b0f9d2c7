# SPDX-License-Identifier: MIT
"""Pictures that are drawn when they are asked for, so that a film needs the memory of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import overload

from lissom._formats.picture import Picture

__all__ = ["DrawnPictures", "PlayedPictures", "pictures_at"]


class DrawnPictures(Sequence[Picture]):
    """Pictures of one size, any of which can be drawn.

    Parameters
    ----------
    numbers : range
        Of the pictures, as `draw` counts them; at least one.
    shape : tuple of int
        Height, width, channels of each.
    draw : callable
        Returns the picture of a number.
    """

    def __init__(self, numbers: range, shape: tuple[int, int, int], draw: Callable[[int], Picture]) -> None:
        self.shape = shape
        self._numbers = numbers
        self._draw = draw

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Picture: ...
    @overload
    def __getitem__(self, index: slice) -> DrawnPictures: ...
    def __getitem__(self, index: int | slice) -> Picture | DrawnPictures:
        chosen = self._numbers[index]
        if isinstance(chosen, range):
            return DrawnPictures(chosen, self.shape, self._draw)
        return self._draw(chosen)

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (tuple(self),)  # drawn: what draws them stays in its process


class PlayedPictures(Sequence[Picture]):
    """Pictures of one size of what moves on step by step: one is drawn after those before it.

    Parameters
    ----------
    count : int
        How many, at least one.
    shape : tuple of int
        Height, width, channels of each.
    play : callable
        Begins anew, and yields them.
    """

    def __init__(
        self, count: int, shape: tuple[int, int, int], play: Callable[[], Iterator[Picture]]
    ) -> None:
        self.shape = shape
        self._count = count
        self._play = play

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Picture]:
        return self._play()

    @overload
    def __getitem__(self, index: int) -> Picture: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Picture, ...]: ...
    def __getitem__(self, index: int | slice) -> Picture | tuple[Picture, ...]:
        chosen = range(self._count)[index]
        if isinstance(chosen, range):
            return tuple(pictures_at(self, list(chosen)))
        return next(islice(self._play(), chosen, None))

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (tuple(self),)


def pictures_at(pictures: Sequence[Picture], indices: Sequence[int]) -> list[Picture]:
    """Return some of the pictures; those that are played are so once."""
    if not isinstance(pictures, PlayedPictures):
        return [pictures[i] for i in indices]
    wanted, last = set(indices), max(indices, default=-1)
    found = {i: picture for i, picture in enumerate(islice(pictures, last + 1)) if i in wanted}
    return [found[i] for i in indices]
