# SPDX-License-Identifier: MIT
"""Methods of the playground that edit: limits of joints, undo and redo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom._playground.limit_edits import bounded as with_bounds
from lissom._playground.limit_edits import given_limit, kind_of, limit_of_kind, with_limit
from lissom._rig.skeleton_arrays import Joint
from lissom.ik._chain import Chain, tree_of
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist
from lissom.ik._result import IkResult

if TYPE_CHECKING:
    from lissom._playground.limit_edits import Bounds
    from lissom._playground.playground import Playground


def limits_of(chains: Sequence[Chain]) -> dict[str, Limit]:
    """Return the limits of chains by the names of joints, as they were passed."""
    found: dict[str, Limit] = {}
    for chain in chains:
        for joint in chain.joints.tolist():
            limit = given_limit(chain, joint)
            if limit is not None:
                found[chain.skeleton.names[joint]] = limit
    return found


def set_limit(self: Playground, joint: Joint, limit: Limit | None) -> IkResult:
    """Set the limit of a joint to another, or to none, in all chains that it is part of, and solve.

    Parameters
    ----------
    joint : str or int
        A joint that rotates in one of the chains.
    limit : BallSocket, Hinge, SwingTwist or None
        None removes the limit.

    Returns
    -------
    IkResult

    Raises
    ------
    TypeError, ValueError
        If it is no limit, the joint is in no chain or does not rotate, or the limit cannot be prepared for
        it; nothing changes then.

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L", targets=[0.1, 0.5, 0.3])
    >>> done = playground.set_limit("LowerLeg.L", lissom.ik.Hinge.from_rest(0.0, 0.5))
    >>> bool(done.reached), playground.limits
    (False, {'LowerLeg.L': Hinge.from_rest(0, 0.5)})
    """
    if limit is not None and not isinstance(limit, (BallSocket, Hinge, SwingTwist)):
        raise TypeError(
            "ik.Playground.set_limit: limit must be BallSocket, Hinge, SwingTwist or None, got "
            f"{type(limit).__name__}"
        )
    index = self.character.skeleton._index_of(joint, "ik.Playground.set_limit: joint")
    return _limited(self, index, limit, None)


def undo(self: Playground) -> IkResult:
    """Return to what was there before the last solve, drag, solver or limit; up to 200 steps.

    Returns
    -------
    IkResult
        That of then; where there is nothing to undo, that of now.

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
    >>> before = playground.result
    >>> done = playground.solve([0.1, 0.5, 0.3])
    >>> playground.undo() is before, playground.redo() is done
    (True, True)
    """
    state = self._history.undone(self._state)
    return self.result if state is None else self._show(state)


def redo(self: Playground) -> IkResult:
    """Return to what was undone last.

    Returns
    -------
    IkResult
        That of then; where there is nothing to redo, that of now.

    Examples
    --------
    >>> playground = lissom.ik.Playground(lissom.samples.humanoid(), "Foot.L")
    >>> playground.redo() is playground.result
    True
    """
    state = self._history.redone(self._state)
    return self.result if state is None else self._show(state)


def bound_limit(self: Playground, joint: int, bounds: Bounds, gesture: object) -> None:
    """Move bounds of a joint's limit, radians from the rest pose, by one gesture."""
    take_chains(self, bounded_chains(self.chains, joint, bounds), gesture)


def bounded_chains(chains: tuple[Chain, ...], joint: int, bounds: Bounds) -> tuple[Chain, ...]:
    """Return chains in which the limit of a joint, if it has one, has other bounds."""
    for chain in chains:
        given = given_limit(chain, joint)
        if given is not None:
            return with_limit(chains, joint, with_bounds(given, chain._by_joint[joint], bounds))
    return chains


def choose_limit(self: Playground, joint: int, kind: str) -> None:
    """Set the limit of a joint to one of a kind to begin with; to none for an empty kind."""
    chain = _rotating_in(self, joint)[0]
    before = given_limit(chain, joint)
    if kind != kind_of(before):
        _limited(self, joint, limit_of_kind(kind, chain, joint, before), None)


def _rotating_in(self: Playground, joint: int) -> list[Chain]:
    """Return the chains in which a joint rotates; refuse a joint of none."""
    holders = [chain for chain in self.chains if joint in chain.joints and joint not in chain.fixed]
    if not holders:
        raise ValueError(
            "ik.Playground.set_limit: joint must rotate in one of the chains, got "
            f"{self.character.skeleton.names[joint]!r}"
        )
    return holders


def _limited(self: Playground, joint: int, limit: Limit | None, gesture: object) -> IkResult:
    _rotating_in(self, joint)
    return take_chains(self, with_limit(self.chains, joint, limit), gesture)


def take_chains(
    self: Playground, chains: tuple[Chain, ...], gesture: object, seconds: float | None = None
) -> IkResult:
    """Take chains with other limits, and solve; where all limits are as before, nothing is done."""
    if chains == self.chains:
        return self.result
    tree_of(chains)  # refuses chains that do not agree, before anything changes
    start = None if np.array_equal(self.pose, self._state.base) else self.pose
    return self._take(self._state._replace(chains=chains, start=start), gesture, seconds)
