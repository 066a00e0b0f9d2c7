# SPDX-License-Identifier: MIT
"""All other axes that a vertex may be in: permutations with signs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["AXES"]


def _signed_permutations() -> Iterator[tuple[NDArray[np.float64], str]]:
    """Return all changes of axes but none: matrices, and how people write them."""
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            words = ", ".join(
                f"{'-' if sign < 0 else ''}{'xyz'[axis]}" for axis, sign in zip(order, signs, strict=True)
            )
            if words != "x, y, z":
                yield matrix, words


AXES = tuple(_signed_permutations())
"""Matrices, and how people write them."""
