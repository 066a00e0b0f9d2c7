# SPDX-License-Identifier: MIT
"""The analytic solver of limbs."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.numbers import check_number
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
    """Bend a limb of two bones so that its end meets the target: legs and arms, solved at once.

    The middle joint bends by what the distance of the target asks for, the root points the limb at it. Only
    square roots are taken, no angles, so nothing pops where the limb is stretched or folded.

    - **Which way it bends.** In the plane in which the input pose is bent, and always to the side to which
      the rest pose bends: a knee that the input bends backwards is bent forwards. A limb that the input has
      nearly straight (less than 0.05 rad) is turned bit by bit into the plane of `Chain.bend_axes`. With a
      `Hinge` the middle joint turns about its axis and no other, to the side of straight that has more of
      its range.
    - **Which way it points.** The root turns by the shortest arc from where the limb pointed to the target;
      where the two are opposite, half a turn about the axis of the bend. With a pole, the middle joint then
      lies on its side of the line from root to target. A pole on that line says nothing: nearer to it than
      0.05, as a sine, it counts ever less, and the bend of the input pose remains.
    - **Limits** of the middle and the root joint hold. A target nearer or farther than the middle joint can
      bend gets the limb as short or as long as it can be, pointing at it. Where the limit of the root, or a
      cone of the middle joint, is in the way, pole and twist give way, and the two joints take turns until
      the effector comes no nearer.

    Parameters
    ----------
    chains : ik.Chain or sequence of them
        Each with exactly two joints that turn above its effector; others in line, such as twist joints, are
        named in its `fixed`. Several must be limbs of their own: no joint shared, none below another.
    poses : array_like of float, shape (..., J, 10)
        Local trs, rotations unit. Leading axes broadcast with those of the other arguments.
    targets : array_like of float, shape (..., 3), or (..., E, 3) for E chains in a list
        Where the effectors shall be, model space, in the precision of the poses.
    orientations : array_like of float, shape (..., 4), or (..., E, 4), optional
        Unit quaternions x, y, z, w that the effectors shall have in model space. A row of NaN asks for none;
        effectors then keep their local rotation, as they do if this is omitted.
    pole : array_like of float, shape (..., 3), or (..., E, 3), optional
        Positions in model space towards which the middle joints point. A row of NaN asks for none.
    soften : float
        In [0, 1]: from this share of its full reach on the limb stretches ever more slowly towards targets
        farther away and never gets straight, so that a knee does not snap; 0.97 is common. The effector
        then stays short of the target, and `residual` says by how much. 1 is exact.
    twist : array_like of float, shape (...), or (..., E), optional
        Turn of the limb about the line from root to target, radians, right-handed; after the pole.
    weight : array_like of float, shape (...)
        In [0, 1]: how far the result goes from the input pose to the solution, joint by joint along the
        shortest arc.
    tolerance : float
        Distance that counts as reached, as a share of the chain's length.
    max_iterations : int
        Rounds at most, where limits make the two joints take turns.
    start : array_like of float, shape (..., J, 10), optional
        Poses whose rotations say how the limb is bent and where it points; `poses` if omitted.
    continuous : bool
        The last of the leading axes is time: each frame starts from the correction that the frame before
        ended with.
    out : ndarray, shape (..., J, 10), optional
        Where to write the poses, of the type of the result, C-contiguous; allocated when omitted. Not one
        of the inputs.

    Returns
    -------
    IkResult
        ``float64`` for float64 poses, else float32. `iterations` is 1, also for a target that was met
        already, and more only where limits made the joints take turns.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a chain has not exactly two joints that turn, shapes do not match, a target, pole, orientation or
        pose is not finite or not unit, a weight or `soften` is outside [0, 1], or a joint between those
        that turn is scaled differently along its axes.

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
