# SPDX-License-Identifier: MIT
"""The clips and blend spaces of many players, by number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._playback.blend_space import BlendSpace1D, BlendSpace2D
from lissom._playback.play_head import check_playable
from lissom._playback.player_space import PlayerSource, hold_space
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip
from lissom.clip._loop import LOOP_CODES
from lissom.clip._morphs import refuse_other_morphs

__all__ = ["PlayerClips"]


class PlayerClips:
    """Clips and spaces that were played, each once, and the morph targets that they have in common.

    The clips of a space come before it.
    """

    knows_morphs = True  # else the morph targets of clips are left out

    def __init__(self, skeleton: Skeleton, knows_morphs: bool = True) -> None:
        self.skeleton, self.knows_morphs = skeleton, knows_morphs
        self.all: list[PlayerSource] = []
        self.morph_names: tuple[str, ...] = ()
        self.morph_defaults = np.zeros(0)
        self._numbers: dict[int, int] = {}
        self._loops: list[int] = []
        self._held: _core.PlayerClips | None = None

    def check(self, clip: object, function: str) -> PlayerSource:
        """Refuse what these players cannot play, in the name of `function`."""
        if not isinstance(clip, (Clip, BlendSpace1D, BlendSpace2D)):
            raise TypeError(f"{function}: clip must be a Clip or a blend space, got {type(clip).__name__}")
        check_playable(clip, self.skeleton, function)
        names = self.names_of(clip)
        if names and self.morph_names and names != self.morph_names:
            known = "the clips before"
            refuse_other_morphs(function, known, self.morph_names, clip.name, names)
        return clip

    def names_of(self, clip: PlayerSource) -> tuple[str, ...]:
        """Return the names of a clip's morph targets, none where these are left out."""
        return clip.morph_names if self.knows_morphs else ()

    def knows_no_morphs_of(self, clip: PlayerSource) -> bool:
        """Return whether it is the first clip that has morph targets."""
        return bool(self.names_of(clip)) and not self.morph_names

    def know_morphs(self, names: tuple[str, ...], defaults: NDArray[np.float64]) -> None:
        """Take the morph targets of the first clip that has some."""
        self.morph_names, self.morph_defaults, self._held = names, defaults, None

    @property
    def clips(self) -> list[tuple[int, Clip]]:
        """The clips alone, with their numbers."""
        return [(number, clip) for number, clip in enumerate(self.all) if isinstance(clip, Clip)]

    @property
    def spaces(self) -> list[int]:
        """The numbers of spaces."""
        return [number for number, source in enumerate(self.all) if not isinstance(source, Clip)]

    def number(self, clip: PlayerSource) -> int:
        """Return the number of a checked clip or space, which becomes one of them."""
        known = self._numbers.get(id(clip))
        if known is not None:
            return known
        for part in (clip,) if isinstance(clip, Clip) else clip.clips:
            part._ready()  # refuses keys that cannot be sampled
            if self.names_of(part):
                part._ready_weights()
        if self.knows_no_morphs_of(clip):
            self.know_morphs(clip.morph_names, clip.morph_defaults.astype(np.float64))
        for part in () if isinstance(clip, Clip) else clip.clips:
            self.number(part)
        self._numbers[id(clip)] = len(self.all)
        self.all.append(clip)
        if self._held is not None:
            self._hold(self._held, clip)
        return len(self.all) - 1

    def rest_weights(self, clip: PlayerSource) -> NDArray[np.float64]:
        """Return the weights that a clip shows which knows of no morph targets."""
        return np.zeros_like(self.morph_defaults) if clip.additive else self.morph_defaults

    def _hold(self, held: _core.PlayerClips, clip: PlayerSource) -> None:
        loop = LOOP_CODES[clip.loop]
        self._loops.append(loop)
        if not isinstance(clip, Clip):
            numbers = [self._numbers[id(part)] for part in clip.clips]
            hold_space(held, clip, numbers, self.rest_weights(clip), loop)
            return
        weights = clip._ready_weights() if self.names_of(clip) else None
        held.add(clip._ready(), weights, self.rest_weights(clip), loop, clip.start, clip.duration)

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
