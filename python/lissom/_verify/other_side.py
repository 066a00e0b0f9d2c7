# SPDX-License-Identifier: MIT
"""Joints of the other side of a body, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["other_sides"]

SIDES = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "l": "r", "L": "R"}
OTHER = SIDES | {right: left for left, right in SIDES.items()}
SIDE = re.compile(r"(?<![A-Za-z])[lLrR](?![A-Za-z])|[lL]eft|LEFT|[rR]ight|RIGHT")
NUMBER = re.compile(r"_\d{2,}$")
"""What exporters count names by, which differs from side to side."""


def other_sides(names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each name the number of that on the other side; its own where there is no such one."""
    plain = [NUMBER.sub("", name) for name in names]
    numbers = {name: number for number, name in enumerate(plain) if plain.count(name) == 1}
    return np.array([numbers.get(_other(name), number) for number, name in enumerate(plain)], np.int64)


def _other(name: str) -> str:
    found = SIDE.findall(name)
    return SIDE.sub(OTHER[found[0]], name) if len(found) == 1 else name
