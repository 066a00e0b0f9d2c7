# SPDX-License-Identifier: MIT
"""Methods of the playground that move handles and solve."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from lissom._playground.body import carried_to
from lissom._playground.inputs import Positions, position_of, rows_of
from lissom._playground.solvers import SOLVERS, WITH_POLES, as_argument
from lissom._playground.state import State
from lissom.ik._chain import Chain, tree_of
from lissom.ik._result import IkResult

if TYPE_CHECKING:
    from lissom._playground.playground import Playground


def solve(
    self: Playground,
    targets: Positions | None = None,
    *,
    poles: Positions | None = None,
    orientations: Positions | None = None,
    body: ArrayLike | None = None,
) -> IkResult:
    """Move targets, poles and the body, turn targets, and solve; an open widget shows the result.

    Iterative solvers continue from the last pose, as they do while a target is dragged.

    Parameters
    ----------
    targets : array_like, shape (3,) for one chain or (E, 3), or mapping of effector to (3,), optional
        Model space. Those that a mapping does not name stay, and so do all if this is omitted.
    poles : likewise, optional
        For ``"two_bone"``; NaN for none.
    orientations : array_like, shape (4,) or (E, 4), or mapping of effector to (4,), optional
        Unit quaternions, model space; NaN for none.
    body : array_like, shape (3,), optional
        Position for the joint that carries all chains, model space.

    Returns
    -------
    IkResult
        Also kept as `result`.

    Raises
    ------
    TypeError, ValueError
        If a shape or a name does not fit, or a number is not finite; nothing changes then.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> both = lissom.ik.Playground(hero, ["Hand.L", "Hand.R"])
    >>> done = both.solve({"Hand.L": [0.3, 1.3, 0.4]})
    >>> done.reached.tolist()
    [True, True]
    """
    return self._move(targets, poles, orientations, body)


def reset(self: Playground) -> IkResult:
    """Restore the initial targets, poles, orientations and body, and solve from the input pose.

    Returns
    -------
    IkResult

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
    >>> bool(playground.solve([0.1, 2.0, 0.3]).reached)
    False
    >>> bool(playground.reset().reached)
    True
    """
    now, first = self._state, self._first
    return self._take(first._replace(chains=now.chains, solver=now.solver, start=None))


def move(
    self: Playground,
    targets: Positions | None,
    poles: Positions | None,
    orientations: Positions | None,
    body: ArrayLike | None,
    gesture: object = None,
    seconds: float | None = None,
    chains: tuple[Chain, ...] | None = None,
) -> IkResult:
    """Check what is moved, and solve; a gesture is undone at once. `chains`: with other limits."""
    now, what = self._state, "ik.Playground.solve"
    if chains is not None and chains != now.chains:
        tree_of(chains)  # refuses chains that do not agree
        now = now._replace(chains=chains)
    base = now.base
    if body is not None:
        if self._carrier is None:
            raise ValueError(f"{what}: body must be omitted in a playground made without body=True")
        position = position_of(f"{what}: body", body)
        base = carried_to(now.chains, base, self._carrier, position)
    moved = now._replace(
        base=base,
        targets=rows_of(f"{what}: targets", self._numbers, targets, now.targets),
        poles=rows_of(f"{what}: poles", self._numbers, poles, now.poles, may_miss=True),
        orientations=rows_of(
            f"{what}: orientations", self._numbers, orientations, now.orientations, may_miss=True
        ),
        start=self.pose,
    )
    return self._take(moved, gesture, seconds)


def solved(self: Playground, state: State) -> State:
    """Return a state with the result of its arguments."""
    options = self._options(state)
    if state.start is not None:
        options["start"] = state.start
    chains, positions = as_argument(state.chains), self._as_argument(state.targets)
    begin = time.perf_counter()
    result = SOLVERS[state.solver](chains, state.base, positions, **options)
    return state._replace(result=result, seconds=time.perf_counter() - begin)


def take(self: Playground, state: State, gesture: object = None, seconds: float | None = None) -> IkResult:
    """Solve, keep arguments and result, and update an open widget; `seconds`: when it was asked for."""
    if state.solver == WITH_POLES:
        # So that the same target has the same answer, whatever came before.
        state = state._replace(start=None)
    done = self._solved(state)
    self._history.keep(self._state, gesture)
    self._residuals.add(self._now() if seconds is None else seconds, done.result)
    return self._show(done, seconds)
