# SPDX-License-Identifier: MIT
"""The calls that say what many players play: by themselves, and in each layer on top of them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from lissom._base.easing import Ease
from lissom._playback.play_checks import Method
from lissom._playback.player_space import BlendSpace, PlayerSource

if TYPE_CHECKING:
    from lissom._playback.player_stage import PlayerStage
    from lissom._playback.players import Players

__all__ = ["PlayerCalls"]


class PlayerCalls:
    """What `Players` and their layers have in common, so that it stands once."""

    _stage: PlayerStage
    _class_name: ClassVar[str]  # in errors

    def _whose(self) -> Players:
        """Return the players whose ids these are."""
        raise NotImplementedError

    def _call(self, where: str) -> AbstractContextManager[None]:
        """Be the one call that is under way."""
        raise NotImplementedError

    def _checked(self, clip: PlayerSource, where: str) -> PlayerSource:
        """Return a clip; refuse what the players would not, and this does."""
        raise NotImplementedError

    def play(
        self,
        ids: ArrayLike,
        clip: PlayerSource,
        *,
        at: ArrayLike | None = None,
        speed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
    ) -> None:
        """Show a clip at once.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players; `ids` for all.
        clip : Clip, BlendSpace1D or BlendSpace2D
            A blend space is played by each player at a parameter of its own. In an additive layer one of
            differences, in others none.
        at : array_like of float, shape () or (n,), optional
            Seconds on its time line at which to begin; its start when omitted.
        speed : array_like of float, shape () or (n,), optional
            Seconds of the clip for each second, at least 0; 1 when omitted. `Clip.reversed` plays backwards.
        parameter : array_like of float, shape () or (n,), or (2,) or (n, 2), optional
            Of a blend space: the value of each player, or its point. When omitted, where it plays already, or
            the space's own. `move` changes it.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an id is of no player here or comes twice, `clip` has joints of other names or parents, or
            other morph targets, is additive where the layer is not or the other way round, or a number is out
            of its range.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> crowd = lissom.Players(hero.skeleton, 2)
        >>> crowd.play(crowd.ids, hero.clips["walk"], at=[0.0, 0.2])
        >>> bool(np.array_equal(crowd.step(0.1)[1], hero.clips["walk"].sample(0.2 + 0.1)))
        True
        """
        where = f"{self._class_name}.play"
        with self._call(where):
            players = self._whose()
            rows = players._ids.rows(ids, where)
            self._stage.play(rows, self._checked(clip, where), at, speed, parameter, where)
            players._changed()

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
        """Start fades to a clip, each from the pose that its player shows.

        Players that fade to the clip already go on unchanged, unless `at` is passed; those of which it plays
        below continue it, without starting again.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players; `ids` for all.
        clip : Clip, BlendSpace1D or BlendSpace2D
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
        parameter : array_like of float, shape () or (n,), or (2,) or (n, 2), optional
            Of a blend space: the value of each player, or its point. When omitted, where it plays already, or
            the space's own. `move` changes it.

        Raises
        ------
        TypeError
            If `clip` cannot be played, or an argument is of another type.
        ValueError
            If an id is of no player here or comes twice, one of them plays nothing yet, or an argument is one
            that `play` or `CrossFade.fade_to` refuses, where the options are described.

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
        where = f"{self._class_name}.fade_to"
        with self._call(where):
            players = self._whose()
            rows, clip = players._ids.rows(ids, where), self._checked(clip, where)
            everybody = players.ids
            self._stage.fade_to(
                rows, everybody, clip, duration, ease, method, sync, at, speed, parameter, where
            )
            players._changed()

    def move(self, ids: ArrayLike, parameter: ArrayLike, space: BlendSpace | None = None) -> None:
        """Move players in the blend spaces that they play, from the next step on.

        As `BlendSpace1D.value` and `BlendSpace2D.point` of as many spaces. Whoever plays no such space stays
        as it is, so that everybody may be moved at every step.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Of the players; `ids` for all.
        parameter : array_like of float, shape () or (n,), or (2,) or (n, 2)
            Numbers move the spaces of one parameter, points those of two.
        space : BlendSpace1D or BlendSpace2D, optional
            Move this one alone.

        Raises
        ------
        TypeError
            If an argument is of another type.
        ValueError
            If an id is of no player here or comes twice, or `parameter` has another shape, or a number that
            is not finite or beyond 1e70.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> gait = lissom.BlendSpace1D([hero.clips["walk"], hero.clips["run"]], [1.4, 3.0])
        >>> crowd = lissom.Players(hero.skeleton, 3)
        >>> crowd.play(crowd.ids, gait, parameter=[1.4, 2.2, 3.0])
        >>> crowd.move([0, 1], 1.8)
        >>> _ = crowd.step(1 / 60)
        >>> crowd.state["layers"]["parameter"][:, 0, 0]
        array([1.8, 1.8, 3. ])
        """
        where = f"{self._class_name}.move"
        with self._call(where):
            self._stage.move(self._whose()._ids.rows(ids, where), parameter, space, where)
