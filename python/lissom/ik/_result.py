# SPDX-License-Identifier: MIT
"""The result of a solver."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.doors import as_html
from lissom._base.names import counted

STOPS = (  # of AimStop in src/core/ik/aim.h
    "degenerate up",
    "already there",
    "reached",
    "unreachable",
    "behind",
    "limit",
    "weight",
    "max_iterations",
)
_STOP_NAMES = np.array(STOPS)


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class IkResult:
    """Solved poses, and how well they meet their targets.

    Everything except the pose is measured by forward kinematics of ``pose`` itself, after `weight` has
    blended it with the input. Arrays have the leading axes of the call; for one pose they are NumPy scalars.

    Attributes
    ----------
    pose : ndarray, shape (..., J, 10)
        Local trs. Only rotations of the chain's joints differ from the input's.
    residual : ndarray, shape (...) or (..., E)
        Distance from effector to target in model units; one for each of a list of E chains.
    iterations : ndarray of int32, shape (...)
        Iterations until all effectors were within tolerance, or until the solver stopped.
    reached : ndarray of bool, shape (...) or (..., E)
        Whether the residual is within tolerance, and the angle where an orientation was requested.
    limited : ndarray of bool, shape (..., J)
        Which joints of the skeleton are at a limit, to within 1e-4 radians.
    angle : ndarray, shape (...) or (..., E), or None
        Angle between the effector's orientation and the requested one, radians; 0 where its row was NaN.
        None where the call requested no orientations.
    stopped : str, or ndarray of str, shape (...), or None
        Of `aim`, why it ended where it is. Of gazes that meet the target "reached"; "already there" where the
        input pose did, too; "degenerate up" where up or the pole is nearly parallel to the line of sight, so
        that the roll follows it in part or not at all. Of the others "unreachable": the target is nearer to
        the joint than its line of sight; "behind": the gaze returns, as the target is so far behind; "limit":
        a joint of the chain is at its limit; "weight": that of the call is below 1; "max_iterations". None
        of other solvers.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> arm = lissom.ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    >>> done = lissom.ik.fabrik(arm, hero.skeleton.rest, [[0.3, 1.2, 0.3], [0.3, 1.2, 3.0]])
    >>> done.pose.shape, done.reached  # the second is out of reach
    ((2, 34, 10), array([ True, False]))
    >>> print(done.residual[1].round(1))  # metres
    2.5
    """

    pose: NDArray[Any]
    residual: NDArray[Any]
    iterations: NDArray[np.int32]
    reached: NDArray[np.bool_]
    limited: NDArray[np.bool_]
    angle: NDArray[Any] | None = None
    _stops: Any = None

    @property
    def stopped(self) -> Any:
        """Why `aim` ended where it is, for each pose; None of other solvers."""
        if self._stops is None:
            return None
        return _STOP_NAMES[self._stops] if np.ndim(self._stops) else STOPS[self._stops]

    _repr_html_ = as_html

    def __repr__(self) -> str:
        reached, limited = np.asarray(self.reached), np.asarray(self.limited)
        if not reached.size:
            return "<IkResult: no poses>"
        count = (
            f"{int(reached.sum())} of {reached.size} targets reached"
            if reached.size > 1
            else ("reached" if reached.all() else "not reached")
        )
        if self._stops is not None and np.unique(self._stops).size == 1:
            why = str(np.ravel(self.stopped)[0])
            count += "" if why == "reached" else f" ({why})"
        joints = int(limited.any(axis=tuple(range(limited.ndim - 1))).sum())
        return (
            f"<IkResult: {count}, residual up to {float(np.max(self.residual)):.3g} within "
            f"{counted(int(np.max(self.iterations)), 'iteration')}, {counted(joints, 'joint')} at a limit>"
        )


# Plain solvers of the core make results by themselves.
_core.use_ik_result(IkResult, tuple(getattr(IkResult, field.name) for field in fields(IkResult)))

_set_pose, _set_residual, _set_iterations, _set_reached, _set_limited, _set_angle, _set_stops = (
    getattr(IkResult, field.name).__set__ for field in fields(IkResult)
)


def new_result(
    pose: NDArray[Any],
    residual: NDArray[Any],
    iterations: NDArray[np.int32],
    reached: NDArray[np.bool_],
    limited: NDArray[np.bool_],
    angle: NDArray[Any] | None,
    stops: Any = None,
) -> IkResult:
    """Return a result in half the time of its initializer, which is slow compared with one solve."""
    result: IkResult = object.__new__(IkResult)
    _set_pose(result, pose)
    _set_residual(result, residual)
    _set_iterations(result, iterations)
    _set_reached(result, reached)
    _set_limited(result, limited)
    _set_angle(result, angle)
    _set_stops(result, stops)
    return result
