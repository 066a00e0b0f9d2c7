# SPDX-License-Identifier: MIT
"""Which of many players show a new pose, so that nobody sees that the others do not."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._playback.held_moves import HeldMoves, JointBoxes, moves_of_clip, moves_of_space
from lissom._playback.player_numbers import MOST_SECONDS
from lissom._playback.player_space import PlayerSource
from lissom._playback.players import Players
from lissom._rig.rigged import Rigged
from lissom._rig.skeleton_fit import is_same_skeleton
from lissom.clip import Clip

__all__ = ["UpdateRates"]


class _Measured(NamedTuple):
    source: PlayerSource  # so that its id stays its own
    loop: object
    moves: list[HeldMoves]


@set_module("lissom")
class UpdateRates:
    """Lets far players keep a pose as long as nobody sees it, by a bound of how far their vertices move.

    Of each clip that they play it is measured, once, how far vertices move at most from any of its times on
    while a pose is held up to a quarter of a second of it, the longest hold before it ends. With how large a
    unit is on the picture, that bounds the error in pixels; who would exceed `pixels` in the next step is
    due. Time, events and root motion go on for everybody.

    Players are due in each step while a fade or an inertialization is under way, while a layer shows, and
    where they play something else than at their last pose.

    Parameters
    ----------
    character : Character
        Whose mesh is drawn.
    pixels : float
        The largest error on the picture, above 0.

    Attributes
    ----------
    pixels : float
        Set it at any time.

    Raises
    ------
    TypeError
        If `character` is none, or `pixels` is no number.
    ValueError
        If `character` has no mesh, or `pixels` is not above 0.

    See Also
    --------
    Players.step : which takes what `due` returns.

    Notes
    -----
    The bound is of the vertices in model space, where the instance stands: it is the move of the farthest
    corner of the boxes, in the spaces of joints, of the vertices that each joint moves. Clips are measured at
    240 times a second, those longer than 20 s less often; what moves up to half way to the next time is added
    on both sides. Linear skinning exceeds it only by what a clip does back and forth within that half. Dual
    quaternions bulge a little where joints bend, and stayed below it in all characters measured. Blend spaces
    are measured at their clips and half way between two; where a parameter changes, what changes with it is
    added.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 1000)
    >>> crowd.play(crowd.ids, hero.clips["walk"], at=np.linspace(0, 1, 1000))
    >>> rates = lissom.UpdateRates(hero)
    >>> per_unit = 1000 / np.linspace(5, 1000, 1000)  # pixels of a metre, 5 to 1000 m away
    >>> poses = crowd.step(1 / 60)
    >>> for _ in range(10):
    ...     poses = crowd.step(1 / 60, poses, due=rates.due(crowd, 1 / 60, per_unit))
    >>> bool((rates.errors(crowd) * per_unit <= 0.5).all())
    True
    >>> bool(crowd.is_posed.mean() < 0.7)  # who is near is due in each step
    True
    """

    def __init__(self, character: Rigged, *, pixels: float = 0.5) -> None:
        if not isinstance(character, Rigged):
            raise TypeError(f"UpdateRates: character must be a Character, got {type(character).__name__}")
        if character.mesh is None or character.skin is None:
            raise ValueError(
                f"UpdateRates: character must have a mesh, got {character.name!r} without; players without "
                "one may be due by their distance"
            )
        self.pixels = pixels
        self._boxes = JointBoxes(character.skeleton, character.mesh, character.skin)
        self._measured: dict[int, _Measured] = {}  # what some players play that were asked about, and live
        self._asked: WeakSet[Players] = WeakSet()
        self._held: tuple[list[_Measured], _core.PlayerMoves] | None = (
            None  # of the clips of the last players
        )

    @property
    def pixels(self) -> float:
        """The largest error on the picture."""
        return self._pixels

    @pixels.setter
    def pixels(self, pixels: float) -> None:
        self._pixels = check_number(pixels, "UpdateRates: pixels", above_zero=True)

    def due(self, players: Players, dt: float, pixels_per_unit: ArrayLike) -> NDArray[np.bool_]:
        """Return whose poses a step must write, for the error of all others to stay below `pixels`.

        Parameters
        ----------
        players : Players
            Of the character's skeleton.
        dt : float
            Seconds of the step that follows.
        pixels_per_unit : array_like of float, shape () or (N,)
            How far what moves by a unit of model space moves on the picture at most, at least 0, in the order
            of `Players.ids`: with a lens of `f` pixels, scale times `f` over the depth of the nearest part,
            over the cosine of the angle off its axis; 0 for who is not in it. `LiveCrowd.pixels_per_unit`
            has those of its instances.

        Returns
        -------
        ndarray of bool, shape (N,)
            For `Players.step`.

        Raises
        ------
        TypeError
            If `players` are none, or an argument does not hold numbers.
        ValueError
            If the players are of another skeleton, `dt` is out of range, or `pixels_per_unit` has another
            shape, or a number that is negative or NaN.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.play(crowd.ids, hero.clips["idle"])
        >>> rates = lissom.UpdateRates(hero)
        >>> rates.due(crowd, 1 / 60, 10.0)  # nobody has a pose yet
        array([ True,  True])
        >>> _ = crowd.step(1 / 60, due=rates.due(crowd, 1 / 60, 10.0))
        >>> rates.due(crowd, 1 / 60, [10.0, 1000.0])
        array([False,  True])
        """
        where = "UpdateRates.due"
        self._check(players, where)
        seconds = check_number(dt, f"{where}: dt", least=0, largest=MOST_SECONDS)
        scales = as_numbers(pixels_per_unit, f"{where}: pixels_per_unit")
        if scales.shape not in ((), (len(players),)):
            raise ValueError(
                f"{where}: pixels_per_unit must be one number, or one for each of {len(players)} players, "
                f"got {scales.shape}"
            )
        if not (scales >= 0).all():
            wrong = np.atleast_1d(scales)[~np.atleast_1d(scales >= 0)][0]
            raise ValueError(f"{where}: pixels_per_unit must be at least 0, got {wrong:g}")
        moves = self._held_moves(players, seconds, where)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(~(moves * scales <= self._pixels) & (scales > 0))

    def errors(self, players: Players) -> NDArray[np.float64]:
        """Return how far vertices are at most from where they would be, were all poses those of now.

        Parameters
        ----------
        players : Players
            Of the character's skeleton, after a step.

        Returns
        -------
        ndarray of float64, shape (N,)
            Model units: 0 of those whose pose the last step wrote, infinite where no bound is known. Times
            `pixels_per_unit` it is the error on the picture.

        Raises
        ------
        TypeError, ValueError
            If `players` are none of the character's skeleton.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.play(crowd.ids, hero.clips["walk"])
        >>> poses = crowd.step(1 / 60, due=crowd.ids)
        >>> poses = crowd.step(1 / 60, poses, due=[1])
        >>> errors = lissom.UpdateRates(hero).errors(crowd)
        >>> bool(0 < errors[0] < 0.1), float(errors[1])
        (True, 0.0)
        """
        self._check(players, "UpdateRates.errors")
        return np.where(players.is_posed, 0.0, self._held_moves(players, 0.0, "UpdateRates.errors"))

    def _check(self, players: Players, where: str) -> None:
        if not isinstance(players, Players):
            raise TypeError(f"{where}: players must be Players, got {type(players).__name__}")
        skeleton = self._boxes.skeleton
        if not is_same_skeleton(skeleton, players.skeleton):
            others = "" if len(players.skeleton) != len(skeleton) else " of other names or parents"
            raise ValueError(
                f"{where}: players must be of the character's skeleton, "
                f"{counted(len(skeleton), 'joint')}, got {counted(len(players.skeleton), 'joint')}{others}"
            )

    def _held_moves(self, players: Players, dt: float, where: str) -> NDArray[np.float64]:
        """Return how far vertices move at most from the poses that show to those after a step, (N,)."""
        with players._call(where):
            stage, kept = players._stage, players._kept
            moves = self._known(players)
            out = np.empty(len(players))
            state, posed = (
                array.view(np.uint8).reshape(len(players), array.dtype.itemsize)
                for array in (stage.state, kept.posed)
            )
            stage.clips.for_core().held_moves(moves, state, posed, dt, out)
            for layer in players.layers:
                grows = (layer.fades["goal"] > 0) & (layer.state["layer_count"] > 0)
                out[layer._shows | grows] = np.inf
            return out

    def _known(self, players: Players) -> _core.PlayerMoves:
        """Return what the core is to know of the clips and spaces of players, by their numbers."""
        self._asked.add(players)
        measured = [self._measure(source) for source in players.clips]
        if len(self._measured) > len(measured):  # others play the rest, or nobody: a clip may take a megabyte
            played = {id(source) for each in self._asked for source in each.clips}
            self._measured = {number: each for number, each in self._measured.items() if number in played}
        if self._held is not None:
            known, held = self._held
            if len(known) == len(measured) and all(a is b for a, b in zip(known, measured, strict=True)):
                return held
        held = _core.PlayerMoves()
        for number, of_source in enumerate(measured):
            for each in of_source.moves:
                held.add(number, *each)
        self._held = measured, held
        return held

    def _measure(self, source: PlayerSource) -> _Measured:
        known = self._measured.get(id(source))
        if known is None or known.loop != source.loop:
            if isinstance(source, Clip):
                moves = [moves_of_clip(self._boxes, source)]
            else:
                moves = moves_of_space(self._boxes, source)
            self._measured[id(source)] = known = _Measured(source, source.loop, moves)
        return known

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "_asked"}
        return {**kept, "_measured": {}, "_held": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _asked=WeakSet())

    def __repr__(self) -> str:
        clips = counted(len(self._measured), "clip")
        return f"<UpdateRates: at most {self._pixels:g} pixels, {clips} measured>"
