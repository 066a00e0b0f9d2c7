# SPDX-License-Identifier: MIT
"""Tolerances as users pass them, and lengths and angles as messages show them."""

from __future__ import annotations

import math
from typing import NamedTuple

from lissom._base.numbers import check_number

__all__ = ["ROTATION", "SCALE", "SHARE", "Lengths", "angle", "degrees", "lengths", "percent", "ratio"]

# float32 has 6e-8 of relative rounding; some dozen products down a chain, or a sum over influences, stay
# below a tenth of these.
ROTATION = 1e-4
"""Radians: 0.006 degrees."""
SHARE = 1e-5
"""Fraction of the size: 0.02 mm on a person."""
SCALE = 1e-5
"""Fraction of the desired scale."""


class Lengths(NamedTuple):
    """The tolerance of a length.

    Attributes
    ----------
    tolerance : float
        Units of the arrays.
    size : float
        Size of the character, of which a share is a fraction; 0 where it is not known.
    """

    tolerance: float
    size: float

    def text(self, length: float) -> str:
        """Return a length in units and as a percentage of the size."""
        share = f" ({100 * length / self.size:.3g} % of the size {self.size:.4g})" if self.size else ""
        return f"{length:.4g} units{share}"


def lengths(
    function: str, length: float | None, share: float | None, size: float | None, known: float
) -> Lengths:
    """Return the tolerance of lengths; `size` is the user's, `known` that of `of` or of the arrays.

    Without a size, or with one of 0, a share is a fraction of one unit.
    """
    if length is not None and share is not None:
        raise TypeError(
            f"{function}: the tolerance must be a length (units) or a share (of the size), got both"
        )
    if size is not None:
        known = check_number(size, f"{function}: size", above_zero=True)
    if length is not None:
        return Lengths(check_number(length, f"{function}: length", least=0), known)
    fraction = SHARE if share is None else check_number(share, f"{function}: share", least=0)
    return Lengths(fraction * (known or 1.0), known)


def angle(function: str, rotation: float) -> float:
    """Return the tolerance of rotations, radians."""
    return check_number(rotation, f"{function}: rotation", least=0)


def ratio(function: str, scale: float) -> float:
    """Return the tolerance of scales."""
    return check_number(scale, f"{function}: scale", least=0)


def degrees(radians: float) -> str:
    """Return the text of an angle."""
    return f"{math.degrees(radians):.3g} degrees"


def percent(fraction: float) -> str:
    """Return the text of a fraction, such as a relative difference of scale."""
    return f"{100 * fraction:.3g} %"
