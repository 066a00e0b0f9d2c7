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
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom.ik._chain import Chain
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
    """Rotate all joints at once towards all targets, by the smallest rotations that reduce the error.

    For several effectors, on chains that may share joints, with positions and orientations together. Steps
    that would increase the error are rejected, so that targets out of reach are approached without
    oscillation. Joints at a limit stay there as long as the step would rotate them farther out. Where no step
    reduces the error, the search restarts: bent in the direction in which limbs bend, then spread over the
    range of the limits.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Several are solved together; they may share joints. Where targets contradict each other, the sum of
        squared errors is minimized: of distances, and of angles in radians times the length of the chain.
    poses : array_like of float, shape (..., J, 10)
        Local trs with unit rotations. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Positions for the effectors, in model space and in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Rotations for the effectors in model space, unit quaternions x, y, z, w: the product of the rotations
        from the skeleton's root down (below a mirror, of the model matrix with the scales divided out of its
        columns). A row of NaN requests none: that effector keeps its local rotation, as all do if this is
        omitted.
    stiffness : mapping of joint to float, or array_like of float, shape (J,), optional
        By name or index, in [0, 1]: how much less than others a joint takes part; 1 does not rotate. 0 for
        joints that are not named.
    rest_attraction : float
        In [0, 1]: fraction of the rotation to the rest pose that joints make in each step, as far as that
        does not move effectors. Above 0 solving continues after the targets are reached, until joints stop.
    damping : float
        Damping by the error: lambda of the method for an error of one length unit. Larger is slower and
        smoother.
    method : {"damped", "selective"}
        Whether one constant damps all directions alike, or each direction by how far joints would have to
        rotate for it [2]_; ``"selective"`` ignores `damping`.
    weight : array_like of float, shape (...)
        In [0, 1]: blend from the input pose to the solution, joint by joint along the shortest arc.
    tolerance : float
        Distance that counts as reached, as a fraction of the chain's length.
    angle_tolerance : float
        Angle that counts as reached, radians.
    max_iterations : int
        Maximum number of steps, including those of restarts.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations the solver starts from; `poses` if omitted.
    continuous : bool
        Whether the last leading axis is time: each frame then starts from the correction of the frame before,
        and does not restart elsewhere.
    out : ndarray, shape (..., J, 10), optional
        Array to write the poses to: of the type of the result, C-contiguous, not one of the inputs. Allocated
        if omitted.

    Returns
    -------
    IkResult
        The best pose found; ``float64`` for float64 poses, else float32.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If shapes do not match, a target, orientation or pose is not finite or not unit, a weight, a
        stiffness or `rest_attraction` is outside [0, 1], a joint is unknown, `method` is not one of the two,
        a tolerance is not above 0, `damping` or `max_iterations` is negative, or a joint inside the chain is
        not scaled uniformly.

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
    stiffnesses = None
    if stiffness is None:
        found: IkResult | None = _core.plain_damped_least_squares(
            chains._made_tree if type(chains) is Chain else None,
            poses,
            targets,
            orientations,
            weight,
            tolerance,
            max_iterations,
            start,
            continuous,
            out,
            rest_attraction,
            damping,
            method == "selective",
            angle_tolerance,
        )
        if found is not None:
            return found
    else:
        stiffnesses = _stiffness(f"{function}: stiffness", prepared(function, chains)[1], stiffness)
    return solve(
        function,
        _core.damped_least_squares,
        chains,
        poses,
        targets,
        orientations,
        stiffnesses,
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
    """Return one number for each joint of the skeleton."""
    if isinstance(value, Mapping):
        result = np.zeros(len(skeleton))
        for joint, number in value.items():
            result[skeleton._index_of(joint, what)] = check_number(number, f"{what} of {joint!r}")
        return result
    result = np.ascontiguousarray(as_numbers(value, what), np.float64)
    if result.shape != (len(skeleton),):
        raise ValueError(
            f"{what} must have shape ({len(skeleton)},), one number for each joint, got {result.shape}"
        )
    return result
