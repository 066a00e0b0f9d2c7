# SPDX-License-Identifier: MIT
"""Damped least squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom._rig.skeleton import Joint, Skeleton
from lissom.ik._result import IkResult
from lissom.ik._solve import Chains, prepared, solve

_METHODS = ("damped", "selective")


def damped_least_squares(
    chains: Chains,
    poses: ArrayLike,
    targets: ArrayLike,
    orientations: ArrayLike | None = None,
    *,
    stiffness: Mapping[Joint, float] | ArrayLike | None = None,
    rest_attraction: float = 0.0,
    damping: float = 0.5,
    method: Literal["damped", "selective"] = "damped",
    weight: ArrayLike = 1.0,
    tolerance: float = 1e-4,
    angle_tolerance: float = 1e-3,
    max_iterations: int = 100,
    start: ArrayLike | None = None,
    continuous: bool = False,
    out: NDArray[Any] | None = None,
) -> IkResult:
    """Turn all joints at once towards all targets, by the least turns that bring effectors nearer.

    For several effectors, on chains that may share joints, with positions and orientations together. Steps
    that would make the error larger are taken back, so that targets beyond reach are approached without
    oscillation. Joints at a limit stay there as long as the step would turn them further out. Where no step
    leads on, the search begins anew: bent the way limbs bend, then spread out over what limits allow.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Several are solved together; they may share joints. Targets that contradict each other are met as
        near as the sum of squared errors gets: of distances, and of angles in radians times the length of
        the chain.
    poses : array_like of float, shape (..., J, 10)
        Local trs, rotations unit. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Where the effectors shall be, model space, in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Unit quaternions x, y, z, w that the effectors shall have in model space: the product of the
        rotations from the skeleton's root down. The effector turns for it, too. A row of NaN asks for none;
        effectors then keep their local rotation, as they do if this is omitted.
    stiffness : mapping of joint to float, or array_like of float, shape (J,), optional
        By name or index: how much less than the others a joint takes part, in [0, 1]; 1 does not turn. 0 for
        those that are not named.
    rest_attraction : float
        In [0, 1]: the share of the way to the rest pose that joints go in each step, as far as effectors do
        not move. Above 0 solving goes on after the targets are reached, until that way ends.
    damping : float
        How much an error dampens steps: lambda of the method, for an error of one length unit. Larger is
        slower and smoother.
    method : {"damped", "selective"}
        Whether one constant dampens all directions alike, or each by itself, as far as joints would have to
        turn for it [2]_; that does without `damping`.
    weight : array_like of float, shape (...)
        In [0, 1]: how far the result goes from the input pose to the solution, joint by joint along the
        shortest arc.
    tolerance : float
        Distance that counts as reached, as a share of the chain's length.
    angle_tolerance : float
        Angle that counts as reached, radians.
    max_iterations : int
        Steps at most, over all beginnings.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations the solver starts from; `poses` if omitted.
    continuous : bool
        The last of the leading axes is time: each frame starts from the correction that the frame before
        ended with, and does not begin anew elsewhere.
    out : ndarray, shape (..., J, 10), optional
        Where to write the poses, of the type of the result, C-contiguous; allocated when omitted. Not one
        of the inputs.

    Returns
    -------
    IkResult
        The best pose that was seen; ``float64`` for float64 poses, else float32.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If shapes do not match, a target, orientation or pose is not finite or not unit, a weight, a
        stiffness or `rest_attraction` is outside [0, 1], a joint is unknown, `method` is neither, a
        tolerance is not above 0, `damping` or `max_iterations` is negative, or a joint between those that
        turn is scaled differently along its axes.

    References
    ----------
    .. [1] Buss, "Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and damped least
       squares methods", 2009.
    .. [2] Buss and Kim, "Selectively damped least squares for inverse kinematics", Journal of Graphics Tools
       10(3), 2005.

    Examples
    --------
    Both hands at once, by arms and a spine that they share:

    >>> hero = lissom.samples.humanoid()
    >>> arms = [lissom.ik.Chain(hero.skeleton, "Spine", f"Hand.{side}") for side in "LR"]
    >>> done = lissom.ik.damped_least_squares(
    ...     arms, hero.skeleton.rest, [[0.2, 1.3, 0.4], [-0.1, 1.1, 0.5]], stiffness={"Spine": 0.8}
    ... )
    >>> done.reached.tolist()
    [True, True]
    """
    function = "ik.damped_least_squares"
    if method not in _METHODS:
        raise ValueError(f"{function}: method must be 'damped' or 'selective', got {method!r}")
    stiff = None
    if stiffness is not None:
        stiff = _stiffness(f"{function}: stiffness", prepared(function, chains)[1], stiffness)
    return solve(
        function,
        _core.damped_least_squares,
        chains,
        poses,
        targets,
        orientations,
        stiff,
        check_number(rest_attraction, f"{function}: rest_attraction"),
        check_number(damping, f"{function}: damping"),
        method == "selective",
        check_number(angle_tolerance, f"{function}: angle_tolerance"),
        weight=weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
        start=start,
        continuous=continuous,
        out=out,
    )


def _stiffness(
    what: str, skeleton: Skeleton, value: Mapping[Joint, float] | ArrayLike
) -> NDArray[np.float64]:
    """Give one number for each joint of the skeleton."""
    if isinstance(value, Mapping):
        result = np.zeros(len(skeleton))
        for joint, number in value.items():
            result[skeleton.index(joint)] = check_number(number, f"{what} of {joint!r}")
        return result
    result = np.ascontiguousarray(as_numbers(value, what), np.float64)
    if result.shape != (len(skeleton),):
        raise ValueError(
            f"{what} must have shape ({len(skeleton)},), one number for each joint, got {result.shape}"
        )
    return result
