# SPDX-License-Identifier: MIT
"""What plays on top of many players: clips of their own, with a mask, weights and fades."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import read_only
from lissom._base.easing import Ease
from lissom._base.set_module import set_module
from lissom._playback.blend import blend
from lissom._playback.play_checks import Method
from lissom._playback.player_space import BlendSpace, PlayerSource
from lissom._playback.player_stage import PlayerStage
from lissom._playback.player_weights import PlayerWeights
from lissom.clip._additive import add_layer

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["PlayerLayer"]

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
        self, players: Players, name: str, mask: NDArray[Any] | None, additive: bool, stage: PlayerStage
    ) -> None:
        self._players, self._name, self._mask, self._additive = players, name, mask, additive
        self._stage = stage  # rows in the order of the players'
        self._poses: NDArray[Any] | None = None  # of the last step, where nothing has changed them
        self._weights = PlayerWeights(len(stage))

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
    def clips(self) -> tuple[PlayerSource, ...]:
        """The clips and blend spaces that were played in it, in the order of their numbers in `state`."""
        return tuple(self._stage.clips.all)

    @property
    def state(self) -> NDArray[np.void]:
        """What plays in it, a structured array (N,) to read and edit, in the order of the players' rows.

        As `Players.state`, with the same ids.
        """
        return self._stage.state

    @property
    def fades(self) -> NDArray[np.void]:
        """The weights and their fades, a structured array (N,) to read and edit.

        Of each player ``weight`` (at present: a result), ``begin`` and ``goal``, ``elapsed`` and ``duration``
        (seconds) and ``ease`` (0 linear, 1 smooth, 2 smoother). Ask for it again after `Players.add` and
        `Players.remove`, which make another one.
        """
        return self._weights.rows

    @property
    def weights(self) -> NDArray[np.float64]:
        """The present weight of each player, (N,), in the order of the poses. Read-only."""
        return read_only(self._weights.rows["weight"])

    @property
    def events(self) -> NDArray[np.void]:
        """The markers that the last step passed in it, as `Players.events` lists them.

        ``weight`` is multiplied by that of the layer.
        """
        with self._players._call("PlayerLayer.events"):
            events = self._stage.events().copy()
            ids, order = np.unique(events["player"], return_inverse=True)
            rows = self._players._ids.rows(ids, "PlayerLayer.events")[order.reshape(-1)]
            events["weight"] *= self._weights.stepped[rows]
            return events

    def play(
        self,
        ids: ArrayLike,
        clip: PlayerSource,
        *,
        at: ArrayLike | None = None,
        speed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
    ) -> None:
        """Show a clip in this layer at once; the weights stay what they are.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        clip : Clip, BlendSpace1D or BlendSpace2D
            Additive where the layer is.
        at, speed, parameter : array_like of float, optional
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
        with self._players._call(where):
            rows = self._players._ids.rows(ids, where)
            self._stage.play(rows, self._checked(clip, where), at, speed, parameter, where)
            self._forget()

    def fade_to(
        self,
        ids: ArrayLike,
        clip: PlayerSource,
        duration: ArrayLike,
        ease: Ease = "smooth",
        method: Method = "blend",
        *,
        sync: bool = False,
        at: ArrayLike | None = None,
        speed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
    ) -> None:
        """Start fades to a clip in this layer, of players for which it plays one.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        clip : Clip, BlendSpace1D or BlendSpace2D
            Additive where the layer is.
        duration, at, speed, parameter : array_like of float
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
        with self._players._call(where):
            rows, clip = self._players._ids.rows(ids, where), self._checked(clip, where)
            everybody = self._players.ids
            self._stage.fade_to(
                rows, everybody, clip, duration, ease, method, sync, at, speed, parameter, where
            )
            self._forget()

    def move(self, ids: ArrayLike, parameter: ArrayLike, space: BlendSpace | None = None) -> None:
        """Move players in the blend spaces that they play in this layer, from the next step on.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players.
        parameter : array_like of float, shape () or (n,), or (2,) or (n, 2)
            As for `Players.move`.
        space : BlendSpace1D or BlendSpace2D, optional
            Move this one alone.

        Raises
        ------
        TypeError, ValueError
            As for `Players.move`.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> lean = lissom.BlendSpace1D([hero.clips["idle"], hero.clips["lean"]], [0, 1])
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> upper = crowd.layer("upper")
        >>> upper.play(crowd.ids, lean)
        >>> upper.move([1], 0.5)
        """
        where = "PlayerLayer.move"
        with self._players._call(where):
            self._stage.move(self._players._ids.rows(ids, where), parameter, space, where)

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
        with self._players._call(where):
            rows = self._players._ids.rows(ids, where)
            self._weights.weigh(rows, weight, duration, ease, where)
            self._players._forget()

    # What the players call.

    def _prepared(self, dt: float) -> NDArray[np.float64] | None:
        """Refuse a state that cannot be stepped, before anybody is; return what functions give as eases."""
        self._weights.check(f"Players.step: fades of layer {self._name!r}")
        where = f"Players.step: layer {self._name!r}"
        self._stage.check(dt, where)
        return self._stage.given(dt, where)

    def _step(self, dt: float, given: NDArray[np.float64] | None, out: NDArray[Any]) -> None:
        """Step it, and put it on top of poses."""
        self._weights.advance(dt)
        if self._poses is None:
            self._poses = np.empty_like(out)
        self._stage.advance(dt, given, self._poses)
        self._put(self._poses, out)

    def _present(self, out: NDArray[Any]) -> None:
        """Put what it shows at present on top of poses."""
        if self._poses is None:
            self._poses, _ = self._stage.present()
        self._put(self._poses, out)

    def _forget(self) -> None:
        self._poses = None
        self._players._forget()

    def _put(self, poses: NDArray[Any], out: NDArray[Any]) -> None:
        weights = self.weights.astype(out.dtype)
        shows = np.flatnonzero((weights > 0) & (self.state["layer_count"] > 0))
        combine = add_layer if self._additive else blend
        for part in np.split(shows, range(_TOGETHER, len(shows), _TOGETHER)):
            if part.size:
                out[part] = combine(out[part], poses[part], weights[part], self._mask)

    def _checked(self, clip: PlayerSource, where: str) -> PlayerSource:
        self._players._stage.clips.check(clip, where)
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
        self._poses = None
        self._weights.add(count)

    def _remove(self, moved: NDArray[np.intp], gaps: NDArray[np.intp]) -> None:
        self._poses = None
        self._weights.remove(moved, gaps, len(self._stage))

    def _copied(self, players: Players) -> PlayerLayer:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._players, other._stage = players, copy.copy(self._stage)
        other._weights, other._poses = copy.copy(self._weights), None
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_poses": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_stage" not in state:  # older: with players of its own
            own, weights = state["_own"], PlayerWeights(0)
            weights.rows, weights.stepped = state["_weights"], state["_stepped_weights"]
            kept = {name: state[name] for name in ("_players", "_name", "_mask", "_additive")}
            state = {**kept, "_stage": own._stage, "_poses": None, "_weights": weights}
        self.__dict__.update(state)
        self._take_older_ids()

    def _take_older_ids(self) -> None:
        """Once the layer and its players are there, let its state have their ids, as older ones have not."""
        if "_stage" in self.__dict__ and "_ids" in self._players.__dict__:
            self._stage.take_ids(self._players._ids.of_rows)

    def __copy__(self) -> PlayerLayer:
        return self._players.__copy__()._layers[self._name]  # of players that play on by themselves

    def __repr__(self) -> str:
        shown = np.count_nonzero((self.fades["goal"] > 0) & (self.state["layer_count"] > 0))
        kind = ", ".join(["masked"] * (self._mask is not None) + ["additive"] * self._additive) or "whole"
        return f"<PlayerLayer {self._name!r}: {kind}, {shown} of {len(self._stage)} players show it>"
