# SPDX-License-Identifier: MIT
"""Methods of the playground that record what is dragged, and return to moments of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.numbers import check_number
from lissom._playground.recording import Recording
from lissom.ik._result import IkResult

if TYPE_CHECKING:
    from lissom._playground.playground import Playground
    from lissom.clip import Clip


def record(self: Playground) -> None:
    """Record what is shown from now on: drags, solves, undo; an earlier recording is dropped.

    It ends by `stop`, by `seek`, and after 36 000 poses.

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
    >>> playground.record()
    >>> for height in (0.2, 0.3, 0.4):
    ...     done = playground.solve([0.1, height, 0.2])
    >>> playground.stop()
    >>> playground.recorded(name="kick").name
    'kick'
    """
    self._recording = Recording(self._state, self._now())
    self._update()


def stop(self: Playground) -> None:
    """End the recording; nothing happens if there is none.

    Examples
    --------
    >>> lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L").stop()
    """
    if self._recording is not None and self._recording.is_on:
        self._recording.end(self._now())
        self._update()


def recorded(self: Playground, rate: float | None = None, *, name: str = "recorded") -> Clip:
    """Return what was recorded so far as a clip.

    Parameters
    ----------
    rate : float, optional
        Poses per second, of one regular grid; at the times at which they were shown if omitted. What was held
        for more than 0.1 s stays still until the next drag.
    name : str
        Of the clip.

    Returns
    -------
    Clip
        From 0 seconds, which does not loop: bake it, blend it or save it with the character like any other.

    Raises
    ------
    TypeError
        If `name` is not a string or `rate` not a number.
    ValueError
        If nothing was recorded, or `rate` is not above 0.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> playground = lissom.ik.Playground(hero, "Foot.L")
    >>> playground.record()
    >>> done = playground.solve([0.1, 0.3, 0.2])
    >>> clip = playground.recorded()
    >>> np.allclose(clip.at(1.0), done.pose, atol=1e-6)
    True
    """
    if self._recording is None:
        raise ValueError("ik.Playground.recorded: there must be a recording, got none; call record() first")
    if rate is not None:
        rate = check_number(rate, "ik.Playground.recorded: rate", above_zero=True)
    if not isinstance(name, str):
        raise TypeError(f"ik.Playground.recorded: name must be a string, got {type(name).__name__}")
    return self._recording.clip(self.character.skeleton, name, rate)


def seek(self: Playground, seconds: float) -> IkResult:
    """Show a moment of the recording, with its targets and limits, and go on from there.

    A recording that is on ends.

    Parameters
    ----------
    seconds : float
        From its begin; the nearest moment before it that was shown, the first or the last outside of it.

    Returns
    -------
    IkResult
        That of then.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is not finite, or nothing was recorded.

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
    >>> begun = playground.result
    >>> playground.record()
    >>> done = playground.solve([0.1, 0.3, 0.2])
    >>> playground.seek(0.0) is begun
    True
    """
    number = check_number(seconds, "ik.Playground.seek: seconds")
    if self._recording is None:
        raise ValueError("ik.Playground.seek: there must be a recording, got none; call record() first")
    self._recording.end(self._now())
    self._history.keep(self._state, gesture=self._recording)
    return self._show(self._recording.at(number))
