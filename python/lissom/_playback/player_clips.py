# SPDX-License-Identifier: MIT
"""The clips of many players, by number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._playback.play_head import check_playable
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip
from lissom.clip._loop import LOOP_CODES
from lissom.clip._morphs import refuse_other_morphs

__all__ = ["PlayerClips"]


class PlayerClips:
    """Clips that were played, each once, and the morph targets that they have in common."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.all: list[Clip] = []
        self.morph_names: tuple[str, ...] = ()
        self.morph_defaults = np.zeros(0)
        self._numbers: dict[int, int] = {}
        self._loops: list[int] = []
        self._held: _core.PlayerClips | None = None

    def check(self, clip: object, function: str) -> Clip:
        """Refuse what is no clip for these players, in the name of `function`."""
        if not isinstance(clip, Clip):
            raise TypeError(f"{function}: clip must be a Clip, got {type(clip).__name__}")
        check_playable(clip, self.skeleton, function)
        if clip.morph_names and self.morph_names and clip.morph_names != self.morph_names:
            known = "the clips before"
            refuse_other_morphs(function, known, self.morph_names, clip.name, clip.morph_names)
        return clip

    def knows_no_morphs_of(self, clip: Clip) -> bool:
        """Return whether it is the first clip that has morph targets."""
        return bool(clip.morph_names) and not self.morph_names

    def number(self, clip: Clip) -> int:
        """Return the number of a checked clip, which becomes one of them."""
        known = self._numbers.get(id(clip))
        if known is not None:
            return known
        clip._ready()  # refuses keys that cannot be sampled
        if clip.morph_names:
            clip._ready_weights()
        if self.knows_no_morphs_of(clip):
            self.morph_names, self.morph_defaults = clip.morph_names, clip.morph_defaults.astype(np.float64)
            self._held = None
        self._numbers[id(clip)] = len(self.all)
        self.all.append(clip)
        if self._held is not None:
            self._hold(self._held, clip)
        return len(self.all) - 1

    def rest_weights(self, clip: Clip) -> NDArray[np.float64]:
        """Return the weights that a clip shows which knows of no morph targets."""
        return np.zeros_like(self.morph_defaults) if clip.additive else self.morph_defaults

    def _hold(self, held: _core.PlayerClips, clip: Clip) -> None:
        loop = LOOP_CODES[clip.loop]
        weights = clip._ready_weights() if clip.morph_names else None
        held.add(clip._ready(), weights, self.rest_weights(clip), loop, clip.start, clip.duration)
        self._loops.append(loop)

    def for_core(self) -> _core.PlayerClips:
        """Return them as the core takes them, with their loop modes of now."""
        if self._held is None:
            self._held, self._loops = _core.PlayerClips(len(self.morph_names)), []
            for clip in self.all:
                self._hold(self._held, clip)
        for number, clip in enumerate(self.all):
            loop = LOOP_CODES[clip.loop]
            if loop != self._loops[number]:
                self._held.set_loop(number, loop)
                self._loops[number] = loop
        return self._held

    def __copy__(self) -> PlayerClips:
        other = object.__new__(type(self))
        state = self.__getstate__()
        other.__setstate__({**state, "all": list(self.all), "_loops": []})
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": None, "_numbers": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._numbers = {id(clip): number for number, clip in enumerate(self.all)}
