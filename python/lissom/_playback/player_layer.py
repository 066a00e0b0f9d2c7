# SPDX-License-Identifier: MIT
"""What plays on top of many players: clips of their own, with a mask, weights and fades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import read_only
from lissom._base.easing import EASINGS, Ease
from lissom._base.set_module import set_module
from lissom._playback.blend import blend
from lissom._playback.play_checks import Method
from lissom._playback.player_numbers import EASES, MOST_SECONDS, number_of_each
from lissom.clip import Clip
from lissom.clip._additive import add_layer

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["PlayerLayer"]

_WEIGHT = np.dtype(
    [
        ("weight", "<f8"),
        ("begin", "<f8"),
        ("goal", "<f8"),
        ("elapsed", "<f8"),
        ("duration", "<f8"),
        ("ease", "<i4"),
    ]
)
_TOGETHER = 128  # players whose poses stay in the caches


@set_module("lissom")
class PlayerLayer:
    """What plays on top of all players, as `Players.layer` makes it: clips of its own, by weights that fade.

    Each player has a cross-fade in it, with a state of its own, which the step of the players advances, too,
    and a weight. Where nothing plays in it, or the weight is 0, the pose below stays to the last bit. The
    pose is that of `blend` with the mask, or of `add_layer` where the layer is additive.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 1000)
    >>> crowd.play(crowd.ids, hero.clips["walk"])
    >>> arms = crowd.layer("arms", mask=hero.skeleton.mask("Chest"))
    >>> arms.play([3, 7], hero.clips["wave"])
    >>> arms.weigh([3, 7], 1.0, 0.25)  # within a quarter of a second
    >>> poses = crowd.step(1 / 60)
    >>> arms
    <PlayerLayer 'arms': masked, 2 of 1000 players show it>
    """

    def __init__(
        self, players: Players, name: str, mask: NDArray[Any] | None, additive: bool, own: Players
    ) -> None:
        self._players, self._name, self._mask, self._additive = players, name, mask, additive
        self._own = own  # rows in the order of the players'
        self._weights = np.zeros(len(own), _WEIGHT)
        self._stepped_weights = np.zeros(len(own))  # as the last step had them, for its events

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def mask(self) -> NDArray[Any] | None:
        """The weight of each joint, (J,); None where all have 1. Read-only."""
        return None if self._mask is None else read_only(self._mask)

    @property
    def additive(self) -> bool:
        """Whether its clips are differences, which are added."""
        return self._additive

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips that were played in it, in the order of their numbers in `state`."""
        return self._own.clips

    @property
    def state(self) -> NDArray[np.void]:
        """What plays in it, a structured array (N,) to read and edit, in the order of the players' rows.

        As `Players.state`, but ``id`` is a number of the layer's own.
        """
        return self._own.state

    @property
    def fades(self) -> NDArray[np.void]:
        """The weights and their fades, a structured array (N,) to read and edit.

        Of each player ``weight`` (at present: a result), ``begin`` and ``goal``, ``elapsed`` and ``duration``
        (seconds) and ``ease`` (0 linear, 1 smooth, 2 smoother). Ask for it again after `Players.add` and
        `Players.remove`, which make another one.
        """
        return self._weights

    @property
    def weights(self) -> NDArray[np.float64]:
        """The present weight of each player, (N,), in the order of the poses. Read-only."""
        return read_only(self._weights["weight"])

    @property
    def events(self) -> NDArray[np.void]:
        """The markers that the last step passed in it, as `Players.events` lists them.

        ``weight`` is multiplied by that of the layer.
        """
        events = self._own.events.copy()
        ids, order = np.unique(events["player"], return_inverse=True)
        rows = self._own.rows(ids)[order.reshape(-1)]
        events["weight"] *= self._stepped_weights[rows]
        events["player"] = self._players.ids[rows]
        return events

    def play(
        self, ids: ArrayLike, clip: Clip, *, at: ArrayLike | None = None, speed: ArrayLike | None = None
    ) -> None:
        """Show a clip in this layer at once; the weights stay what they are.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        clip : Clip
            Additive where the layer is.
        at, speed : array_like of float, shape () or (n,), optional
            As for `Players.play`.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an id is of no player or comes twice, `clip` is additive and the layer is not or the other way
            round, or an argument is one that `Players.play` refuses.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.layer("arms").play([1], hero.clips["wave"], at=0.5)
        """
        where = "PlayerLayer.play"
        with self._players._alone(where):
            rows = self._players._ids.rows(ids, where)
            self._own._play(rows, self._checked(clip, where), at, speed, where)
            self._players._forget()

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
        """Start fades to a clip in this layer, of players for which it plays one.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        clip : Clip
            Additive where the layer is.
        duration, at, speed : array_like of float, shape () or (n,)
            As for `Players.fade_to`, as are all others.
        ease : {"smooth", "linear", "smoother"} or callable
        method : {"blend", "inertialize", "spring"}
        sync : bool

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an argument is one that `play` or `Players.fade_to` refuses.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> arms = crowd.layer("arms")
        >>> arms.play([1], hero.clips["wave"])
        >>> arms.fade_to([1], hero.clips["idle"], 0.5)
        """
        where = "PlayerLayer.fade_to"
        with self._players._alone(where):
            rows, clip = self._players._ids.rows(ids, where), self._checked(clip, where)
            own, everybody = self._own, self._players.ids
            own._fade(rows, everybody, clip, duration, ease, method, sync, at, speed, where)
            self._players._forget()

    def weigh(
        self, ids: ArrayLike, weight: ArrayLike, duration: ArrayLike = 0.0, ease: str = "smooth"
    ) -> None:
        """Let weights grow or shrink to others, from what they are at present.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        weight : array_like of float, shape () or (n,)
            In [0, 1].
        duration : array_like of float, shape () or (n,)
            Seconds, at least 0: then at once.
        ease : {"smooth", "linear", "smoother"}

        Raises
        ------
        TypeError
            If an argument is of another type.
        ValueError
            If an id is of no player or comes twice, a number is out of its range, or `ease` is unknown.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> arms = crowd.layer("arms")
        >>> arms.weigh(crowd.ids, [0.5, 1], 1.0, "linear")
        >>> _ = crowd.step(0.5)
        >>> arms.weights
        array([0.25, 0.5 ])
        """
        where = "PlayerLayer.weigh"
        with self._players._alone(where):
            rows = self._players._ids.rows(ids, where)
            goal = number_of_each(weight, f"{where}: weight", len(rows), 0, 1)
            seconds = number_of_each(duration, f"{where}: duration", len(rows), 0, MOST_SECONDS)
            if goal is None or seconds is None:
                raise TypeError(f"{where}: weight and duration must be numbers, got None")
            if ease not in EASES:
                known = ", ".join(map(repr, EASES))
                raise ValueError(f"{where}: ease must be one of {known}, got {ease!r}")
            fades = self._weights
            fades["begin"][rows], fades["goal"][rows] = fades["weight"][rows], goal
            fades["elapsed"][rows], fades["duration"][rows] = 0.0, seconds
            fades["ease"][rows] = EASES.index(ease)
            at_once = seconds == 0
            fades["weight"][rows[at_once]] = goal[at_once]
            self._players._forget()

    # What the players call.

    def _prepared(self, dt: float) -> NDArray[np.float64] | None:
        """Refuse a state that cannot be stepped, before anybody is; return what functions give as eases."""
        fades = self._weights
        for name, largest in (
            ("weight", 1),
            ("begin", 1),
            ("goal", 1),
            ("elapsed", 1e15),
            ("duration", 1e15),
        ):
            wrong = ~((fades[name] >= 0) & (fades[name] <= largest))
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                raise ValueError(
                    f"Players.step: fades of layer {self._name!r}, row {row}: {name} must lie in "
                    f"[0, {largest:g}], got {fades[name][row]:g}"
                )
        unknown = (fades["ease"] < 0) | (fades["ease"] >= len(EASES))
        if unknown.any():
            row = int(np.flatnonzero(unknown)[0])
            raise ValueError(
                f"Players.step: fades of layer {self._name!r}, row {row}: ease must be 0, 1 or 2, got "
                f"{fades['ease'][row]}"
            )
        own, where = self._own, f"Players.step: layer {self._name!r}"
        own._clips.for_core().check(where, own._arrays.for_core(), np.arange(len(own)), dt)
        return own._given(dt)

    def _step(self, dt: float, given: NDArray[np.float64] | None, out: NDArray[Any]) -> None:
        """Step it, and put it on top of poses."""
        fades = self._weights
        moving = np.flatnonzero((fades["elapsed"] < fades["duration"]) | (fades["weight"] != fades["goal"]))
        if moving.size:
            elapsed = fades["elapsed"][moving] + dt
            over = elapsed >= fades["duration"][moving]
            share = np.where(over, 1.0, elapsed / np.where(over, 1.0, fades["duration"][moving]))
            for number, name in enumerate(EASES):
                own = fades["ease"][moving] == number
                share[own] = EASINGS[name](share[own])
            begin, goal = fades["begin"][moving], fades["goal"][moving]
            fades["weight"][moving] = np.where(over, goal, begin + share * (goal - begin))
            fades["elapsed"][moving] = elapsed
        self._stepped_weights = fades["weight"].copy()
        poses = self._room()
        self._own._advance(dt, given, poses)
        self._put(poses, out)

    def _present(self, out: NDArray[Any]) -> None:
        """Put what it shows at present on top of poses."""
        self._put(self._own.poses, out)

    def _room(self) -> NDArray[Any]:
        """Return an array for its poses: that of the step before, where nobody came or went."""
        own = self._own
        if own._poses is not None and len(own._poses) == len(own):
            return own._poses
        return np.empty((len(own), len(own.skeleton), 10), own._dtype)

    def _put(self, poses: NDArray[Any], out: NDArray[Any]) -> None:
        weights = self._weights["weight"].astype(out.dtype)
        shows = np.flatnonzero((weights > 0) & (self._own.state["layer_count"] > 0))
        combine = add_layer if self._additive else blend
        for part in np.split(shows, range(_TOGETHER, len(shows), _TOGETHER)):
            if part.size:
                out[part] = combine(out[part], poses[part], weights[part], self._mask)

    def _checked(self, clip: Clip, where: str) -> Clip:
        self._players._clips.check(clip, where)
        if bool(clip.additive) != self._additive:
            wanted = "be additive" if self._additive else "not be additive"
            raise ValueError(
                f"{where}: clip must {wanted}, as the layer {self._name!r} is made, got "
                f"{clip.name!r}; use a layer with additive={bool(clip.additive)}"
            )
        if clip.morph_names:
            raise ValueError(
                f"{where}: clip must have no morph targets, which layers do not blend, got "
                f"{clip.name!r}; play it in other Players"
            )
        return clip

    def _add(self, count: int) -> None:
        self._own.add(count)
        self._weights = np.append(self._weights, np.zeros(count, _WEIGHT))
        self._stepped_weights = np.append(self._stepped_weights, np.zeros(count))

    def _remove(self, rows: NDArray[np.int64], moved: NDArray[np.intp], gaps: NDArray[np.intp]) -> None:
        self._own.remove(self._own.ids[rows])
        for array in (self._weights, self._stepped_weights):
            array[gaps] = array[moved]
        self._weights = self._weights[: len(self._own)].copy()
        self._stepped_weights = self._stepped_weights[: len(self._own)].copy()

    def _copied(self, players: Players) -> PlayerLayer:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._players, other._own = players, self._own.__copy__()
        other._weights, other._stepped_weights = self._weights.copy(), self._stepped_weights.copy()
        return other

    def __copy__(self) -> PlayerLayer:
        return self._players.__copy__()._layers[self._name]  # of players that play on by themselves

    def __repr__(self) -> str:
        shown = np.count_nonzero((self._weights["goal"] > 0) & (self._own.state["layer_count"] > 0))
        kind = ", ".join(["masked"] * (self._mask is not None) + ["additive"] * self._additive) or "whole"
        return f"<PlayerLayer {self._name!r}: {kind}, {shown} of {len(self._own)} players show it>"
