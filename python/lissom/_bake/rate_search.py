# SPDX-License-Identifier: MIT
"""Finding the rate at which a clip keeps `max_error`, by as few measurements as may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lissom.clip._frames import HIGHEST_RATE, multiple_on_keys

if TYPE_CHECKING:
    from lissom._bake.baker import Baked, Baker
    from lissom.clip import Clip

__all__ = ["DTYPE_SHARE", "Search"]

DTYPE_SHARE = 0.75
"""Part of `max_error` that the stored type alone may use up. There frames have to make up for it by twice
their number (their error falls with the square), and a type of twice the bytes is as small."""

GUESSES = 4
"""Multiples tried where the law of the search says, once one was found; then the range is halved."""


class Search:
    """Finds a multiple of a clip's first rate that keeps `max_error` while one less does not.

    Between frames the error falls with about the square of the rate, which says where to look. A multiple is
    tried at the moments that were worst before, and measured in full where it holds there: what fails costs
    next to nothing, and what is found was measured in full while one multiple less was seen to fail. Keys
    that some multiple makes frames of are corners to all others: that multiple is tried first.
    """

    def __init__(self, baker: Baker, clip: Clip, first: Baked) -> None:
        self.baker = baker
        self.clip = clip
        self.allowed = baker.allowed(clip)
        self.unit = self._steady(first)
        self.tried = first
        self.law = (1, self.unit)  # a multiple, and its error
        self.worst_times = _worst_times(first)
        self.rate = first.first_rate
        self.most = 1
        if clip.duration > 0:
            # One interval is the least there is: from there on, multiples reach every number of intervals.
            self.rate = max(self.rate, 1.0 / clip.duration)
            self.most = max(1, int(max(HIGHEST_RATE, self.rate) / self.rate + 1e-6))

    def best(self) -> Baked:
        """Give the clip at the multiple found, or at the highest where none holds."""
        first = self.tried
        if self._holds(first):
            return first
        loss = self._loss(first)
        self.baker.widen_if_type_is_the_cause(self.clip, loss)
        low, high, step = 1, self.most + 1, 1
        guesses = GUESSES
        found: Baked | None = None
        on_keys = self._multiple_on_keys()
        if on_keys is not None:
            tried = self._try(on_keys, must_measure=False)
            if tried is not None and self._holds(tried):
                found, high = tried, on_keys
        while high - low > 1:
            multiple = min(max(self._guess(), low + 1), high - 1)
            if found is None:  # where the law is too hopeful, go up in growing steps
                multiple = min(max(multiple, low + step), self.most)
            elif guesses > 0:
                guesses -= 1
            else:
                multiple = (low + high) // 2
            tried = self._try(multiple, must_measure=multiple == self.most)
            if tried is not None and self._holds(tried):
                found, high = tried, multiple
            else:
                low, step = multiple, 2 * step
        if found is None:
            # As far as the type is to blame, a wider one may hold.
            beyond = self._steady(self.tried) - self.allowed
            loss = self._loss(self.tried)
            if loss > beyond:
                self.baker.widen_if_type_is_the_cause(self.clip, loss, share=0.0)
            found = min(first, self.tried, key=self._steady)
        return found

    def _multiple_on_keys(self) -> int | None:
        """Find where irregular keys are frames, for there the error is far below what the law says."""
        if self.clip.key_rate or self.most > HIGHEST_RATE:
            return None
        return multiple_on_keys(self.clip, self.rate, self.most)

    def _guess(self) -> int:
        multiple, error = self.law
        loss = min(self._loss(self.tried), DTYPE_SHARE * self.allowed)
        left = self.allowed - loss
        if left <= 0 or error <= loss:
            return self.most
        # A little less is tried first: what fails is the cheaper try.
        return math.ceil(min(0.97 * multiple * math.sqrt((error - loss) / left), self.most))

    def _try(self, multiple: int, must_measure: bool) -> Baked | None:
        """Measure a multiple, or give None where the moments worst so far are enough to see that it fails."""
        baker = self.baker
        texels = baker.stored(self.clip, multiple * self.rate)
        baker.screen(self.clip, texels)
        assert baker.plan is not None
        seen = baker.metric.largest_near(self.clip, baker.layout, texels, baker.plan.rig, self.worst_times)
        if seen > self.allowed and not must_measure:
            self.law = (multiple, seen)
            return None
        self.tried = baker.measured(self.clip, texels)
        self.law = (multiple, self._steady(self.tried))
        self.worst_times += _worst_times(self.tried)
        return self.tried

    def _holds(self, baked: Baked) -> bool:
        assert self.baker.max_error is not None
        return baked.error.max_relative <= self.baker.max_error

    def _steady(self, baked: Baked) -> float:
        return baked.error.max - self.baker.lost.get(self.clip.name, 0.0)

    def _loss(self, baked: Baked) -> float:
        return baked.error.at_frames.max - self.baker.lost.get(self.clip.name, 0.0)


def _worst_times(baked: Baked) -> list[float]:
    worst = baked.error.worst
    return [] if worst is None else [worst.time]
