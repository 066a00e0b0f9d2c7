# SPDX-License-Identifier: MIT
"""Hermite's cubic: the polynomial with given values and slopes at both ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def hermite(
    u: Floats, begin: Floats, leaving: Floats, end: Floats, arriving: Floats
) -> tuple[Floats, Floats]:
    """Return the cubic and its slope at u, of values `begin` at 0 and `end` at 1 (glTF 2.0, appendix C.4).

    All slopes are per unit of u: `leaving` at 0, `arriving` at 1, and what is returned. All broadcast.
    """
    u2, u3 = u * u, u * u * u
    value = (
        (2 * u3 - 3 * u2 + 1) * begin
        + (u3 - 2 * u2 + u) * leaving
        + (3 * u2 - 2 * u3) * end
        + (u3 - u2) * arriving
    )
    slope = 6 * (u - u2) * (end - begin) + (3 * u2 - 4 * u + 1) * leaving + (3 * u2 - 2 * u) * arriving
    return np.asarray(value), np.asarray(slope)
