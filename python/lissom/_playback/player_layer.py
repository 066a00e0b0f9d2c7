# SPDX-License-Identifier: MIT
"""What plays on top of many players: clips of their own, with a mask, weights and fades."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import read_only
from lissom._base.set_module import set_module
from lissom._playback.blend import blend
from lissom._playback.player_calls import PlayerCalls
from lissom._playback.player_space import PlayerSource
from lissom._playback.player_stage import PlayerStage
from lissom._playback.player_weights import PlayerWeights
from lissom.clip._additive import add_layer

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["PlayerLayer"]

_TOGETHER = 128  # players whose poses stay in the caches


@set_module("lissom")
class PlayerLayer(PlayerCalls):
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

    _class_name = "PlayerLayer"
    _morphs: bool | dict[str, float] | None = None

    def __init__(
        self,
        players: Players,
        name: str,
        mask: NDArray[Any] | None,
        additive: bool,
        morphs: bool | dict[str, float] | None,
        stage: PlayerStage,
    ) -> None:
        self._players, self._name, self._mask, self._additive = players, name, mask, additive
        self._morphs = morphs
        self._stage = stage  # rows in the order of the players'
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
    def morphs(self) -> bool | dict[str, float] | None:
        """What the layer does with weights of morph targets: what `Players.layer` was told, a copy."""
        return dict(self._morphs) if isinstance(self._morphs, dict) else self._morphs

    @property
    def clips(self) -> tuple[PlayerSource, ...]:
        """The clips and blend spaces that were played in it, in the order of their numbers in `state`."""
        self._check_there("PlayerLayer.clips")
        return tuple(self._stage.clips.all)

    @property
    def state(self) -> NDArray[np.void]:
        """What plays in it, a structured array (N,) to read and edit, in the order of the players' rows.

        As `Players.state`, with the same ids.
        """
        self._check_there("PlayerLayer.state")
        return self._stage.state

    @property
    def fades(self) -> NDArray[np.void]:
        """The weights and their fades, a structured array (N,) to read and edit.

        Of each player ``weight`` (at present: a result), ``begin`` and ``goal``, ``elapsed`` and ``duration``
        (seconds) and ``ease`` (0 linear, 1 smooth, 2 smoother). Ask for it again after `Players.add` and
        `Players.remove`, which make another one.
        """
        self._check_there("PlayerLayer.fades")
        return self._weights.rows

    @property
    def weights(self) -> NDArray[np.float64]:
        """The present weight of each player, (N,), in the order of the poses. Read-only."""
        self._check_there("PlayerLayer.weights")
        return read_only(self._weights.rows["weight"])

    @property
    def events(self) -> NDArray[np.void]:
        """The markers that the last step passed in it, as `Players.events` lists them.

        ``weight`` is multiplied by that of the layer.
        """
        with self._call("PlayerLayer.events"):
            events = self._stage.events().copy()
            ids, order = np.unique(events["player"], return_inverse=True)
            rows = self._players._ids.rows(ids, "PlayerLayer.events")[order.reshape(-1)]
            events["weight"] *= self._weights.stepped[rows]
            return events

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
        with self._call(where):
            rows = self._players._ids.rows(ids, where)
            self._weights.weigh(rows, weight, duration, ease, where)
            self._players._forget()

    # What the players call.

    def _prepared(self, dt: float) -> NDArray[np.float64] | None:
        return self._stage.prepared(dt, f"Players.step: {self._title}")

    def _for_core(self, given: NDArray[np.float64] | None) -> tuple[Any, ...]:
        """Return it as the core takes what plays on top, to be stepped and put on the poses below."""
        fades = self._weights.for_core()
        masks = self._mask, self._morph_mask()
        return (*self._stage.for_step(given), self._title, *fades, *masks, self._additive)

    @property
    def _title(self) -> str:
        return f"layer {self._name!r}"

    @property
    def _shows(self) -> NDArray[np.bool_]:
        """Which players show something of it, (N,)."""
        return np.asarray((self.weights > 0) & (self.state["layer_count"] > 0))

    def _present(self, out: NDArray[Any], morphs: NDArray[Any]) -> None:
        """Put what it shows at present on top of poses and weights of morph targets."""
        weights = self.weights.astype(out.dtype)
        shows = np.flatnonzero((weights > 0) & (self.state["layer_count"] > 0))
        combine = add_layer if self._additive else blend
        has_morphs = bool(self._stage.clips.morph_names)
        for part in np.split(shows, range(_TOGETHER, len(shows), _TOGETHER)):
            if not part.size:
                continue
            poses, own = self._stage.shown(part)
            out[part] = combine(out[part], poses, weights[part], self._mask)
            if has_morphs:
                morphs[part] = self._with_morphs(morphs[part], own.astype(out.dtype), weights[part, None])

    def _with_morphs(self, below: NDArray[Any], own: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
        """Return weights of morph targets with those of the layer on top, as the core computes them."""
        mask = self._morph_mask()
        shares = np.broadcast_to(weights if mask is None else weights * mask, below.shape)
        if self._additive:
            return np.asarray(below + shares * own)
        return np.where(shares == 1, own, below + shares * (own - below))

    def _morph_mask(self) -> NDArray[Any] | None:
        """Return the weight of each morph target, (M,); None where all have 1."""
        if not isinstance(self._morphs, dict):
            return None
        names = self._stage.clips.morph_names
        return np.array([self._morphs.get(name, 0.0) for name in names], self._stage.dtype)

    def _check_targets(self, names: tuple[str, ...], where: str) -> None:
        """Refuse morph targets among which some of those are not that the layer names."""
        if not names or not isinstance(self._morphs, dict):
            return
        for name in self._morphs:
            if name not in names:
                raise ValueError(
                    f"{where}: {self._title} must name morph targets that there are, got {name!r}; they are "
                    f"{', '.join(map(repr, names[:8]))}{', ...' if len(names) > 8 else ''}"
                )

    # Whose they are.

    def _whose(self) -> Players:
        return self._players

    @contextmanager
    def _call(self, where: str) -> Iterator[None]:
        with self._players._call(where):
            self._check_there(where)
            yield

    def _check_there(self, where: str) -> None:
        if not self._is_there():
            raise ValueError(f"{where}: {self._title} must be one of the players', but it was removed")

    def _checked(self, clip: PlayerSource, where: str) -> PlayerSource:
        self._stage.clips.check(clip, where)
        if bool(clip.additive) != self._additive:
            wanted = "be additive" if self._additive else "not be additive"
            raise ValueError(
                f"{where}: clip must {wanted}, as the layer {self._name!r} is made, got "
                f"{clip.name!r}; use a layer with additive={bool(clip.additive)}"
            )
        if clip.morph_names and self._morphs is None:
            raise ValueError(
                f"{where}: clip must have no morph targets, of which {self._title} was told nothing, got "
                f"{clip.name!r}; make the layer with morphs=True to blend their weights, or with False to "
                "leave them out"
            )
        if self._stage.clips.knows_morphs:
            self._players._checked(clip, where)
        return clip

    def _is_there(self) -> bool:
        return self._players._layers.get(self._name) is self

    def _add(self, count: int) -> None:
        self._weights.add(count)

    def _remove(self, moved: NDArray[np.intp], gaps: NDArray[np.intp]) -> None:
        self._weights.remove(moved, gaps, len(self._stage))

    def _copied(self, players: Players) -> PlayerLayer:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._players, other._stage = players, copy.copy(self._stage)
        other._weights = copy.copy(self._weights)
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_stage" not in state:  # older: with players of its own
            own, weights = state["_own"], PlayerWeights(0)
            weights.rows, weights.stepped = state["_weights"], state["_stepped_weights"]
            kept = {name: state[name] for name in ("_players", "_name", "_mask", "_additive")}
            state = {**kept, "_stage": own._stage, "_weights": weights}
        state.pop("_poses", None)  # which older ones kept
        self.__dict__.update(state)
        self._take_older_ids()

    def _take_older_ids(self) -> None:
        """Once the layer and its players are there, let its state have their ids, as older ones have not."""
        if "_stage" not in self.__dict__ or "_ids" not in self._players.__dict__:
            return
        if self._is_there():
            self._stage.take_ids(self._players._ids.of_rows)

    def __copy__(self) -> PlayerLayer:
        players = self._players.__copy__()  # which play on by themselves
        return players._layers[self._name] if self._is_there() else self._copied(players)

    def __repr__(self) -> str:
        kind = ", ".join(["masked"] * (self._mask is not None) + ["additive"] * self._additive) or "whole"
        if not self._is_there():
            return f"<PlayerLayer {self._name!r}: {kind}, removed>"
        shown = np.count_nonzero((self.fades["goal"] > 0) & (self.state["layer_count"] > 0))
        return f"<PlayerLayer {self._name!r}: {kind}, {shown} of {len(self._stage)} players show it>"
