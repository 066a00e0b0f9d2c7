# SPDX-License-Identifier: MIT
"""Which rate to try next, where the lowest is looked for that keeps `max_error`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from lissom._bake.encoding import DTYPE_SHARE

__all__ = ["RateSearch"]

GUESSES = 4
"""Multiples tried where the square law says, once one was found that holds; then the range is halved."""


@dataclass(frozen=True)
class RateSearch:
    """What is known of the multiples of a rate: the smallest that holds is looked for.

    Between frames the error falls with about the square of the rate, which says where to look: the last
    multiple tried, scaled by the root of what its error is to fall by. Errors are in model units.

    Attributes
    ----------
    allowed : float
        Error that holds.
    most : int
        Highest multiple.
    error : float
        Error of the last multiple tried.
    dtype_error : float
        Error of the stored type alone, at the last multiple measured in full.
    keys_multiple : int or None
        Multiple whose frames include all keys: tried first, since keys are corners to all others, and the
        error is far below the law's there.
    last : int
        The last multiple tried.
    low, high : int
        `low` and all below fail; `high` holds where it is not above `most`.
    step : int
        Least increase while none holds: it doubles, for the law may be too hopeful.
    guesses : int
        Guesses by the law that remain once one holds.
    """

    allowed: float
    most: int
    error: float
    dtype_error: float
    keys_multiple: int | None
    last: int
    low: int
    high: int
    step: int = 1
    guesses: int = GUESSES

    @classmethod
    def after_first(
        cls, allowed: float, most: int, error: float, dtype_error: float, keys_multiple: int | None
    ) -> RateSearch:
        """Begin where the rate itself, multiple 1, failed by an error."""
        return cls(allowed, most, error, dtype_error, keys_multiple, last=1, low=1, high=most + 1)

    def next_multiple(self) -> int | None:
        """Return the multiple to try next, None when the search is over."""
        if self.keys_multiple is not None:
            return self.keys_multiple
        if self.high - self.low <= 1:
            return None
        holds = self.high <= self.most
        if holds and self.guesses <= 0:
            return (self.low + self.high) // 2
        multiple = min(max(self._guess(), self.low + 1), self.high - 1)
        return multiple if holds else min(max(multiple, self.low + self.step), self.most)

    def must_measure(self, multiple: int) -> bool:
        """Return whether a multiple needs its error in full, even if it fails: the report states it."""
        return multiple == self.most and self.keys_multiple is None

    def after(
        self, multiple: int, *, holds: bool, error: float, dtype_error: float | None = None
    ) -> RateSearch:
        """Return the search after a multiple was tried; `dtype_error` where it was measured in full."""
        known = replace(
            self,
            error=error,
            dtype_error=self.dtype_error if dtype_error is None else dtype_error,
            keys_multiple=None,
            last=multiple,
            guesses=self.guesses - (self.high <= self.most),
        )
        if holds:
            return replace(known, high=multiple)
        if multiple == self.keys_multiple:  # says little of the multiples below it
            return known
        return replace(known, low=multiple, step=2 * self.step)

    def _guess(self) -> int:
        dtype_error = min(self.dtype_error, DTYPE_SHARE * self.allowed)
        frame_error = self.allowed - dtype_error
        if frame_error <= 0 or self.error <= dtype_error:
            return self.most
        # Slightly fewer frames are tried first: what fails is the cheaper try.
        scale = math.sqrt((self.error - dtype_error) / frame_error)
        return math.ceil(min(0.97 * self.last * scale, self.most))
