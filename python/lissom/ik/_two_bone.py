# SPDX-License-Identifier: MIT
"""The analytic solver for limbs of two bones."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.numbers import check_number
from lissom.ik._chain import Chain
from lissom.ik._result import IkResult
from lissom.ik._solve import Chains, solve


def two_bone(
    chains: Chains,
    poses: ArrayLike,
    targets: ArrayLike,
    orientations: ArrayLike | None = None,
    *,
    pole: ArrayLike | None = None,
    soften: float = 1.0,
    twist: ArrayLike | None = None,
    weight: ArrayLike = 1.0,
    tolerance: float = 1e-4,
    max_iterations: int = 60,
    start: ArrayLike | None = None,
    continuous: bool = False,
    out: NDArray[Any] | None = None,
) -> IkResult:
    """Bend a limb of two bones so that its effector meets the target, in closed form: for legs and arms.

    The middle joint bends by what the distance of the target requires, then the root points the limb at it.
    Only square roots are taken, no angles, so nothing pops where the limb is stretched or folded.

    - **Plane of the bend.** The plane in which the input pose is bent, always to the side to which the rest
      pose bends: a knee that the input bends backwards is bent forwards. A limb that is nearly straight in
      the input (less than 0.05 rad) is rotated gradually into the plane of `Chain.bend_axes`. With a `Hinge`
      the middle joint rotates about its axis only, to the side of straight that has more of its range.
    - **Direction.** The root rotates by the shortest arc from the limb's direction to the target's; where the
      two are opposite, by half a turn about the axis of the bend. With a pole, the middle joint then lies on
      its side of the line from root to target. A pole on that line determines no side: nearer to it than
      0.05, as a sine, it counts ever less, and the bend of the input pose remains.
    - **Limits** of the middle and the root joint hold. For a target nearer or farther than the range of the
      middle joint allows, the limb becomes as short or as long as it can and points at it. Where the limit of
      the root, or a cone of the middle joint, prevents that, pole and twist yield, and the two joints are
      adjusted alternately until the effector comes no nearer.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Each with exactly two rotating joints above its effector; others in line, such as twist joints, are
        named in its `fixed`. Several must be separate limbs: no joint is shared, none descends from another.
    poses : array_like of float, shape (..., J, 10)
        Local trs with unit rotations. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Positions for the effectors, in model space and in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Rotations for the effectors in model space, unit quaternions x, y, z, w: the product of the rotations
        from the skeleton's root down (below a mirror, of the model matrix with the scales divided out of its
        columns). A row of NaN requests none: that effector keeps its local rotation, as all do if this is
        omitted.
    pole : array_like of float, shape (..., 3), or (..., E, 3), optional
        Positions in model space that the middle joints point to. A row of NaN requests none.
    soften : float
        In [0, 1]: beyond this fraction of its full length the limb stretches ever more slowly towards targets
        farther away and never becomes straight, so that a knee does not snap; 0.97 is common. The effector
        then stays short of the target, and `residual` says by how much. 1 is exact.
    twist : array_like of float, shape (...), or (..., E), optional
        Rotation of the limb about the line from root to target, radians, right-handed; applied after the
        pole.
    weight : array_like of float, shape (...)
        In [0, 1]: blend from the input pose to the solution, joint by joint along the shortest arc.
    tolerance : float
        Distance that counts as reached, as a fraction of the chain's length.
    max_iterations : int
        Maximum number of rounds in which limits make the two joints alternate.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations the solver starts from: bend and direction of the limb; `poses` if omitted.
    continuous : bool
        Whether the last leading axis is time: each frame then starts from the correction of the frame before.
    out : ndarray, shape (..., J, 10), optional
        Array to write the poses to: of the type of the result, C-contiguous, not one of the inputs. Allocated
        if omitted.

    Returns
    -------
    IkResult
        ``float64`` for float64 poses, else float32. `iterations` is 1, also for a target that the input
        meets, and more only where limits made the joints alternate.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a chain does not have exactly two rotating joints, shapes do not match, a target, pole, orientation
        or pose is not finite or not unit, a weight or `soften` is outside [0, 1], or a joint inside the chain
        is not scaled uniformly.

    References
    ----------
    .. [1] D. Holden, "Simple two joint IK", theorangeduck.com, 2017: bend, then swing. The half angles here
       are those of the cosine rule in factors, which lose no digits near full reach.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> knee = {"LowerLeg.L": lissom.ik.Hinge.from_rest(0.0, 2.6)}
    >>> leg = lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits=knee)
    >>> done = lissom.ik.two_bone(leg, hero.skeleton.rest, [0.1, 0.4, 0.2], pole=[0.1, 0.5, 3.0])
    >>> bool(done.reached)
    True
    """
    found: IkResult | None = _core.plain_two_bone(
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
        pole,
        twist,
        soften,
    )
    if found is not None:
        return found
    return solve(
        "ik.two_bone",
        _core.two_bone,
        chains,
        poses,
        targets,
        orientations,
        check_number(soften, "ik.two_bone: soften"),
        weight=weight,
        tolerance=tolerance,
        max_iterations=max_iterations,
        start=start,
        continuous=continuous,
        out=out,
        rows=(("pole", pole, 3), ("twist", twist, 1)),
    )
