# SPDX-License-Identifier: MIT
"""Refusals of numbers of a file that are too large: of places, lengths, scales and bind matrices."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import LARGEST
from lissom._files.gltf.log import refuse


def refuse_larger(values: NDArray[Any], pointer: str) -> None:
    """Refuse finite numbers that are larger than `LARGEST` or below its negative."""
    if _core.plain_within(values, LARGEST):
        return
    if values.size and max(-float(values.min()), float(values.max())) > LARGEST:
        flat = values.reshape(-1)
        refuse_number(pointer, float(flat[np.abs(flat).argmax()]))


def refuse_number(pointer: str, number: float) -> NoReturn:
    """Refuse a number that is too large."""
    refuse(
        "VALUE_NOT_IN_RANGE",
        pointer,
        f"numbers must be from -{LARGEST:g} to {LARGEST:g}, or products do not fit single precision, "
        f"got {number:g}",
    )
