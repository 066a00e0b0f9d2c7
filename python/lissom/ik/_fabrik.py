# SPDX-License-Identifier: MIT
"""Forward and backward reaching."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom.ik._result import IkResult
from lissom.ik._solve import Chains, solve


def fabrik(
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
    """Pull the chain to the target by its end and back to its root, again and again, on straight lines.

    Each bone turns by the least that the target asks for, so chains keep their shape and their twist. One
    chain without limits needs no angle at all while it iterates; where limits or several chains are
    involved, joints turn as far as they may in every iteration, and lanes that are stuck start anew: bent the
    way the limb bends, then spread over what the limits allow. A target beyond reach gets a straight limb;
    with limits, lanes come as near as they can from where they start, and end where two iterations in a row
    bring less than a hundredth of the tolerance.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Several are solved together; they may share joints. Where chains meet, the joint goes to the centre of
        what they ask for; of all poses seen, the one with the least sum of squared distances counts.
    poses : array_like of float, shape (..., J, 10)
        Local trs, rotations unit. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Where the effectors shall be, model space, in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Unit quaternions x, y, z, w that the effectors shall have in model space: the product of the
        rotations from the skeleton's root down. The effector turns to it once its position is found. A row
        of NaN asks for none; effectors then keep their local rotation, as they do if this is omitted.
    weight : array_like of float, shape (...)
        In [0, 1]: how far the result goes from the input pose to the solution, joint by joint along the
        shortest arc.
    tolerance : float
        Distance that counts as reached, as a share of the chain's length.
    max_iterations : int
        Ways there and back at most, those after a new start included.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations the solver starts from; `poses` if omitted.
    continuous : bool
        The last of the leading axes is time: each frame starts from the correction that the frame before
        ended with.
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
        If shapes do not match, a target, orientation or pose is not finite or not unit, a weight is outside
        [0, 1], `tolerance` is not above 0, `max_iterations` is negative, or a joint between those that turn
        is scaled differently along its axes.

    References
    ----------
    .. [1] Aristidou and Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics problem",
       Graphical Models 73(5), 2011.
    .. [2] Aristidou, Chrysanthou and Lasenby, "Extending FABRIK with model constraints", Computer Animation
       and Virtual Worlds 27(1), 2016.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> arm = lissom.ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L")
    >>> done = lissom.ik.fabrik(arm, hero.skeleton.rest, [0.3, 1.2, 0.3])
    >>> bool(done.reached)
    True
    """
    return solve(
        "ik.fabrik",
        _core.fabrik,
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
