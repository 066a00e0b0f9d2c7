# SPDX-License-Identifier: MIT
"""Curves from 0 to 1, and which of them a fade's weight follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_fraction

__all__ = ["EASINGS", "Ease", "ease_function", "smooth", "smoother", "smoothstep"]

Floats = NDArray[np.float64]
FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)

Ease = str | Callable[[float], float]
"""A name of `EASINGS`, or a function of the time that has passed, both from 0 to 1."""

_PROBES = 64  # where a function given by the user is tried before it is taken


def smooth(u: FloatOrFloats) -> FloatOrFloats:
    """Return the cubic from 0 at 0 to 1 at 1: at rest at both ends."""
    return u * u * (3.0 - 2.0 * u)


def smoother(u: FloatOrFloats) -> FloatOrFloats:
    """Return the quintic: without acceleration at both ends, too (Perlin, Improving Noise, SIGGRAPH 2002)."""
    return u * u * u * (u * (6.0 * u - 15.0) + 10.0)


def smoothstep(values: Floats, begin: float, end: float) -> Floats:
    """Return 0 up to `begin`, 1 from `end` on, and between them the cubic with slope 0 at both."""
    return smooth(np.clip((values - begin) / (end - begin), 0.0, 1.0))


def _linear(x: float) -> float:
    return x


EASINGS: dict[str, Callable[[float], float]] = {
    "linear": _linear,
    "smooth": smooth,
    "smoother": smoother,
}


def ease_function(ease: Ease, function: str) -> Callable[[float], float]:
    """Return the function that `ease` names or is, or raise in the name of `function`."""
    if isinstance(ease, str):
        if ease not in EASINGS:
            known = ", ".join(map(repr, EASINGS))
            raise ValueError(f"{function}: ease must be one of {known} or a function, got {ease!r}")
        return EASINGS[ease]
    if not callable(ease):
        raise TypeError(f"{function}: ease must be a name or a function, got {type(ease).__name__}")
    for i in range(_PROBES + 1):
        x = i / _PROBES
        y = ease(x)
        # A fade weighs by it, and a weight outside would show poses that lie beyond both.
        check_fraction(y, f"{function}: what ease gives at {x:g}")
        if (i == 0 and y != 0) or (i == _PROBES and y != 1):
            raise ValueError(f"{function}: ease must lead from 0 at 0 to 1 at 1, got {y} at {x:g}")
    return ease
