# SPDX-License-Identifier: MIT
"""Thousands of live characters that play clips and fade between them, stepped in one call."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from lissom._base.arrays import check_out, float_dtype, read_only
from lissom._base.names import counted
from lissom._base.numbers import check_number, whole_number
from lissom._base.one_call import OneCall
from lissom._base.set_module import set_module
from lissom._playback import player_layers, player_members
from lissom._playback.player_calls import PlayerCalls
from lissom._playback.player_ids import PlayerIds
from lissom._playback.player_layer import PlayerLayer
from lissom._playback.player_numbers import MOST_SECONDS, player_count
from lissom._playback.player_poses import PlayerPoses, due_rows
from lissom._playback.player_space import PlayerSource
from lissom._playback.player_stage import PlayerStage
from lissom._rig.skeleton import Skeleton

__all__ = ["Players"]

MOST_FADES = 64
_OWNERS = "these players"


@set_module("lissom")
class Players(PlayerCalls):
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
    CrossFade : one character.

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

    _class_name = "Players"

    def __init__(
        self, skeleton: Skeleton, count: int = 0, *, dtype: DTypeLike = np.float32, fades: int = 8
    ) -> None:
        if not isinstance(skeleton, Skeleton):
            advice = "; pass its skeleton" if hasattr(skeleton, "skeleton") else ""
            raise TypeError(f"Players: skeleton must be a Skeleton, got {type(skeleton).__name__}{advice}")
        number = player_count(count, "Players: count")
        most_fades = whole_number(fades, "Players: fades", least=1)
        if fades > MOST_FADES:
            raise ValueError(f"Players: fades must be at most {MOST_FADES}, got {fades}")
        self._ids = PlayerIds()
        self._ids.add(number)
        self._stage = PlayerStage(skeleton, float_dtype("Players", dtype), most_fades, self._ids.of_rows)
        self._poses: NDArray[Any] | None = None
        self._morphs: NDArray[Any] | None = None
        self._kept = PlayerPoses(number)
        self._layers: dict[str, PlayerLayer] = {}  # on top, the lowest first
        self._one_call = OneCall(_OWNERS)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all clips that are played."""
        return self._stage.skeleton

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the poses."""
        return self._stage.dtype

    @property
    def clips(self) -> tuple[PlayerSource, ...]:
        """The clips and blend spaces that were played, in the order of their numbers in `state`.

        The clips of a space come before it, as they have markers.
        """
        return tuple(self._stage.clips.all)

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
        ``elapsed`` and ``duration`` (seconds of the fade), ``parameter`` (2) of a
        blend space. Layers below ``covered`` have ended.
        The how-to of a thousand live characters lists the others. What is out of range is refused at the
        next step, by its row.
        """
        return self._stage.state

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets of the clips that were played; empty while none had any."""
        return self._stage.clips.morph_names

    @property
    def poses(self) -> NDArray[Any]:
        """The present poses (N, J, 10): what the last `step` returned, or a new array after other calls."""
        if self._poses is None:
            with self._call("Players.poses"):
                self._put_together()
        assert self._poses is not None
        return self._poses

    @property
    def morphs(self) -> NDArray[Any]:
        """The present weights of the morph targets, (N, M), of the last `step`; new ones after other calls.

        A clip that knows of no morph targets shows their defaults, as does a player that plays nothing yet.
        """
        if self._morphs is None:
            with self._call("Players.morphs"):
                self._put_together()
        assert self._morphs is not None
        return self._morphs

    @property
    def is_fading(self) -> NDArray[np.bool_]:
        """Whether a fade or an inertialization of each player is under way, (N,)."""
        state = self.state
        left = state["inertia_time"] < np.maximum(state["pose_end"], state["weights_end"])
        inertialized = (state["inertia"] != 0) & (state["covered"] == 0) & left
        return np.asarray((state["layer_count"] - state["covered"] > 1) | inertialized)

    @property
    def is_posed(self) -> NDArray[np.bool_]:
        """Whether the last `step` wrote the pose of each player, (N,), all but those that were not due."""
        return read_only(self._kept.is_posed)

    @property
    def events(self) -> NDArray[np.void]:
        """The markers that the last `step` passed, a structured array (E,), in the order of the players.

        Of each ``player`` (its id), ``clip`` (its number in `clips`), ``marker`` (its number in
        `Clip.markers`), ``time`` (seconds on the clip's time line, not wrapped) and ``weight`` (share of the
        clip in the pose). As `CrossFade.events` of each player.
        """
        with self._call("Players.events"):
            return self._stage.events()

    @property
    def root_motion(self) -> NDArray[np.float64]:
        """The moves of the characters in the last `step`, rigid trs (N, 10), in the order of the poses.

        Each in the character's own frame before the step: multiply its transform by it, on the right, as
        `lissom.trs.compose` does for all at once. As `CrossFade.root_motion` of each player; no move where
        clips have no root motion.
        """
        with self._call("Players.root_motion"):
            return self._stage.root_motion()

    def __len__(self) -> int:
        return len(self._ids)

    rows = player_members.rows
    add = player_members.add
    remove = player_members.remove
    layer = player_layers.layer
    remove_layer = player_layers.remove_layer

    @property
    def layers(self) -> tuple[PlayerLayer, ...]:
        """The layers on top, the lowest first."""
        return tuple(self._layers.values())

    def step(
        self, dt: float, out: NDArray[Any] | None = None, *, due: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Advance the time of all players, and return their poses.

        Events and root motion are those of everybody's time in this step, whether a pose is due or not.

        Parameters
        ----------
        dt : float
            Seconds since the last call, at least 0.
        out : ndarray, shape (N, J, 10), optional
            Where to write, of `dtype`, C-contiguous; allocated when omitted. `poses` is this array until the
            next call.
        due : array_like of bool, shape (N,), or of int, shape (n,), optional
            Whose poses are written, in the order of `ids`, or the ids of those; everybody's when omitted.
            All others keep the pose and weights that the last step returned for them, which is copied unless
            `out` is that array; new players are always due. `UpdateRates` chooses those in whom it is seen.

        Returns
        -------
        ndarray, shape (N, J, 10)
            The present local poses, in the order of `ids`. Players that play nothing yet are at rest.

        Raises
        ------
        TypeError
            If `dt` is not a number, `out` has another type, or `due` holds neither whole numbers nor bools.
        ValueError
            If `dt` is negative or not finite, `out` or `due` has another shape, an id in `due` is of no
            player here or comes twice, or the state was edited to what cannot be. Nothing is stepped then.
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
        with self._call("Players.step"):
            shape = (len(self), len(self.skeleton), 10)
            if out is None:
                out = np.empty(shape, self.dtype)
            else:
                check_out(out, "Players.step: out", shape, self.dtype)
            wanted = None if due is None else due_rows(due, self._ids, "Players.step")
            which = self._kept.due(wanted, len(self.morph_names))
            given = self._stage.prepared(seconds, "Players.step")
            layers = [(layer, layer._prepared(seconds)) for layer in self._layers.values()]
            tops = [layer._for_core(own_given) for layer, own_given in layers]
            if which is None:
                morphs = self._stage.advance(seconds, given, tops, out)
            else:
                rows, poses, weights = self._kept.kept(which, out)
                morphs = self._stage.advance(seconds, given, tops, out, which, self._kept.posed)
                if len(rows):
                    morphs[rows] = weights
                    if poses is not None:
                        out[rows] = poses
            self._stage.stepped(seconds)
            for layer in self._layers.values():
                layer._stage.stepped(seconds)
                if which is not None:
                    self._kept.forget(which & layer._shows)
            self._kept.take(out, morphs, which)
            self._poses, self._morphs = out, morphs
            return out

    @contextmanager
    def _call(self, where: str) -> Iterator[None]:
        """Be the one call that is under way, of a state whose ids are as they were given."""
        with self._one_call(where):
            self._stage.refuse_other_ids(self._ids.of_rows, where)
            for layer in self._layers.values():
                layer._stage.refuse_other_ids(self._ids.of_rows, f"{where}: layer {layer.name!r}")
            yield

    def _whose(self) -> Players:
        return self

    def _checked(self, clip: PlayerSource, where: str) -> PlayerSource:
        self._stage.clips.check(clip, where)
        for layer in self._layers.values():
            layer._check_targets(clip.morph_names, where)
        return clip

    def _stages(self) -> list[PlayerStage]:
        return [self._stage, *(layer._stage for layer in self._layers.values())]

    def _put_together(self) -> None:
        """Know the present poses, with the layers on top, and weights."""
        poses, morphs = self._stage.present()
        for layer in self._layers.values():
            layer._present(poses, morphs)
        self._poses = poses if self._poses is None else self._poses
        self._morphs = morphs if self._morphs is None else self._morphs

    def _changed(self) -> None:
        """Forget what showed, of clips that may be new."""
        self._forget()
        self._share_morphs()

    def _share_morphs(self) -> None:
        """Let all know of the morph targets of which one has heard."""
        stages = [stage for stage in self._stages() if stage.clips.knows_morphs]
        for known in (stage.clips for stage in stages if stage.clips.morph_names):
            for stage in stages:
                if not stage.clips.morph_names:
                    stage.know_morphs(known.morph_names, known.morph_defaults)

    def _forget(self) -> None:
        self._poses = self._morphs = None

    def __copy__(self) -> Players:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._stage = copy.copy(self._stage)
        other._ids = copy.deepcopy(self._ids)
        other._one_call = copy.copy(self._one_call)
        other._layers = {name: layer._copied(other) for name, layer in self._layers.items()}
        other._kept = PlayerPoses(len(other))
        other._forget()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_poses": None, "_morphs": None, "_kept": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_stage" not in state:  # older
            state = {
                "_stage": PlayerStage.from_older(state),
                "_ids": state["_ids"],
                "_one_call": OneCall(_OWNERS),
                "_poses": None,
                "_morphs": None,
                "_layers": state.get("_layers", {}),
            }
        self.__dict__.update(state)
        self._kept = PlayerPoses(len(self))
        for layer in self._layers.values():
            layer._take_older_ids()

    def __repr__(self) -> str:
        plays = int(np.count_nonzero(self.state["layer_count"]))
        fading = int(np.count_nonzero(self.is_fading))
        return (
            f"<Players: {len(self)} of {counted(len(self.skeleton), 'joint')}, {plays} playing "
            f"{counted(len(self.clips), 'clip')}, {fading} fading>"
        )
