# SPDX-License-Identifier: MIT
"""The search for few keys in all windows of a clip, and what they come to together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.clip._clip_error import JointShellMetric, posed
from lissom.clip._kept_keys import REMOVED, Kept, Ranks, clip_of, keys_of_whole
from lissom.clip._key_search import KeySearch
from lissom.clip._reduction import Measure, Reduction
from lissom.clip._windows import Window, windows_of

if TYPE_CHECKING:
    from lissom.clip import Clip

Floats = NDArray[np.float64]


class WindowSearch:
    """The windows of a clip, searched one after another, so that memory does not grow with the clip.

    A track goes, or becomes one key, where that is within its bound in all of them.
    """

    def __init__(
        self, clip: Clip, shells: JointShellMetric | None, limit: float, weight_lever: float | Floats = 1.0
    ) -> None:
        self.clip = clip
        self.windows = windows_of(clip)
        start = np.array([clip.start])
        largest = np.ones(1)
        if shells is None:
            largest, weight_lever = _units(clip, self.windows)
        first, first_weights = posed(clip, start)[0], clip.morphs(start, loop=False)[0]
        self.measure = Measure(shells, limit, weight_lever, largest, first, first_weights)
        reduction = Reduction(self.windows[0], self.measure)
        self.errors = reduction.track_errors()
        for window in self.windows[1:]:
            reduction = Reduction(window, self.measure)
            self.errors = self.errors.over(reduction.track_errors())
        self.search = KeySearch(reduction, self.errors)  # the last one: most clips have one window

    def clip_of(self, find: Callable[[KeySearch, Ranks], Kept | None], uniform: bool = False) -> Clip | None:
        """Return the clip of what `find` leaves in each window; None if it fails in one.

        Of a clip that is to stay uniform whole tracks go, and no keys: fewer would slerp.
        """
        tracks = self.windows[0].tracks
        most = np.full(len(tracks), REMOVED, np.int8)
        found: dict[int, Kept] = {}
        pending = list(range(len(self.windows)))
        while pending:
            for i in pending:
                kept = find(self._search_in(self.windows[i]), most)
                if kept is None:
                    return None
                found[i] = kept
            most = np.minimum.reduce([kept.ranks for kept in found.values()])
            pending = [i for i, kept in found.items() if (kept.ranks > most).any()]
        keys = []
        for track in range(len(tracks)):
            parts = [found[i].keys[track] + each.parts[track].start for i, each in enumerate(self.windows)]
            keys.append(np.unique(np.concatenate(parts)))
        keys = keys_of_whole(self.clip, tracks, Kept(most, keys))
        if uniform:
            keys = [np.arange(len(tracks[i].times)) if len(each) else each for i, each in enumerate(keys)]
        return clip_of(self.clip, tracks, keys, uniform)

    def _search_in(self, window: Window) -> KeySearch:
        if self.search.reduction.window is not window:
            self.search = KeySearch(Reduction(window, self.measure), self.errors)
        return self.search


def _units(clip: Clip, windows: Sequence[Window]) -> tuple[Floats, Floats]:
    """Return the longest translations (J,), and the inverses of the largest weights (M,); 1 for 0."""
    lengths, weights = np.zeros(len(clip.skeleton)), np.zeros(len(clip.morph_names))
    for window in windows:
        poses = posed(clip, window.keys)[..., :3].astype(np.float64)
        np.maximum(lengths, np.abs(poses).max(axis=(0, 2), initial=0), out=lengths)
        of_morphs = np.abs(clip.morphs(window.keys, loop=False)).max(axis=0, initial=0)
        np.maximum(weights, of_morphs, out=weights)
    return np.where(lengths > 0, lengths, 1), 1 / np.where(weights > 0, weights, 1)
