# SPDX-License-Identifier: MIT
"""The times of frames as keys: float32 as long as it keeps them regular."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.arrays import FLOAT32, FLOAT64

__all__ = ["key_dtype"]

# Error of a key time, as a fraction of the time between two frames, that float32 may cause. `Clip.key_rate`
# accepts twice that in a regular grid.
_SLACK = 0.01


def key_dtype(times: NDArray[np.float64]) -> np.dtype[Any]:
    """Return float32, or float64 for times so long that float32 would not keep them regular."""
    if len(times) > 1 and np.spacing(np.float32(times[-1])) / 2 > _SLACK * times[1]:
        return FLOAT64
    return FLOAT32
