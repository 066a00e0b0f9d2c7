# SPDX-License-Identifier: MIT
"""Spring chains: joints one below another that lag behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lissom._base.arrays import as_numbers, finite_floats
from lissom._base.numbers import LARGEST, check_flag, check_number, refuse_larger
from lissom._base.set_module import set_module
from lissom._rig.skeleton_arrays import Joint
from lissom._springs.collider import SpringCollider, Vector, checked_joint

__all__ = ["SpringChain"]

PerJoint = float | Sequence[float]


@set_module("lissom")
@dataclass(frozen=True)
class SpringChain:
    """Joints one below another that spring: a strand of hair, a tail, a stripe of a skirt.

    Each joint but the last turns so that the next one lags behind, as a particle at a fixed distance would
    that keeps its speed, is drawn back to its place and falls. The last joint only marks where the chain
    ends, unless `end` adds a bone beyond it.

    Parameters
    ----------
    joints : sequence of str or int
        From the root outwards, each a descendant of the one before, such as `Skeleton.chain` returns.
    stiffness : float or sequence of float
        How fast a tail is drawn back to where its joint rests, in lengths of the model a second, at least 0.
        One number, or one for each joint that springs.
    drag : float or sequence of float
        Share of its motion that a tail loses at each step of 1/60 s, in [0, 1].
    gravity : float, or array_like of float, shape (3,) or (N, 3)
        How fast a tail falls, in lengths of the model a second: along -y of the world, or a vector of world
        space for any direction, such as wind; for all N joints that spring or for each.
    radius : float or sequence of float
        Of the sphere around a tail that colliders meet, at least 0.
    end : float
        Length of a bone that is added beyond the last joint, straight on, so that this joint springs, too; 0
        for none.
    center : str or int, optional
        The joint in whose space motion is measured: what it moves with does not shake the chain. The world if
        omitted. The chain's root is below it.
    colliders : sequence of SpringCollider
        What the tails of this chain collide with, in this order.
    follow : bool
        Whether joints are drawn to where the pose turns them, so that springs add to an animated tail. If
        False, as VRM says, to their rest pose: what a clip says of their rotations is not used.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a number is not finite, negative or out of range, a joint is named twice, or there are too few.

    See Also
    --------
    Springs : which simulates chains.

    References
    ----------
    .. [1] VRM Consortium, VRMC_springBone 1.0, whose ``stiffness``, ``dragForce``, ``gravityPower`` times
       ``gravityDir``, ``hitRadius`` and ``center`` these are.

    Examples
    --------
    >>> chain = lissom.SpringChain(["tail.1", "tail.2", "tail.3"], stiffness=[2, 1], drag=0.2, gravity=0.3)
    >>> chain.stiffness, chain.gravity[0]
    ((2.0, 1.0), (0.0, -0.3, 0.0))
    """

    joints: Sequence[Joint]
    stiffness: PerJoint = 1.0
    drag: PerJoint = 0.5
    gravity: ArrayLike = 0.0
    radius: PerJoint = 0.0
    end: float = 0.0
    center: Joint | None = None
    colliders: Sequence[SpringCollider] = ()
    follow: bool = False

    def __post_init__(self) -> None:
        joints = _checked_joints(self.joints)
        end = check_number(self.end, "SpringChain: end", least=0, largest=LARGEST)
        count = len(joints) if end else len(joints) - 1
        if count < 1:
            raise ValueError(
                f"SpringChain: joints must be two or more, got {len(joints)}; end= adds a bone after the last"
            )
        center = None if self.center is None else checked_joint(self.center, "SpringChain: center")
        for name, value in (
            ("joints", joints),
            ("stiffness", _for_each("stiffness", self.stiffness, count, LARGEST)),
            ("drag", _for_each("drag", self.drag, count, 1.0)),
            ("gravity", _gravity(self.gravity, count)),
            ("radius", _for_each("radius", self.radius, count, LARGEST)),
            ("end", end),
            ("center", center),
            ("colliders", checked_colliders(self.colliders, "SpringChain: colliders")),
            ("follow", check_flag(self.follow, "SpringChain: follow")),
        ):
            object.__setattr__(self, name, value)


def checked_colliders(value: Iterable[SpringCollider], what: str) -> tuple[SpringCollider, ...]:
    """Return colliders as a tuple; refuse anything else. `what` names function and argument."""
    if isinstance(value, (str, SpringCollider)) or not isinstance(value, Iterable):
        raise TypeError(f"{what} must be a sequence of SpringCollider, got {type(value).__name__}")
    colliders = tuple(value)
    for each in colliders:
        if not isinstance(each, SpringCollider):
            raise TypeError(f"{what} must hold SpringCollider, got {type(each).__name__}")
    return colliders


def _checked_joints(value: Sequence[Joint]) -> tuple[Joint, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"SpringChain: joints must be a sequence of joints, got {type(value).__name__}")
    joints = tuple(checked_joint(joint, "SpringChain: joints") for joint in value)
    seen: set[Joint] = set()
    for joint in joints:
        if joint in seen:
            raise ValueError(f"SpringChain: joints must not repeat, got {joint!r} twice")
        seen.add(joint)
    return joints


def _for_each(name: str, value: PerJoint, count: int, most: float) -> tuple[float, ...]:
    """Return a number for each joint that springs; refuse others than from 0 to `most`."""
    what = f"SpringChain: {name}"
    numbers = as_numbers(value, what).astype(np.float64)
    if numbers.shape not in ((), (count,)):
        raise ValueError(
            f"{what} must be one number, or one for each of the {count} joints that spring, got shape "
            f"{numbers.shape}"
        )
    wrong = numbers[~((numbers >= 0) & (numbers <= most))]
    if wrong.size:
        raise ValueError(f"{what} must be from 0 to {most:g}, got {wrong.flat[0]:g}")
    return tuple(np.broadcast_to(numbers, (count,)).tolist())


def _gravity(value: ArrayLike, count: int) -> tuple[Vector, ...]:
    what = "SpringChain: gravity"
    numbers = finite_floats(value, what)
    if numbers.ndim == 0:
        numbers = np.array([0.0, -float(numbers), 0.0])
    if numbers.shape not in ((3,), (count, 3)):
        raise ValueError(
            f"{what} must be a number, or have shape (3,) or ({count}, 3) for {count} joints that spring, "
            f"got shape {numbers.shape}"
        )
    refuse_larger(numbers, what)
    return tuple((x, y, z) for x, y, z in np.broadcast_to(numbers + 0.0, (count, 3)).tolist())
