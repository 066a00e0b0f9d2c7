# SPDX-License-Identifier: MIT
"""The calls that say what many players play: a clip at once, or a fade to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from lissom._base.easing import Ease
from lissom._playback.play_checks import Method
from lissom._playback.player_space import PlayerSource

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["fade_to", "play"]


def play(
    self: Players,
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
        A blend space is played by each player at a parameter of its own.
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
        If an id is of no player here or comes twice, `clip` has joints of other names or parents, or other
        morph targets, or a number is out of its range.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 2)
    >>> crowd.play(crowd.ids, hero.clips["walk"], at=[0.0, 0.2])
    >>> bool(np.array_equal(crowd.step(0.1)[1], hero.clips["walk"].sample(0.2 + 0.1)))
    True
    """
    where = "Players.play"
    with self._call(where):
        self._stage.play(self._ids.rows(ids, where), clip, at, speed, parameter, where)
        self._forget()


def fade_to(
    self: Players,
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
    with self._call(where):
        rows = self._ids.rows(ids, where)
        self._stage.fade_to(rows, self.ids, clip, duration, ease, method, sync, at, speed, parameter, where)
        self._forget()
