# SPDX-License-Identifier: MIT
"""Joints that turn so that one of them looks at a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom.ik._chain import Chain
from lissom.ik._limits import unit_axis
from lissom.ik._result import IkResult
from lissom.ik._solve import solve


def aim(
    chain: Chain,
    poses: ArrayLike,
    targets: ArrayLike,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    offset: ArrayLike = (0.0, 0.0, 0.0),
    up: ArrayLike | None = None,
    pole: ArrayLike | None = None,
    shares: ArrayLike | None = None,
    behind: float = 0.35,
    weight: ArrayLike = 1.0,
    tolerance: float = 1e-4,
    max_iterations: int = 60,
    out: NDArray[Any] | None = None,
) -> IkResult:
    """Turn the joints of a chain, the effector included, so that the effector looks at the target.

    What looks is a ray, fixed in the effector's frame: from `offset`, an eye, along `axis`. It is brought
    onto the target itself and not only into its direction, so that eyes beside the joint do not squint.

    - **Several joints share the turn**, root to effector: spine, neck, head. Each turns about its own
      position by its share of what is left. Limits hold; what they withhold the joints after it take over,
      and at last those before it.
    - **Behind.** The shortest turn to what lies behind changes sides there, and all joints with it. The
      nearer the whole turn comes to half a circle, from `behind` radians before it on, the more the gaze
      gives way and goes back to where the input pose looks: so nothing pops, whichever way a target passes.
    - **Up.** Without `up`, each turn is the shortest. With it, the gaze is rolled until `up` points to the
      pole as far as it can, limits allowing; a pole nearer to the line of sight than 0.05, as a sine, counts
      ever less.

    Parameters
    ----------
    chain : ik.Chain
        From the first joint that turns to the one that looks; both may be the same. The limit of the
        effector counts.
    poses : array_like of float, shape (..., J, 10)
        Local trs, rotations unit. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3)
        What to look at, model space, in the precision of the poses.
    axis, offset : array_like of float, shape (3,)
        Direction of the gaze, of any length but zero, and where it begins, both in the effector's own frame
        (`offset` in the units that its children's translations have).
    up : array_like of float, shape (3,), optional
        Direction in the effector's frame that shall point to the pole; not along `axis`.
    pole : array_like of float, shape (..., 3), optional
        Direction in model space where `up` shall point, of any length but zero; +y if omitted.
    shares : array_like of float, shape (N,), optional
        What part of the turn each joint of the chain takes, root to effector: at least 0, their sum is the
        whole. Alike for all if omitted. 0 for joints that are fixed.
    behind : float
        Radians, in [0, pi]: so near to half a circle the turn begins to give way; 0: not at all, and what
        passes behind makes joints jump.
    weight : array_like of float, shape (...)
        In [0, 1]: how far the result goes from the input pose to the solution, joint by joint along the
        shortest arc.
    tolerance : float
        Distance between ray and target that counts as reached, as a share of the distance from effector to
        target.
    max_iterations : int
        Rounds at most, where limits withhold a part of the turn.
    out : ndarray, shape (..., J, 10), optional
        Where to write the poses, of the type of the result, C-contiguous; allocated when omitted. Not one
        of the inputs.

    Returns
    -------
    IkResult
        ``float64`` for float64 poses, else float32. `residual` is the distance from the target to the ray
        in model units. A target nearer to the joint than the eye's line passes it cannot be looked at: the
        ray comes as near as it can.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If shapes do not match, a target, pole or pose is not finite, an axis is zero, `up` is along `axis`,
        shares are negative or all 0, a weight is outside [0, 1], or `behind` is outside [0, pi].

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> gaze = lissom.ik.Chain(hero.skeleton, "Spine", "Head")
    >>> done = lissom.ik.aim(gaze, hero.skeleton.rest, [1.0, 1.5, 2.0], offset=(0, 0.1, 0.1), up=(0, 1, 0))
    >>> bool(done.reached)
    True
    """
    if not isinstance(chain, Chain):
        advice = "; for one joint: ik.Chain(skeleton, joint, joint)" if isinstance(chain, (str, int)) else ""
        raise TypeError(f"ik.aim: chain must be an ik.Chain, got {type(chain).__name__}{advice}")
    along = unit_axis("ik.aim: axis", axis)
    eye = as_numbers(offset, "ik.aim: offset").astype(np.float64)
    if eye.shape != (3,) or not np.isfinite(eye).all():
        raise ValueError(f"ik.aim: offset must be three finite numbers, got {offset!r}")
    above = (0.0, 0.0, 0.0) if up is None else unit_axis("ik.aim: up", up)
    if up is not None and np.linalg.norm(np.cross(along, above)) < 1e-3:
        raise ValueError(f"ik.aim: up must not lie along axis {along}, got {up!r}")
    if up is None and pole is not None:
        raise ValueError(
            "ik.aim: pole needs up, the direction in the effector's frame that shall point to it"
        )
    towards = None if up is None else ((0.0, 1.0, 0.0) if pole is None else pole)
    return solve(
        "ik.aim",
        _core.aim,
        chain,
        poses,
        targets,
        None,
        along,
        eye.tolist(),
        above,
        _shares(chain, shares),
        check_number(behind, "ik.aim: behind"),
        weight=weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
        start=None,
        continuous=False,
        out=out,
        rows=(("pole", towards, 3),),
    )


def _shares(chain: Chain, shares: ArrayLike | None) -> list[float]:
    """Give a share for each joint that turns; none of them where all have the same."""
    if shares is None:
        return []
    each = as_numbers(shares, "ik.aim: shares").astype(np.float64)
    if each.shape != chain.joints.shape:
        raise ValueError(
            f"ik.aim: shares must have one number for each of the {len(chain.joints)} joints of the chain, "
            f"got shape {each.shape}"
        )
    is_fixed = np.isin(chain.joints, chain.fixed)
    is_fixed[-1] = False  # the effector is always asked
    if each[is_fixed].any():
        names = [name for name, fixed in zip(chain.names, is_fixed, strict=True) if fixed]
        raise ValueError(f"ik.aim: shares of fixed joints must be 0: {', '.join(names)}")
    return [float(share) for share in each[~is_fixed]]
