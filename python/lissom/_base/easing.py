# SPDX-License-Identifier: MIT
"""How the weight of a fade grows from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable

from lissom._base.numbers import check_number

__all__ = ["EASINGS", "Ease", "ease_function"]

Ease = str | Callable[[float], float]
"""A name of `EASINGS`, or a function of the time that has passed, both from 0 to 1."""

_PROBES = 64  # where a function given by the user is tried before it is taken


def _linear(x: float) -> float:
    return x


def _smooth(x: float) -> float:
    """Cubic: at rest at both ends."""
    return x * x * (3 - 2 * x)


def _smoother(x: float) -> float:
    """Quintic: without acceleration at both ends, too (Perlin, Improving Noise, SIGGRAPH 2002)."""
    return x * x * x * (x * (6 * x - 15) + 10)


EASINGS: dict[str, Callable[[float], float]] = {
    "linear": _linear,
    "smooth": _smooth,
    "smoother": _smoother,
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
        check_number(y, f"{function}: what ease gives at {x:g}")
        # A fade weighs by it, and a weight outside would show poses that lie beyond both.
        if not 0 <= y <= 1:
            raise ValueError(f"{function}: ease must stay in [0, 1], got {y} at {x}")
        if (i == 0 and y != 0) or (i == _PROBES and y != 1):
            raise ValueError(f"{function}: ease must lead from 0 at 0 to 1 at 1, got {y} at {x:g}")
    return ease
