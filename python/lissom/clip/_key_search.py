# SPDX-License-Identifier: MIT
"""The search for few keys in a window: a share of a bound for each joint, by measuring them together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.clip._clip_error import posed
from lissom.clip._kept_keys import KEYS, ONE_KEY, REMOVED, Kept, Ranks, clip_of, keys_of_whole
from lissom.clip._reduction import Reduction, TrackErrors
from lissom.clip._segments import Segments
from lissom.clip._tracks import LINEAR, WEIGHT

if TYPE_CHECKING:
    from lissom.clip import Clip

Floats = NDArray[np.float64]

# The bound holds for the error of all tracks together, so each joint's tracks get a share of it. Shares start
# so large that they hardly ever limit, and shrink where the error of the whole window is too large.
LARGEST_SHARE = 4.0
WEIGHT_SHARE = 0.999  # of weights, whose errors do not add up: the rest is for rounding
SHRINK = (0.5, 0.9)  # factors on the shares of a joint over the bound and of its ancestors: smallest, largest
SHRINK_POWER = 0.7
MOST_SHRINKS = 40
# Factors on the shares that may still grow, once the whole window is within the bound, and how often at most.
GROWTHS = ((1.3, 16), (1.05, 8))

# A track whose error as one key is below this part of the limit becomes one key: no share is that small, and
# tracks that do not move have the most segments to compute.
STILL = 1 / 256


class KeySearch:
    """The search in one window; `errors` are those of the tracks over the whole clip."""

    def __init__(self, reduction: Reduction, errors: TrackErrors) -> None:
        self.reduction, self.errors = reduction, errors
        # Weights of morph targets have no hierarchy: the share after those of all joints is theirs.
        table, joint_count = reduction.clip._table, len(reduction.clip.skeleton)
        self.joints = np.where(table["path"] == WEIGHT, joint_count, table["joint"])
        self.times, self.poses = reduction.times, reduction.poses  # where the search measures

    def exact(self, most: Ranks) -> Kept:
        """Leave out keys within the limit."""
        return self._kept(np.full(len(self.reduction.tracks), self.reduction.measure.limit), most)

    def within(self, most: Ranks, bound: float) -> Kept | None:
        """Leave out as many keys as the search finds within `bound` at all shells; None if it fails.

        No track gets a rank above that of `most`.
        """
        ancestors = self.reduction.ancestors
        shares = np.full(len(ancestors), LARGEST_SHARE)
        low, high = SHRINK
        for _ in range(MOST_SHRINKS):
            kept, excess = self._tried(shares, bound, most)
            if excess.max(initial=0) <= 1:
                excess = self._excess_everywhere(kept, bound)
                if excess.max(initial=0) <= 1:
                    break
                self._measure_everywhere()
            factors = np.where(excess > 1, np.clip(np.maximum(excess, 1) ** -SHRINK_POWER, low, high), 1)
            shares = shares * np.where(ancestors, factors[:, None], 1).min(axis=0)
        else:
            return None
        grown = self._grown(kept, shares, bound, most)
        if self._excess_everywhere(grown, bound).max(initial=0) > 1:
            self._measure_everywhere()
            grown = self._grown(kept, shares, bound, most)
        return grown

    def _grown(self, kept: Kept, shares: Floats, bound: float, most: Ranks) -> Kept:
        """Return what remains where shares grow as long as the bound holds."""
        ancestors = self.reduction.ancestors
        for factor, most_growths in GROWTHS:
            growing = shares < LARGEST_SHARE
            for _ in range(most_growths):
                if not growing.any():
                    break
                larger = np.where(growing, np.minimum(factor * shares, LARGEST_SHARE), shares)
                tried, excess = self._tried(larger, bound, most)
                if excess.max(initial=0) > 1:
                    growing &= ~ancestors[excess > 1].any(axis=0)
                    continue
                shares = larger
                growing &= shares < LARGEST_SHARE
                if tried.count() <= kept.count():
                    kept = tried
        return kept

    @cached_property
    def segments(self) -> tuple[list[int], Segments]:
        """The LINEAR tracks that can lose some of their keys, and their segments."""
        reduction, errors = self.reduction, self.errors
        moves = np.minimum(errors.removed, errors.one_key) > STILL * reduction.measure.limit
        ids, times, values, levers = [], [], [], []
        for i, track in enumerate(reduction.tracks):
            inside = reduction.window.inner[i]
            if track.interpolation == LINEAR and inside.stop - inside.start > 2 and moves[i]:
                ids.append(i)
                times.append(track.times[inside].astype(np.float64))
                values.append(track.values[inside].astype(np.float64))
                rows = np.searchsorted(reduction.times, times[-1])
                levers.append(reduction.levers[track.path][rows, track.joint])
        return ids, Segments(times, values, levers, reduction.measure.limit)

    def _kept(self, bounds: Floats, most: Ranks) -> Kept:
        """Return what remains of each track within its bound."""
        ranks = np.where(self.errors.one_key <= bounds, ONE_KEY, KEYS)
        ranks = np.minimum(np.where(self.errors.removed <= bounds, REMOVED, ranks), most)
        keys = [np.arange(len(track.times)) for track in self.reduction.tracks]
        ids, segments = self.segments
        for i, kept in zip(ids, segments.kept(bounds[ids]), strict=True):
            # The neighbours of the window stay with the ends.
            inside = self.reduction.window.inner[i]
            keys[i] = np.concatenate([keys[i][: inside.start], kept + inside.start, keys[i][inside.stop :]])
        return Kept(ranks.astype(np.int8), keys)

    def _tried(self, shares: Floats, bound: float, most: Ranks) -> tuple[Kept, Floats]:
        """Return what remains for some shares, and the error of each joint as a fraction of the bound."""
        kept = self._kept(np.append(shares, WEIGHT_SHARE)[self.joints] * bound, most)
        shells, after = self.reduction.measure.shells, posed(self._clip(kept), self.times)
        assert shells is not None
        return kept, shells.pose_errors(self.poses, after).max(axis=0, initial=0) / bound

    def _excess_everywhere(self, kept: Kept, bound: float) -> Floats:
        """Return the error of each joint at all moments, as a fraction of the bound; 0 where it is known."""
        window, shells = self.reduction.window, self.reduction.measure.shells
        worst = np.zeros(len(self.reduction.ancestors))
        if self.times is not window.times and shells is not None:
            for _, errors in shells.errors(self.reduction.clip, self._clip(kept), window.times):
                np.maximum(worst, errors.max(axis=0, initial=0), out=worst)
        return worst / bound

    def _measure_everywhere(self) -> None:
        """Measure between keys, too, from now on: the error is larger there."""
        if self.times is not self.reduction.window.times:
            self.times = self.reduction.window.times
            self.poses = posed(self.reduction.clip, self.times)

    def _clip(self, kept: Kept) -> Clip:
        window, tracks = self.reduction.window, self.reduction.tracks
        if window.is_whole:
            return clip_of(window.clip, tracks, keys_of_whole(window.clip, tracks, kept))
        first = np.zeros(1, np.intp)
        chosen = [
            (window.tracks[i], first) if rank == ONE_KEY else (tracks[i], kept.keys[i])
            for i, rank in enumerate(kept.ranks)
            if rank != REMOVED
        ]
        return clip_of(self.reduction.clip, [t for t, _ in chosen], [keys for _, keys in chosen])
