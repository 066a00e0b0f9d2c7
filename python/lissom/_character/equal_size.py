# SPDX-License-Identifier: MIT
"""Characters of different units brought to one size: that of their height as they rest."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.numbers import LARGEST, check_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character

__all__ = ["rest_height", "size_factors", "warn_of_sizes"]

HARDLY_SEEN = 20.0  # times as high as a neighbour


def rest_height(character: Character) -> float:
    """Return how high a character is as it rests, in its lengths: its mesh, or its joints without one."""
    rest = character.skeleton.rest.astype(np.float64)
    if character.mesh is not None and character.mesh.vertex_count:
        points = character.deform(rest, "linear")
    else:
        points = character.skeleton.positions(rest)
    return float(np.ptp(points[:, 1])) if len(points) else 0.0


def size_factors(
    function: str, characters: Sequence[Character], equal_size: bool | float
) -> NDArray[np.float64]:
    """Return by how much each of several characters is scaled, (N,).

    Parameters
    ----------
    equal_size : bool or float
        False for no scale, True for the height of the first, or the height of all.

    Raises
    ------
    TypeError
        If `equal_size` is neither.
    ValueError
        If it is not above zero, or a character has no height.
    """
    if isinstance(equal_size, (bool, np.bool_)):
        if not equal_size:
            return np.ones(len(characters))
        wanted = None
    else:
        wanted = check_number(
            equal_size,
            f"{function}: equal_size",
            above_zero=True,
            largest=LARGEST,
            advice="; pass True for the height of the first",
        )
    heights = np.array([rest_height(character) for character in characters])
    for character, height in zip(characters, heights, strict=True):
        if not 0 < height <= LARGEST:
            raise ValueError(
                f"{function}: equal_size must be False where a character has no height, got "
                f"{character.name!r}, which is {height:g} high at rest; pass the scales by placements"
            )
    return np.asarray((heights[0] if wanted is None else wanted) / heights)


def warn_of_sizes(
    function: str, characters: Sequence[Character], scales: NDArray[np.float64], *, depth: int
) -> None:
    """Warn of characters beside which others are hardly seen, as of files in other units.

    `scales` are those by which they are drawn, (N,); `depth` is the number of calls from the public
    function, whose name is `function`, to this one.
    """
    heights = [rest_height(each) * scale for each, scale in zip(characters, scales, strict=True)]
    sized = sorted(
        ((height, each.name) for height, each in zip(heights, characters, strict=True) if height > 0),
        key=lambda one: one[0],
    )
    if len(sized) < 2 or not sized[-1][0] > HARDLY_SEEN * sized[0][0]:
        return
    (low, small), (high, large) = sized[0], sized[-1]
    warnings.warn(
        f"{function}: {large!r} is {high:.3g} high and {small!r} {low:.2g}, which is hardly seen beside it; "
        "equal_size=True (--equal-size) brings all to one height",
        stacklevel=depth + 2,
    )
