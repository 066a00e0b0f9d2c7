# SPDX-License-Identifier: MIT
"""What may be wrong with the keys of an accessor, and how it is said."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.tables import Table


def refuse_times(times: NDArray[np.float32], pointer: str) -> None:
    """Refuse key times that are not finite, negative or not strictly increasing."""
    odd = np.flatnonzero(~np.isfinite(times))
    if len(odd):
        refuse("ACCESSOR_INVALID_FLOAT", pointer, f"key time {odd[0]} must be finite, got {times[odd[0]]}")
    if times[0] < 0:
        refuse(
            "ACCESSOR_ANIMATION_INPUT_NEGATIVE",
            pointer,
            f"key times must not be negative, got {times[0]} s",
        )
    falls = np.flatnonzero(times[1:] <= times[:-1])
    if len(falls):
        key = int(falls[0])
        refuse(
            "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
            pointer,
            f"key times must increase, got key {key} at {times[key]} s and key {key + 1} at"
            f" {times[key + 1]} s",
        )


def mend_rotations(log: Log, pointer: str, count: int, first: int) -> None:
    """Record that rotations were not of unit length: how many, and the first key."""
    log.mend(
        "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
        pointer,
        f"rotations must be of unit length, got {count} that are not, first key {first}; they were"
        " normalised",
    )


def within(offsets: NDArray[Any], start: Table, end: Table) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return for each range [start, end) the first of the sorted offsets inside, and how many are inside."""
    first = np.searchsorted(offsets, start)
    return first, np.maximum(np.searchsorted(offsets, end) - first, 0)
