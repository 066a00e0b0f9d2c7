# SPDX-License-Identifier: MIT
"""Thousands of live characters that play clips and fade between them, stepped in one call."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from lissom import trs
from lissom._base.arrays import as_numbers, check_out, float_dtype, read_only
from lissom._base.easing import Ease
from lissom._base.names import counted
from lissom._base.numbers import check_number, whole_number
from lissom._base.set_module import set_module
from lissom._playback.play_checks import Method, check_fades
from lissom._playback.play_head import is_cycle
from lissom._playback.player_clips import PlayerClips
from lissom._playback.player_fades import FadeRequest, fade, keep_past, start
from lissom._playback.player_ids import PlayerIds
from lissom._playback.player_layer import PlayerLayer
from lissom._playback.player_moves import events_of, root_motion_of
from lissom._playback.player_numbers import (
    BACKWARDS,
    EASES,
    MOST_SECONDS,
    MOST_SPEED,
    number_of_each,
    player_count,
)
from lissom._playback.player_state import GIVEN, PlayerArrays
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip

__all__ = ["Players"]

MOST_FADES = 64


@set_module("lissom")
class Players:
    """Live characters of one skeleton that play clips and fade between them, stepped together in the core.

    Each player does what a `CrossFade` does, with the same numbers: the poses of as many of those are the
    same to the last bit, in deterministic mode and without. A step costs what its samples and blends cost.

    The state of all is one structured array, `state`, which may be read and edited between steps: what a
    player shows follows from it. Morph weights step beside the poses: see `morphs`.

    Parameters
    ----------
    skeleton : Skeleton
        The skeleton of all clips to play.
    count : int
        How many players there are at first; their ids are 0, 1, 2 and so on. `add` and `remove` change it.
    dtype : float32 or float64
        Type of the poses, in which they are blended, whatever the type of the clips. Times and weights are
        float64.
    fades : int
        So many fades of a player are in flight at once, 1 to 64. When a further one starts, the two lowest
        clips that show become one still pose, which the fades above go on to cover. A `CrossFade` has no such
        limit.

    Raises
    ------
    TypeError
        If `skeleton` is no Skeleton, or a number is of another type.
    ValueError
        If a number is out of its range.

    See Also
    --------
    CrossFade : one character, which may play blend spaces, too.

    Notes
    -----
    One call at a time: another one while one is under way is refused by a RuntimeError, and `state` may not
    be edited meanwhile. The step itself is spread over ``lissom.thread_count()`` threads.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 1000)
    >>> crowd.play(crowd.ids, hero.clips["walk"], at=np.linspace(0, 1, 1000))
    >>> crowd.fade_to(crowd.ids[::2], hero.clips["run"], 0.4, sync=True)
    >>> poses = crowd.step(1 / 60)
    >>> poses.shape
    (1000, 34, 10)
    >>> poses = crowd.step(1 / 60, out=poses)  # every picture
    """

    def __init__(
        self, skeleton: Skeleton, count: int = 0, *, dtype: DTypeLike = np.float32, fades: int = 8
    ) -> None:
        if not isinstance(skeleton, Skeleton):
            advice = "; pass its skeleton" if hasattr(skeleton, "skeleton") else ""
            raise TypeError(f"Players: skeleton must be a Skeleton, got {type(skeleton).__name__}{advice}")
        self._skeleton = skeleton
        self._dtype = float_dtype("Players", dtype)
        number = player_count(count, "Players: count")
        self._fades = whole_number(fades, "Players: fades", least=1)
        if fades > MOST_FADES:
            raise ValueError(f"Players: fades must be at most {MOST_FADES}, got {fades}")
        self._clips = PlayerClips(skeleton)
        self._arrays = PlayerArrays(len(skeleton), self._dtype, number)
        self._ids = PlayerIds()
        self._arrays.state["id"] = self._ids.add(number)
        self._functions: list[
            Callable[[float], float]
        ] = []  # eases of users, from number GIVEN of `state` on
        self._poses: NDArray[Any] | None = None
        self._morphs: NDArray[Any] | None = None
        self._has_stepped = False  # whether the last step took time
        self._last: NDArray[np.void] | None = None  # the state after it, where calls have changed that since
        self._events: NDArray[np.void] | None = None
        self._root_motion: NDArray[np.float64] | None = None
        self._lock = threading.Lock()
        self._layers: dict[str, PlayerLayer] = {}  # on top, the lowest first

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all clips that are played."""
        return self._skeleton

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the poses."""
        return self._dtype

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips that were played, in the order of their numbers in `state`."""
        return tuple(self._clips.all)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all players, (N,), in the order of `state` and of the poses. Read-only."""
        return read_only(self._ids.of_rows)

    @property
    def state(self) -> NDArray[np.void]:
        """The state, a structured array (N,) to read and edit; anew after a call that makes it larger.

        Of each player ``id``, ``layer_count``, ``dt`` (seconds of its last step) and ``layers``; of each
        layer, from the lowest up, ``clip`` (its number in `clips`; -1 where the layer shows the same play
        head as one below, -2 a still pose), ``time`` (seconds on the clip's time line, not wrapped),
        ``speed``, ``weight`` (share of the clip in the pose), ``fade`` (weight over the layers below),
        ``elapsed`` and ``duration`` (seconds of the fade). Layers below ``covered`` have ended.
        The how-to of a thousand live characters lists the others. What is out of range is refused at the
        next step, by its row.
        """
        return self._arrays.state

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets of the clips that were played; empty while none had any."""
        return self._clips.morph_names

    @property
    def poses(self) -> NDArray[Any]:
        """The present poses (N, J, 10): what the last `step` returned, or a new array after other calls."""
        if self._poses is None:
            with self._alone("Players.poses"):
                self._poses, self._morphs = self._present()
        return self._poses

    @property
    def morphs(self) -> NDArray[Any]:
        """The present weights of the morph targets, (N, M), of the last `step`; new ones after other calls.

        A clip that knows of no morph targets shows their defaults, as does a player that plays nothing yet.
        """
        if self._morphs is None:
            with self._alone("Players.morphs"):
                poses, self._morphs = self._present()
                self._poses = poses if self._poses is None else self._poses
        return self._morphs

    @property
    def is_fading(self) -> NDArray[np.bool_]:
        """Whether a fade or an inertialization of each player is under way, (N,)."""
        state = self._arrays.state
        left = state["inertia_time"] < np.maximum(state["pose_end"], state["weights_end"])
        inertialized = (state["inertia"] != 0) & (state["covered"] == 0) & left
        return np.asarray((state["layer_count"] - state["covered"] > 1) | inertialized)

    @property
    def events(self) -> NDArray[np.void]:
        """The markers that the last `step` passed, a structured array (E,), in the order of the players.

        Of each ``player`` (its id), ``clip`` (its number in `clips`), ``marker`` (its number in
        `Clip.markers`), ``time`` (seconds on the clip's time line, not wrapped) and ``weight`` (share of the
        clip in the pose). As `CrossFade.events` of each player.
        """
        if self._events is None:
            with self._alone("Players.events"):
                state = self._stepped() if self._has_stepped else self._arrays.state[:0]
                self._events = events_of(state, self._clips.all)
        return self._events

    @property
    def root_motion(self) -> NDArray[np.float64]:
        """The moves of the characters in the last `step`, rigid trs (N, 10), in the order of the poses.

        Each in the character's own frame before the step: multiply its transform by it, on the right, as
        `lissom.trs.compose` does for all at once. As `CrossFade.root_motion` of each player; no move where
        clips have no root motion.
        """
        if self._root_motion is None:
            with self._alone("Players.root_motion"):
                if self._has_stepped:
                    self._root_motion = root_motion_of(self._stepped(), self._clips.all)
                else:
                    self._root_motion = trs.identity(len(self), dtype=np.float64)
        return self._root_motion

    def __len__(self) -> int:
        return len(self._ids)

    def rows(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Return the rows of players in `state` and in the poses.

        Parameters
        ----------
        ids : array_like of int, shape (n,)

        Returns
        -------
        ndarray of int64, shape (n,)
            Valid until players leave.

        Raises
        ------
        TypeError
            If `ids` holds no whole numbers.
        ValueError
            If one is of no player here, or comes twice.

        Examples
        --------
        >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton, 4)
        >>> crowd.remove([1])
        >>> crowd.ids
        array([0, 3, 2])
        >>> crowd.rows([2, 3])
        array([2, 1])
        """
        return self._ids.rows(ids, "Players.rows")

    def add(self, count: int = 1) -> NDArray[np.int64]:
        """Add players, which play nothing yet, behind all others.

        Parameters
        ----------
        count : int

        Returns
        -------
        ndarray of int64, shape (count,)
            Their ids, which no player had before.

        Raises
        ------
        TypeError
            If `count` is no whole number.
        ValueError
            If it is negative, or there would be too many.

        Examples
        --------
        >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton)
        >>> crowd.add(3)
        array([0, 1, 2])
        >>> len(crowd)
        3
        """
        number = player_count(count, "Players.add: count", len(self))
        with self._alone("Players.add"):
            before = len(self)
            last = self._changing()
            self._last = None if last is None else np.append(last, np.zeros(number, last.dtype))
            self._arrays.resize(before + number)
            ids = self._ids.add(number)
            self._arrays.state["id"][before:] = ids
            for layer in self._layers.values():
                layer._add(number)
            self._forget()
            return ids.copy()

    def remove(self, ids: ArrayLike) -> None:
        """Take players out. The last rows move into the gaps; the ids of all others stay.

        Parameters
        ----------
        ids : array_like of int, shape (n,)

        Raises
        ------
        TypeError
            If `ids` holds no whole numbers.
        ValueError
            If one is of no player here, or comes twice.

        Examples
        --------
        >>> crowd = lissom.Players(lissom.samples.humanoid().skeleton, 4)
        >>> crowd.remove([0, 2])
        >>> crowd.ids
        array([3, 1])
        >>> crowd.add(1)  # never an id that was given before
        array([4294967296])
        """
        with self._alone("Players.remove"):
            rows = self._ids.rows(ids, "Players.remove")
            last = self._changing()
            moved, gaps = self._ids.remove(rows)
            if last is not None:
                last[gaps] = last[moved]
                self._last = last[: len(self._ids)]
            self._arrays.move(moved, gaps)
            self._arrays.resize(len(self._ids))
            for layer in self._layers.values():
                layer._remove(rows, moved, gaps)
            self._forget()

    def play(
        self, ids: ArrayLike, clip: Clip, *, at: ArrayLike | None = None, speed: ArrayLike | None = None
    ) -> None:
        """Show a clip at once.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players; `ids` for all.
        clip : Clip
        at : array_like of float, shape () or (n,), optional
            Seconds on its time line at which to begin; its start when omitted.
        speed : array_like of float, shape () or (n,), optional
            Seconds of the clip for each second, at least 0; 1 when omitted. `Clip.reversed` plays backwards.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an id is of no player here or comes twice, `clip` is of another skeleton or has other morph
            targets, or a number is out of its range.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.play(crowd.ids, hero.clips["walk"], at=[0.0, 0.2])
        >>> bool(np.array_equal(crowd.step(0.1)[1], hero.clips["walk"].sample(0.2 + 0.1)))
        True
        """
        with self._alone("Players.play"):
            self._play(self._ids.rows(ids, "Players.play"), clip, at, speed, "Players.play")

    def fade_to(
        self,
        ids: ArrayLike,
        clip: Clip,
        duration: ArrayLike,
        ease: Ease = "smooth",
        method: Method = "blend",
        *,
        sync: bool = False,
        at: ArrayLike | None = None,
        speed: ArrayLike | None = None,
    ) -> None:
        """Start fades to a clip, each from the pose that its player shows.

        Players that fade to the clip already go on unchanged, unless `at` is passed; those of which it plays
        below continue it, without starting again.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players; `ids` for all.
        clip : Clip
        duration : array_like of float, shape () or (n,)
            Seconds, at least 0.
        ease : {"smooth", "linear", "smoother"} or callable
            How the weight grows. A function is called for each player and step: names are faster.
        method : {"blend", "inertialize", "spring"}
        sync : bool
            Whether the clip begins at the phase of the clip that shows, and both keep one phase.
        at : array_like of float, shape () or (n,), optional
            Seconds on its time line at which to begin.
        speed : array_like of float, shape () or (n,), optional
            Seconds of the clip for each second, at least 0; if omitted 1, or unchanged for a clip that plays.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an id is of no player here or comes twice, one of them plays nothing yet, or an argument is one
            that `CrossFade.fade_to` refuses, where the options are described.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.play(crowd.ids, hero.clips["idle"])
        >>> crowd.fade_to([1], hero.clips["walk"], 0.5, "linear")
        >>> _ = crowd.step(0.25)
        >>> crowd.state["layers"]["weight"]
        array([[1. , 0. ],
               [0.5, 0.5]])
        """
        where = "Players.fade_to"
        with self._alone(where):
            rows = self._ids.rows(ids, where)
            self._fade(rows, self.ids, clip, duration, ease, method, sync, at, speed, where)

    def layer(self, name: str, *, mask: ArrayLike | None = None, additive: bool = False) -> PlayerLayer:
        """Make a layer on top of all players, which each step steps and blends, too.

        Layers are put on in the order in which they were made. Nothing plays in a new one, and all weights
        are 0.

        Parameters
        ----------
        name : str
            Which no other layer has.
        mask : array_like of float, shape (J,), optional
            Weight of each joint in [0, 1]; 1 everywhere if omitted. See `Skeleton.mask`.
        additive : bool
            Whether its clips are differences, to be added by `add_layer`; else they are blended by `blend`.

        Returns
        -------
        PlayerLayer

        Raises
        ------
        TypeError
            If `name` or `additive` is of another type.
        ValueError
            If there is a layer of that name, or `mask` has another shape or numbers.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 3)
        >>> crowd.play(crowd.ids, hero.clips["walk"])
        >>> arms = crowd.layer("arms", mask=hero.skeleton.mask("Chest"))
        >>> arms.play(crowd.ids, hero.clips["wave"])
        >>> arms.weigh(crowd.ids, [0, 0.5, 1])
        >>> crowd.step(1 / 60).shape
        (3, 34, 10)
        """
        if not isinstance(name, str):
            raise TypeError(f"Players.layer: name must be a str, got {type(name).__name__}")
        if not isinstance(additive, (bool, np.bool_)):
            raise TypeError(f"Players.layer: additive must be True or False, got {additive!r}")
        with self._alone("Players.layer"):
            if name in self._layers:
                raise ValueError(f"Players.layer: name must be one that no layer has, got {name!r}")
            checked: NDArray[Any] | None = None
            if mask is not None:
                checked = as_numbers(mask, "Players.layer: mask").astype(np.float64)
                if checked.shape != (len(self._skeleton),):
                    raise ValueError(
                        f"Players.layer: mask must have shape ({len(self._skeleton)},), one number per "
                        f"joint, got {checked.shape}"
                    )
                wrong = ~((checked >= 0) & (checked <= 1))
                if wrong.any():
                    raise ValueError(f"Players.layer: mask must lie in [0, 1], got {checked[wrong][0]:g}")
                checked = checked.astype(self._dtype)
            own = Players(self._skeleton, len(self), dtype=self._dtype, fades=self._fades)
            made = PlayerLayer(self, name, checked, bool(additive), own)
            self._layers[name] = made
            return made

    @property
    def layers(self) -> tuple[PlayerLayer, ...]:
        """The layers on top, the lowest first."""
        return tuple(self._layers.values())

    def step(self, dt: float, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Advance the time of all players, and return their poses.

        Parameters
        ----------
        dt : float
            Seconds since the last call, at least 0.
        out : ndarray, shape (N, J, 10), optional
            Where to write, of `dtype`, C-contiguous; allocated when omitted. `poses` is this array until the
            next call.

        Returns
        -------
        ndarray, shape (N, J, 10)
            The present local poses, in the order of `ids`. Players that play nothing yet are at rest.

        Raises
        ------
        TypeError
            If `dt` is not a number or `out` has another type.
        ValueError
            If `dt` is negative or not finite, `out` has another shape, or the state was edited to what cannot
            be. Nothing is stepped then.
        RuntimeError
            If another call of these players is under way.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 3)
        >>> crowd.play(crowd.ids, hero.clips["walk"])
        >>> poses = np.empty((3, 34, 10), np.float32)
        >>> for _ in range(60):  # one second at 60 pictures per second
        ...     poses = crowd.step(1 / 60, out=poses)
        >>> bool(np.allclose(poses, hero.clips["walk"].sample(1.0), atol=1e-5))
        True
        """
        seconds = check_number(dt, "Players.step: dt", least=0, largest=MOST_SECONDS)
        with self._alone("Players.step"):
            shape = (len(self), len(self._skeleton), 10)
            if out is None:
                out = np.empty(shape, self._dtype)
            else:
                check_out(out, "Players.step: out", shape, self._dtype)
            given = self._given(seconds)
            layers = [(layer, layer._prepared(seconds)) for layer in self._layers.values()]
            self._advance(seconds, given, out)
            for layer, own_given in layers:
                layer._step(seconds, own_given, out)
            return out

    # What the calls, and those of layers, share. They are refused in the name of `where`.

    def _play(
        self, rows: NDArray[np.int64], clip: Clip, at: ArrayLike | None, speed: ArrayLike | None, where: str
    ) -> None:
        self._clips.check(clip, where)
        begin = number_of_each(at, f"{where}: at", len(rows), -MOST_SECONDS, MOST_SECONDS)
        pace = number_of_each(speed, f"{where}: speed", len(rows), 0, MOST_SPEED, BACKWARDS)
        number = self._number(clip)
        last = self._changing()
        if last is not None:
            last["layer_count"][rows] = 0
        start(
            self._arrays.state,
            rows,
            number,
            clip.start if begin is None else begin,
            1.0 if pace is None else pace,
        )
        self._forget()

    def _fade(
        self,
        rows: NDArray[np.int64],
        ids: NDArray[np.int64],
        clip: Clip,
        duration: ArrayLike,
        ease: Ease,
        method: Method,
        sync: bool,
        at: ArrayLike | None,
        speed: ArrayLike | None,
        where: str,
    ) -> None:
        """Start fades of rows; `ids` are those of all rows."""
        self._clips.check(clip, where)
        self._clips.for_core().check(where, self._arrays.for_core(), rows)
        check_fades(where, clip, self._showing(rows, ids, where), ease, method, sync, at)
        seconds = number_of_each(duration, f"{where}: duration", len(rows), 0, MOST_SECONDS)
        begin = number_of_each(at, f"{where}: at", len(rows), -MOST_SECONDS, MOST_SECONDS)
        pace = number_of_each(speed, f"{where}: speed", len(rows), 0, MOST_SPEED, BACKWARDS)
        if seconds is None:
            raise TypeError(f"{where}: duration must be a number or one for each, got None")
        number = self._number(clip)
        clips = self._clips.all
        request = FadeRequest(
            clip,
            number,
            seconds,
            EASES.index(ease) if isinstance(ease, str) else self._ease_number(ease),
            method,
            sync,
            begin,
            pace,
            self._clips.rest_weights(clip),
            np.array([is_cycle(c) for c in clips]),
            np.array([c.start for c in clips]),
            np.array([c.duration for c in clips]),
            self._fades,
        )
        self._changing()
        fade(self._arrays, rows, request, self._shown, self._freeze)
        self._forget()

    def _advance(self, seconds: float, given: NDArray[np.float64] | None, out: NDArray[Any]) -> None:
        """Step the players without their layers."""
        arrays = self._arrays
        if seconds == 0:  # the moment before stays what it was
            plays = np.flatnonzero(arrays.state["layer_count"])
            keep_past(arrays, plays, self._shown)
        weights = np.empty((len(self), len(self.morph_names)), self._dtype)
        rest, rest_weights = self._rest()
        self._clips.for_core().step(arrays.for_core(), seconds, given, rest, rest_weights, out, weights)
        self._has_stepped = seconds > 0
        self._last = self._events = self._root_motion = None
        self._poses, self._morphs = out, weights

    @contextmanager
    def _alone(self, where: str) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                f"{where}: another call of these players is under way; make one call at a time"
            )
        try:
            yield
        finally:
            self._lock.release()

    def _forget(self) -> None:
        self._poses = self._morphs = None

    def _stepped(self) -> NDArray[np.void]:
        """Return the state after the last step, of the players that are here."""
        return self._arrays.state if self._last is None else self._last

    def _changing(self) -> NDArray[np.void] | None:
        """Keep the state after the last step before it changes, where clips have markers or root motion."""
        self._events = self._root_motion = None
        if self._last is None and self._has_stepped:
            if not any(clip.markers or clip.root_motion for clip in self._clips.all):
                self._has_stepped = False
            else:
                self._last = self._arrays.state.copy()
        return self._last

    def _number(self, clip: Clip) -> int:
        is_first = self._clips.knows_no_morphs_of(clip)
        number = self._clips.number(clip)
        if is_first:
            self._arrays.know_morphs(self._clips.rest_weights(clip))
        return number

    def _rest(self) -> tuple[NDArray[Any], NDArray[Any]]:
        rest = np.ascontiguousarray(self._skeleton.rest, self._dtype)
        return rest, self._clips.morph_defaults.astype(self._dtype)

    def _shown(
        self, rows: NDArray[np.int64], *, before: bool = False, layers: int = 0
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        poses = np.empty((len(rows), len(self._skeleton), 10), self._dtype)
        weights = np.empty((len(rows), len(self.morph_names)))
        arrays, rows = self._arrays.for_core(), np.ascontiguousarray(rows, np.int64)
        self._clips.for_core().show("Players.state", arrays, rows, before, layers, poses, weights)
        return poses, weights

    def _present(self) -> tuple[NDArray[Any], NDArray[Any]]:
        rest, rest_weights = self._rest()
        poses, weights = np.tile(rest, (len(self), 1, 1)), np.tile(rest_weights, (len(self), 1))
        rows = np.flatnonzero(self._arrays.state["layer_count"])
        poses[rows], weights[rows] = self._shown(rows)
        for layer in self._layers.values():
            layer._present(poses)
        return poses, weights

    def _freeze(self, rows: NDArray[np.int64]) -> None:
        arrays = self._arrays.for_core()
        self._clips.for_core().freeze(arrays, np.ascontiguousarray(rows), len(self._skeleton))

    def _showing(self, rows: NDArray[np.int64], ids: NDArray[np.int64], where: str) -> list[Clip]:
        """Return the clips that players fade to; refuse players that have none."""
        state = self._arrays.state[rows]
        idle = state["layer_count"] == 0
        if idle.any():
            raise ValueError(
                f"{where}: ids must be of players that play, got {ids[rows[idle][0]]}, which plays nothing "
                "yet; call play first"
            )
        index = np.arange(len(rows))
        heads = state["layers"]["head"][index, state["layer_count"] - 1]
        numbers = np.unique(state["layers"]["clip"][index, heads])
        return [self._clips.all[number] for number in numbers]

    # Functions of users as eases: the core takes what they give.

    def _ease_number(self, ease: Callable[[float], float]) -> int:
        for number, known in enumerate(self._functions):
            if known is ease:
                return GIVEN + number
        used = set(np.unique(self._arrays.state["layers"]["ease"]).tolist())
        for number in range(len(self._functions)):
            if GIVEN + number not in used:
                self._functions[number] = ease
                return GIVEN + number
        self._functions.append(ease)
        return GIVEN + len(self._functions) - 1

    def _given(self, dt: float) -> NDArray[np.float64] | None:
        """Return the weights of fades whose ease is a function, by layers after covered ones were dropped."""
        if not self._functions:
            return None
        state = self._arrays.state
        layers, index = state["layers"], np.arange(self._arrays.layers)
        live = (index > state["covered"][:, None]) & (index < state["layer_count"][:, None])
        given = np.zeros(layers.shape)
        for row, layer in np.argwhere(live & (layers["ease"] >= GIVEN)).tolist():
            number, elapsed = int(layers["ease"][row, layer]) - GIVEN, float(layers["elapsed"][row, layer])
            duration = float(layers["duration"][row, layer])
            if elapsed + dt < duration and number < len(self._functions):
                place = layer - int(state["covered"][row]) if dt > 0 else layer
                given[row, place] = self._functions[number]((elapsed + dt) / duration)
        return given

    def __copy__(self) -> Players:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._arrays = copy.deepcopy(self._arrays)
        other._ids = copy.deepcopy(self._ids)
        other._clips = copy.copy(self._clips)
        other._functions = list(self._functions)
        other._lock = threading.Lock()
        other._last = None if self._last is None else self._last.copy()
        other._layers = {name: layer._copied(other) for name, layer in self._layers.items()}
        other._forget()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_poses": None, "_morphs": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"_layers": {}, **state})
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        plays = int(np.count_nonzero(self._arrays.state["layer_count"]))
        fading = int(np.count_nonzero(self.is_fading))
        return (
            f"<Players: {len(self)} of {counted(len(self._skeleton), 'joint')}, {plays} playing "
            f"{counted(len(self._clips.all), 'clip')}, {fading} fading>"
        )
