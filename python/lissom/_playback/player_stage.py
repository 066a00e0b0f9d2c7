# SPDX-License-Identifier: MIT
"""Where many players play, by their rows: those of `Players`, and those of each layer on top of them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import trs
from lissom._base.easing import Ease
from lissom._playback.play_checks import Method, check_fades
from lissom._playback.player_clips import PlayerClips
from lissom._playback.player_eases import PlayerEases
from lissom._playback.player_fades import FadeRequest, fade, keep_past, start
from lissom._playback.player_moves import events_of, root_motion_of
from lissom._playback.player_numbers import BACKWARDS, MOST_SECONDS, MOST_SPEED, number_of_each
from lissom._playback.player_space import (
    PlayerSource,
    move_rows,
    parameters_for,
    played_parameters,
    set_parameters,
    shares_at,
)
from lissom._playback.player_state import REMEMBERED, PlayerArrays
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip

__all__ = ["PlayerStage"]

Rows = NDArray[np.int64]


class PlayerStage:
    """The clips, the state and the poses of players, whose calls take rows and are refused by name.

    `where` is the function that the user called.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        dtype: np.dtype[Any],
        most_fades: int,
        ids: Rows,
        knows_morphs: bool = True,
    ) -> None:
        self.skeleton, self.dtype, self.most_fades = skeleton, dtype, most_fades
        self.clips = PlayerClips(skeleton, knows_morphs)
        self.arrays = PlayerArrays(len(skeleton), dtype, len(ids))
        self.arrays.state["id"] = ids
        self.eases = PlayerEases()
        self._has_stepped = False  # whether the last step took time
        self._last: NDArray[np.void] | None = None  # the state after it, where calls have changed that since
        self._events: NDArray[np.void] | None = None
        self._root_motion: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.arrays)

    @property
    def state(self) -> NDArray[np.void]:
        """The state, (N,)."""
        return self.arrays.state

    # Who is there.

    def add(self, ids: Rows) -> None:
        """Add rows of players that play nothing yet."""
        before, last = len(self), self._changing()
        self._last = None if last is None else np.append(last, np.zeros(len(ids), last.dtype))
        self.arrays.resize(before + len(ids))
        self.arrays.state["id"][before:] = ids

    def remove(self, moved: NDArray[np.intp], gaps: NDArray[np.intp], left: int) -> None:
        """Let rows move into the gaps, and keep the first ones that are left."""
        last = self._changing()
        if last is not None:
            last[gaps] = last[moved]
            self._last = last[:left]
        self.arrays.move(moved, gaps)
        self.arrays.resize(left)

    def take_ids(self, ids: Rows) -> None:
        """Let the state have other ids."""
        for state in (self.arrays.state, self._last):
            if state is not None:
                state["id"] = ids
        self._events = None

    # What they play.

    def play(
        self,
        rows: Rows,
        clip: PlayerSource,
        at: ArrayLike | None,
        speed: ArrayLike | None,
        parameter: ArrayLike | None,
        where: str,
    ) -> None:
        """Let rows show a clip or a space, and nothing else."""
        self.clips.check(clip, where)
        begin = number_of_each(at, f"{where}: at", len(rows), -MOST_SECONDS, MOST_SECONDS)
        pace = number_of_each(speed, f"{where}: speed", len(rows), 0, MOST_SPEED, BACKWARDS)
        parameters = parameters_for(clip, parameter, len(rows), where)
        number = self._number(clip)
        last = self._changing()
        if last is not None:
            last["layer_count"][rows] = 0
        times: Any = clip.start if begin is None else begin
        space = None
        if not isinstance(clip, Clip):
            if parameters is None:
                parameters = played_parameters(self.state, rows, number, clip)
            space = parameters, times / shares_at(self.clips.for_core(), number, parameters).seconds
        start(self.state, rows, number, times, 1.0 if pace is None else pace, space)

    def move(self, rows: Rows, parameter: ArrayLike, space: PlayerSource | None, where: str) -> None:
        """Move rows in the spaces that they play, or in one of them."""
        move_rows(self.state, rows, self.clips.all, parameter, space, where)

    def fade_to(
        self,
        rows: Rows,
        ids: Rows,
        clip: PlayerSource,
        duration: ArrayLike,
        ease: Ease,
        method: Method,
        sync: bool,
        at: ArrayLike | None,
        speed: ArrayLike | None,
        parameter: ArrayLike | None,
        where: str,
    ) -> None:
        """Start fades of rows; `ids` are those of all rows."""
        self.clips.check(clip, where)
        self.clips.for_core().check(where, self.arrays.for_core(), rows)
        check_fades(where, clip, self._showing(rows, ids, where), ease, method, sync, at)
        seconds = number_of_each(duration, f"{where}: duration", len(rows), 0, MOST_SECONDS)
        begin = number_of_each(at, f"{where}: at", len(rows), -MOST_SECONDS, MOST_SECONDS)
        pace = number_of_each(speed, f"{where}: speed", len(rows), 0, MOST_SPEED, BACKWARDS)
        if seconds is None:
            raise TypeError(f"{where}: duration must be a number or one for each, got None")
        parameters = parameters_for(clip, parameter, len(rows), where)
        number = self._number(clip)
        if parameters is not None:
            set_parameters(self.state, rows, number, parameters)
        elif not isinstance(clip, Clip):
            parameters = played_parameters(self.state, rows, number, clip)
        request = FadeRequest(
            number,
            seconds,
            self.eases.number(ease, self.state),
            method,
            sync,
            begin,
            pace,
            parameters,
            self.most_fades,
        )
        self._changing()
        fade(self.arrays, self.clips.for_core(), rows, request, self._shown, where)

    def _number(self, clip: PlayerSource) -> int:
        is_first = self.clips.knows_no_morphs_of(clip)
        number = self.clips.number(clip)
        if is_first:
            self.arrays.know_morphs(self.clips.rest_weights(clip))
        return number

    def know_morphs(self, names: tuple[str, ...], defaults: NDArray[np.float64]) -> None:
        """Take morph targets that others play: until now there were none."""
        self.clips.know_morphs(names, defaults)
        is_additive = any(clip.additive for clip in self.clips.all)
        self.arrays.know_morphs(np.zeros_like(defaults) if is_additive else defaults)

    def _showing(self, rows: Rows, ids: Rows, where: str) -> list[PlayerSource]:
        """Return the clips that players fade to; refuse players that have none."""
        counts = self.state["layer_count"][rows]
        idle = counts == 0
        if idle.any():
            raise ValueError(
                f"{where}: ids must be of players that play, got {ids[rows[idle][0]]}, which plays nothing "
                "yet; call play first"
            )
        layers = self.state["layers"]
        tops = layers["clip"][rows, layers["head"][rows, counts - 1]]
        played = np.flatnonzero(np.bincount(tops[tops >= 0]))  # a still pose has no clip
        return [self.clips.all[number] for number in played.tolist()]

    # Steps, and what they show.

    def refuse_other_ids(self, ids: Rows, where: str) -> None:
        """Refuse a state whose ids were edited: they are `ids`."""
        edited = self.state["id"] != ids
        if edited.any():
            row = int(np.argmax(edited))
            raise ValueError(
                f"{where}: state of row {row}: id must be {ids[row]}, which no edit changes, got "
                f"{self.state['id'][row]}; write it back"
            )

    def given(self, dt: float, where: str) -> NDArray[np.float64] | None:
        """Return the weights that functions of users give for a step, as `advance` takes them."""
        self.eases.check(self.state, where)
        return self.eases.weights(self.arrays, dt)

    def prepared(self, dt: float, where: str) -> NDArray[np.float64] | None:
        """Get ready for a step, which changes nothing that shows; return the weights that functions give."""
        given = self.given(dt, where)
        if dt == 0:  # the moment before stays what it was
            state = self.state
            still = np.flatnonzero((state["layer_count"] > 0) & (state["past"] == REMEMBERED))
            if len(still):
                self.clips.for_core().check(where, self.arrays.for_core(), np.arange(len(self)), dt)
            keep_past(self.arrays, still, self._shown)
        return given

    def advance(
        self,
        dt: float,
        given: NDArray[np.float64] | None,
        tops: list[tuple[Any, ...]],
        out: NDArray[Any],
        due: NDArray[np.bool_] | None = None,
        posed: NDArray[np.void] | None = None,
    ) -> NDArray[Any]:
        """Step the players, and what plays on `tops` of them, as `for_step` returns it.

        Writes their poses (N, J, 10), and returns their weights of morph targets. Of those that are not
        `due`, (N,), nothing is written; what the others show below `tops` is told in `posed`.
        """
        weights = np.empty((len(self), len(self.clips.morph_names)), self.dtype)
        clips, arrays, given = self.for_step(given)
        who = None if due is None else due.view(np.uint8)
        what = None if posed is None else posed.view(np.uint8).reshape(len(self), posed.dtype.itemsize)
        clips.step(arrays, dt, given, *self._rest(), tops, who, what, out, weights)
        return weights

    def for_step(self, given: NDArray[np.float64] | None) -> tuple[Any, ...]:
        """Return the clips, the arrays and the weights that functions give, as the core takes them."""
        return self.clips.for_core(), self.arrays.for_core(), given

    def stepped(self, dt: float) -> None:
        """Know that the step is done."""
        self._has_stepped = dt > 0
        self._last = self._events = self._root_motion = None

    def present(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return what they show at present: new poses (N, J, 10) and weights of morph targets (N, M)."""
        rest, rest_weights = self._rest()
        poses, weights = np.tile(rest, (len(self), 1, 1)), np.tile(rest_weights, (len(self), 1))
        rows = np.flatnonzero(self.state["layer_count"])
        poses[rows], weights[rows] = self.shown(rows)
        return poses, weights

    def shown(self, rows: Rows) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return what rows show at present, all of which play."""
        return self._shown(rows)

    def _shown(self, rows: Rows, *, before: bool = False, layers: int = 0) -> tuple[NDArray[Any], Any]:
        poses = np.empty((len(rows), len(self.skeleton), 10), self.dtype)
        weights = np.empty((len(rows), len(self.clips.morph_names)))
        arrays, rows = self.arrays.for_core(), np.ascontiguousarray(rows, np.int64)
        self.clips.for_core().show("Players.state", arrays, rows, before, layers, poses, weights)
        return poses, weights

    def _rest(self) -> tuple[NDArray[Any], NDArray[Any]]:
        rest = np.ascontiguousarray(self.skeleton.rest, self.dtype)
        return rest, self.clips.morph_defaults.astype(self.dtype)

    # What the last step passed.

    def events(self) -> NDArray[np.void]:
        """Return the markers of the last step, in the order of the rows, with the ids of `state`."""
        if self._events is None:
            state = self._stepped() if self._has_stepped else self.state[:0]
            self._events = events_of(state, self.clips)
        return self._events

    def root_motion(self) -> NDArray[np.float64]:
        """Return the moves of the last step, (N, 10)."""
        if self._root_motion is None:
            if self._has_stepped:
                self._root_motion = root_motion_of(self._stepped(), self.clips)
            else:
                self._root_motion = trs.identity(len(self), dtype=np.float64)
        return self._root_motion

    def _stepped(self) -> NDArray[np.void]:
        """Return the state after the last step, of the players that are here."""
        return self.state if self._last is None else self._last

    def _changing(self) -> NDArray[np.void] | None:
        """Keep the state after the last step before it changes, where clips have markers or root motion."""
        self._events = self._root_motion = None
        if self._last is None and self._has_stepped:
            if not any(clip.markers or clip.root_motion for _, clip in self.clips.clips):
                self._has_stepped = False
            else:
                self._last = self.state.copy()
        return self._last

    def __copy__(self) -> PlayerStage:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.arrays = copy.deepcopy(self.arrays)
        other.clips, other.eases = copy.copy(self.clips), copy.copy(self.eases)
        other._last = None if self._last is None else self._last.copy()
        return other

    @classmethod
    def from_older(cls, state: dict[str, Any]) -> PlayerStage:
        """Return the stage of players that were pickled before there were stages, from their attributes."""
        made = object.__new__(cls)
        eases = PlayerEases()
        eases.functions = state["_functions"]
        made.__dict__.update(
            skeleton=state["_skeleton"],
            dtype=state["_dtype"],
            most_fades=state["_fades"],
            clips=state["_clips"],
            arrays=state["_arrays"],
            eases=eases,
        )
        for name in ("_has_stepped", "_last", "_events", "_root_motion"):
            made.__dict__[name] = state[name]
        return made
