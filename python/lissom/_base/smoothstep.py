# SPDX-License-Identifier: MIT
"""Smoothstep: the cubic from 0 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def smoothstep(values: Floats, begin: float, end: float) -> Floats:
    """Return 0 up to `begin`, 1 from `end` on, and between them the cubic with slope 0 at both."""
    u = np.clip((values - begin) / (end - begin), 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))
