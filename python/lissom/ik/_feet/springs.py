# SPDX-License-Identifier: MIT
"""Critically damped springs: the fastest approach to a target without overshoot."""

from __future__ import annotations

import math

__all__ = ["Spring", "rate_of"]

# A critically damped spring has covered 90 % of a step where (1 + x) exp(-x) = 0.1, x = rate * time.
_NINE_TENTHS = 3.889720169867429


def rate_of(seconds: float) -> float:
    """Return the rate (1/s) of a spring that covers nine tenths of a step in a time; inf for no time."""
    return _NINE_TENTHS / seconds if seconds > 0 else math.inf


class Spring:
    """One number that follows a target.

    The step is the exact solution of ``x'' = -2 r (x' - w) - r^2 (x - target)`` for a target that moves at a
    constant velocity w during it, so that any step is stable and two halves of a step are the step. A target
    whose velocity is known is followed without a lag.

    Attributes
    ----------
    x, v : float
        Value, and its velocity per second.
    """

    __slots__ = ("v", "x")

    def __init__(self, x: float = 0.0) -> None:
        self.x, self.v = x, 0.0

    def step(self, target: float, rate: float, seconds: float, velocity: float = 0.0) -> float:
        """Follow a target for a time, and return the new value; `velocity` is how fast the target moves."""
        if rate == math.inf:
            self.x, self.v = target, 0.0
            return target
        difference, relative = self.x - (target - velocity * seconds), self.v - velocity
        change = (relative + rate * difference) * seconds
        decay = math.exp(-rate * seconds)
        self.x = target + (difference + change) * decay
        self.v = (relative - rate * change) * decay + velocity
        return self.x

    def copy(self) -> Spring:
        """Return another spring with the same value and velocity."""
        other = Spring(self.x)
        other.v = self.v
        return other

    def rest_at(self, x: float) -> float:
        """Set the value, at rest, and return it."""
        self.x, self.v = x, 0.0
        return x
