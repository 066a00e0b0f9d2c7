# SPDX-License-Identifier: MIT
"""Cyclic coordinate descent (CCD)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom.ik._chain import Chain
from lissom.ik._result import IkResult
from lissom.ik._solve import Chains, solve


def ccd(
    chains: Chains,
    poses: ArrayLike,
    targets: ArrayLike,
    orientations: ArrayLike | None = None,
    *,
    weight: ArrayLike = 1.0,
    tolerance: float = 1e-4,
    max_iterations: int = 60,
    start: ArrayLike | None = None,
    continuous: bool = False,
    out: NDArray[Any] | None = None,
) -> IkResult:
    """Rotate one joint after another towards the target, in repeated sweeps.

    The first sweep goes from the effector to the root, the others from the root to the effector, which takes
    far fewer of them. A single chain that gains little from two sweeps in a row restarts: from an arc to its
    target and then, if it has limits, with each joint somewhere within its own; the best pose counts. A
    continuous sequence restarts in its first frame only, since joints would jump. A single chain without
    limits is stretched towards a target that is out of reach.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Several are solved together; they may share joints. Where targets contradict each other, the sum of
        squared distances is minimized.
    poses : array_like of float, shape (..., J, 10)
        Local trs with unit rotations. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Positions for the effectors, in model space and in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Rotations for the effectors in model space, unit quaternions x, y, z, w: the product of the rotations
        from the skeleton's root down (below a mirror, of the model matrix with the scales divided out of its
        columns). A row of NaN requests none: that effector keeps its local rotation, as all do if this is
        omitted.
    weight : array_like of float, shape (...)
        In [0, 1]: blend from the input pose to the solution, joint by joint along the shortest arc.
    tolerance : float
        Distance that counts as reached, as a fraction of the chain's length.
    max_iterations : int
        Maximum number of sweeps.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations the solver starts from; `poses` if omitted.
    continuous : bool
        Whether the last leading axis is time: each frame then starts from the correction of the frame before.
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
        If shapes do not match, a target, orientation or pose is not finite or not unit, a weight is outside
        [0, 1], `tolerance` is not above 0, `max_iterations` is negative, or a joint inside the chain is not
        scaled uniformly.

    References
    ----------
    .. [1] Wang and Chen, "A combined optimization method for solving the inverse kinematics problem of
       mechanical manipulators", IEEE Transactions on Robotics and Automation 7(4), 1991.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> arm = lissom.ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    >>> done = lissom.ik.ccd(arm, hero.skeleton.rest, [0.3, 1.2, 0.3])
    >>> bool(done.reached)
    True
    """
    found: IkResult | None = _core.plain_ccd(
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
    )
    if found is not None:
        return found
    return solve(
        "ik.ccd",
        _core.ccd,
        chains,
        poses,
        targets,
        orientations,
        weight=weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
        start=start,
        continuous=continuous,
        out=out,
    )
