# SPDX-License-Identifier: MIT
"""What programs make of numbers that they take for colours (IEC 61966-2-1); below zero as close to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["to_linear", "to_srgb"]


def to_linear(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return linear light of sRGB."""
    positive = np.clip(values.astype(np.float32), 0.0, None)
    high = ((positive + 0.055) / 1.055) ** 2.4
    return np.where(values <= 0.04045, values / 12.92, high).astype(np.float32)


def to_srgb(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return sRGB of linear light."""
    positive = np.clip(values.astype(np.float32), 0.0, None)
    high = 1.055 * positive ** (1 / 2.4) - 0.055
    return np.where(values <= 0.0031308, values * 12.92, high).astype(np.float32)
