# SPDX-License-Identifier: MIT
"""Foot placement of many live characters, stepped together."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_floats, read_only
from lissom._base.names import counted
from lissom._base.one_call import OneCall
from lissom._playback.player_ids import whole_ids
from lissom._playback.player_numbers import MOST_SECONDS, number_of_each
from lissom._rig.skeleton import Skeleton
from lissom.ik._feet.checks import checked_contacts, checked_world, refuse_not_finite
from lissom.ik._feet.core_feet import placed_by_core
from lissom.ik._feet.pipeline import place_feet
from lissom.ik._feet.placement import FootPlacement
from lissom.ik._feet.player_states import PlayerStates, state_dtype
from lissom.ik._feet.result import FootResult

__all__ = ["PlayersFeet"]

_OWNERS = "these feet"


class PlayersFeet:
    """Place the feet of many live characters on the ground, each where it stands, in one call.

    Every player gets what a `FootPlacement` of its own would give it, with a state of its own: locks of feet
    that stand, springs of feet and body. All rays are cast at once.

    Parameters
    ----------
    placement : FootPlacement
        The character, its legs, the ground and all options. It is not changed; what is set there later, such
        as another ground, counts here from the next step on.

    Attributes
    ----------
    placement : FootPlacement

    Raises
    ------
    TypeError
        If `placement` is no FootPlacement.

    See Also
    --------
    lissom.Players : live characters that play clips.

    Notes
    -----
    On height fields, of legs with one knee and y up, the steps are made in the core, within 1e-9 of those of
    a `FootPlacement` (sums have another order), spread over ``lissom.thread_count()`` threads, and with the
    same bits on every machine. All else takes the steps of `FootPlacement` in NumPy, with the same bits as
    it, and a hundred times as long.

    One call at a time: another one while one is under way is refused by a RuntimeError.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> hills = lissom.ground.HeightField(np.random.default_rng(1).uniform(0, 0.3, (40, 40)))
    >>> feet = lissom.ik.PlayersFeet(lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), hills))
    >>> players = lissom.Players(hero.skeleton, 100)
    >>> players.play(players.ids, hero.clips["walk"], at=np.linspace(0, 1, 100))
    >>> places = lissom.trs.identity(100)
    >>> places[:, [0, 2]] = np.random.default_rng(2).uniform(5, 30, (100, 2))
    >>> for _ in range(3):
    ...     poses = players.step(1 / 60)
    ...     done = feet.update(poses, 1 / 60, world_from_model=places, ids=players.ids)
    >>> done.poses.shape, done.body_offset.shape
    ((100, 34, 10), (100,))
    """

    def __init__(self, placement: FootPlacement) -> None:
        if not isinstance(placement, FootPlacement):
            raise TypeError(
                f"PlayersFeet: placement must be a FootPlacement, got {type(placement).__name__}; "
                "FootPlacement(character, legs, ground) makes one"
            )
        self._placement = placement
        rig = placement._setting.rig
        self._state = np.zeros(0, state_dtype(len(rig.legs), len(rig.points.sole_joints)))
        self._one_call = OneCall(_OWNERS)

    @property
    def placement(self) -> FootPlacement:
        """The character, its legs, the ground and all options."""
        return self._placement

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the characters."""
        return self._placement.skeleton

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the players of the last `update`, (N,), in the order of `state`. Read-only."""
        return read_only(self._state["id"].copy())

    @property
    def state(self) -> NDArray[np.void]:
        """The state, a structured array (N,) to read and edit; another one after each `update`.

        Of each player ``id``, ``steps`` (how many it made; the next of one with 0 is a first one), ``body``
        (height by which it is raised), ``lean`` (rotation vector of the body), and for each leg ``slides``
        (of locked feet, from the animation), ``offset`` (height by which the foot is raised), ``height`` (the
        same of swinging feet), ``blend`` (weight of the ground) and ``tilts`` (rotation vectors of foot and
        toes); springs are pairs of a value and its velocity per second. Speeds are measured from the step
        before: its ``place`` (world_from_model), ``frames`` (of the joints that move soles, model space),
        ``ankles`` and ``hip_center``. All else is in world space.
        """
        return self._state

    def __len__(self) -> int:
        return len(self._state)

    def reset(self, ids: ArrayLike | None = None) -> None:
        """Reset states, as after a jump to another place: the next `update` of those players is a first one.

        Parameters
        ----------
        ids : array_like of int, shape (n,), optional
            All players if omitted.

        Raises
        ------
        TypeError
            If `ids` holds no whole numbers.
        ValueError
            If one is of no player of the last `update`, or comes twice.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> legs, floor = lissom.ik.Leg.find(hero), lissom.ground.Plane()
        >>> feet = lissom.ik.PlayersFeet(lissom.ik.FootPlacement(hero, legs, floor))
        >>> done = feet.update(hero.clips["idle"].sample([0.0, 0.1]), 1 / 60, ids=[7, 9])
        >>> feet.reset([9])
        >>> feet.state["steps"]
        array([1, 0])
        """
        with self._one_call("PlayersFeet.reset"):
            if ids is None:
                self._state["steps"] = 0
                return
            wanted = whole_ids(ids, "PlayersFeet.reset")
            rows = _rows_of(self._state["id"], wanted)
            if (rows < 0).any():
                raise ValueError(
                    "PlayersFeet.reset: ids must be among those of the last update, "
                    f"{counted(len(self), 'player')}, got {wanted[rows < 0][0]}"
                )
            self._state["steps"][rows] = 0

    def update(
        self,
        poses: ArrayLike,
        dt: ArrayLike,
        contacts: ArrayLike | None = None,
        world_from_model: ArrayLike | None = None,
        *,
        ids: ArrayLike | None = None,
    ) -> FootResult:
        """Place the feet of a pose of each player on the ground, some time after the poses before.

        Parameters
        ----------
        poses : array_like, shape (N, J, 10)
            Local trs of the animation, not of an earlier result.
        dt : float or array_like, shape (N,)
            Seconds since the last update, at least 0; ignored in the first of a player.
        contacts : array_like, shape (N, L), optional
            How much each foot stands, 0 to 1. If omitted, feet that are low stand.
        world_from_model : array_like, shape (N, 10), optional
            Rigid trs that place the characters in the world; at the origin if omitted.
        ids : array_like of int, shape (N,), optional
            Whose poses these are, such as `Players.ids`: each state follows its id, whatever its row. Players
            that were not in the last call start anew, and those that are in it no more are forgotten. If
            omitted, the row numbers; there must be as many as before then.

        Returns
        -------
        FootResult
            With an axis of players in place of frames.

        Raises
        ------
        TypeError
            If an argument does not hold numbers.
        ValueError
            If a shape does not fit, an id comes twice, a value is not finite or out of range, `dt` is
            negative, the ground returns arrays of the wrong shapes, or the frame of a foot is scaled to zero
            or sheared. The states then stay as they were.
        RuntimeError
            If another call is under way.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> higher = lissom.ground.Plane((0, 0.2, 0))
        >>> feet = lissom.ik.PlayersFeet(lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), higher))
        >>> for frame in range(30):  # half a second at 60 pictures per second
        ...     done = feet.update(hero.clips["idle"].sample([frame / 60, 0.3 + frame / 60]), 1 / 60)
        >>> done.body_offset.round(2)
        array([0.2, 0.2])
        """
        what = "PlayersFeet.update"
        placement = self._placement
        array = as_floats(poses, f"{what}: poses")
        joints = len(self.skeleton)
        if array.ndim != 3 or array.shape[1:] != (joints, 10):
            advice = "; FootPlacement.update takes one pose" if array.shape == (joints, 10) else ""
            raise ValueError(f"{what}: poses must have shape (N, {joints}, 10), got {array.shape}{advice}")
        count, legs = len(array), len(placement.legs)
        seconds = number_of_each(dt, f"{what}: dt", count, 0, MOST_SECONDS)
        if seconds is None:
            raise TypeError(f"{what}: dt must be a number or one for each, got None")
        world = None
        if world_from_model is not None:
            world = checked_world(what, world_from_model, (count, 10), "row")
        curves = checked_contacts(what, legs, contacts, (count,))
        with self._one_call("PlayersFeet.update"):
            before = self._taken_over(what, count, ids)
            refuse_not_finite(what, self.skeleton, array, "row")
            grounds = placement._grounds()
            setting = placement._setting
            if not count:
                rows, arrays = before, _nothing(legs, array)
            else:
                done = placed_by_core(what, setting, *grounds, before, array, seconds, curves, world)
                if done is None:
                    rows = before.copy()
                    states = PlayerStates(rows, setting.rig.points)
                    arrays = place_feet(what, setting, *grounds, states, array, seconds, curves, world, "row")
                else:
                    arrays, rows = done
            self._state = rows
        return FootResult(**arrays, skeleton=self.skeleton, world_from_model=world)

    def _taken_over(self, what: str, count: int, ids: ArrayLike | None) -> NDArray[np.void]:
        """Return rows for players, those that are known with their states; they are not to be written."""
        before = self._state
        if ids is None:
            wanted = np.arange(count, dtype=np.int64)
            if len(before) not in (0, count) or not np.array_equal(before["id"], wanted[: len(before)]):
                raise ValueError(
                    f"{what}: poses must be those of the {counted(len(before), 'player')} of the last call, "
                    f"got {count} without ids; pass ids=players.ids"
                )
        else:
            wanted = whole_ids(ids, what)
            if wanted.shape != (count,):
                raise ValueError(f"{what}: ids must have shape ({count},), got {wanted.shape}")
        _refuse_wild_state(what, before)
        if np.array_equal(before["id"], wanted):
            return before
        rows = np.zeros(count, before.dtype)
        found = _rows_of(before["id"], wanted)
        rows[found >= 0] = before[found[found >= 0]]
        rows["id"] = wanted
        return rows

    def __copy__(self) -> PlayersFeet:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._state, other._one_call = self._state.copy(), copy.copy(self._one_call)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> PlayersFeet:
        other = copy.copy(self)
        memo[id(self)] = other
        other._placement = copy.deepcopy(self._placement, memo)
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"_one_call": OneCall(_OWNERS), **state})  # older ones have a lock

    def __repr__(self) -> str:
        return f"<PlayersFeet: {counted(len(self), 'player')} by {self._placement!r}>"


def _rows_of(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the row of each wanted id; -1 for those that are not there."""
    if not len(ids):
        return np.full(len(wanted), -1, np.intp)
    order = np.argsort(ids, kind="stable")
    places = np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)
    rows = order[places]
    return np.where(ids[rows] == wanted, rows, -1)


def _refuse_wild_state(what: str, rows: NDArray[np.void]) -> None:
    """Refuse states that were edited to what cannot be."""
    numbers = rows.view(np.float64).reshape(len(rows), rows.dtype.itemsize // 8)
    if np.isfinite(numbers).all() and (rows["steps"] >= 0).all():
        return  # whole numbers too, read as others: what looks wrong is looked at field by field
    for name in rows.dtype.names or ():
        values = rows[name]
        wrong = values < 0 if name == "steps" else ~np.isfinite(values)
        if name == "id" or not wrong.any():
            continue
        row = int(np.argwhere(wrong)[0, 0])
        ought = "at least 0" if name == "steps" else "finite"
        raise ValueError(f"{what}: state[{name!r}] must be {ought}, got {values[wrong][0]} in row {row}")


def _nothing(legs: int, poses: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a result of no players."""
    each, three = np.zeros((0, legs)), np.zeros((0, legs, 3))
    no = np.zeros((0, legs), bool)
    return {
        "poses": poses.copy(),
        **dict.fromkeys(("contacts", "ground_heights", "offsets", "weights", "residuals"), each),
        **dict.fromkeys(("targets", "normals"), three),
        "body_offset": np.zeros(0),
        **dict.fromkeys(("reached", "airborne", "too_far"), no),
    }
