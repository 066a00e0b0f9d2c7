# SPDX-License-Identifier: MIT
"""Colliders: what joints that spring do not enter, fixed to joints of the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom._base.arrays import finite_floats
from lissom._base.numbers import LARGEST, check_flag, check_number, refuse_larger
from lissom._base.set_module import set_module
from lissom._rig.skeleton_arrays import Joint

__all__ = ["SpringCollider", "Vector", "checked_joint"]

Vector = tuple[float, float, float]

SHAPES = ("sphere", "capsule", "plane")
SHORTEST = 1e-12  # a normal below this has no direction


@set_module("lissom")
@dataclass(frozen=True)
class SpringCollider:
    """A sphere, a capsule or a plane that tails of spring chains collide with; see `SpringChain`.

    Made by `sphere`, `capsule` and `plane`. It moves with a joint; its radius is not scaled by the joint.

    Attributes
    ----------
    joint : str or int
        The joint that carries it.
    shape : {"sphere", "capsule", "plane"}
    offset : tuple of 3 floats
        Centre, one end of the capsule's line, or a point of the plane, in the joint's frame.
    tail : tuple of 3 floats
        The other end of the capsule's line, in the joint's frame; else as `offset`.
    normal : tuple of 3 floats
        Of the plane, unit, in the joint's frame: the side that tails stay on; else zero.
    radius : float
        In the model's lengths.
    inside : bool
        Whether tails are kept inside instead of outside.

    Raises
    ------
    TypeError, ValueError
        If one of them is of another type, negative, not finite or beyond 1e9, or a plane has no normal.

    References
    ----------
    .. [1] VRM Consortium, VRMC_springBone 1.0 and VRMC_springBone_extended_collider 1.0.

    Examples
    --------
    >>> lissom.SpringCollider.sphere("Head", 0.11, offset=(0, 0.08, 0)).shape
    'sphere'
    >>> lissom.SpringCollider.capsule("Spine", 0.12, tail=(0, 0.3, 0)).tail
    (0.0, 0.3, 0.0)
    """

    joint: Joint
    shape: Literal["sphere", "capsule", "plane"]
    offset: ArrayLike = (0.0, 0.0, 0.0)
    tail: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 0.0)
    radius: float = 0.0
    inside: bool = False

    def __post_init__(self) -> None:
        what = "SpringCollider"
        if self.shape not in SHAPES:
            raise ValueError(f"{what}: shape must be one of {', '.join(SHAPES)}, got {self.shape!r}")
        for name, value in (
            ("joint", checked_joint(self.joint, f"{what}: joint")),
            ("offset", _vector(self.offset, f"{what}: offset")),
            ("tail", _vector(self.tail, f"{what}: tail")),
            ("normal", _normal(self.normal, f"{what}: normal", self.shape)),
            ("radius", check_number(self.radius, f"{what}: radius", least=0, largest=LARGEST)),
            ("inside", check_flag(self.inside, f"{what}: inside")),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def sphere(
        cls, joint: Joint, radius: float, *, offset: ArrayLike = (0.0, 0.0, 0.0), inside: bool = False
    ) -> SpringCollider:
        """Make a sphere.

        Parameters
        ----------
        joint : str or int
            The joint that carries it.
        radius : float
            At least 0.
        offset : array_like of float, shape (3,)
            Its centre in the joint's frame.
        inside : bool
            Whether tails are kept inside.

        Returns
        -------
        SpringCollider

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type, negative, not finite or beyond 1e9.

        Examples
        --------
        >>> lissom.SpringCollider.sphere("Head", 0.11).radius
        0.11
        """
        return cls(joint, "sphere", offset, offset, radius=radius, inside=inside)

    @classmethod
    def capsule(
        cls,
        joint: Joint,
        radius: float,
        *,
        tail: ArrayLike,
        offset: ArrayLike = (0.0, 0.0, 0.0),
        inside: bool = False,
    ) -> SpringCollider:
        """Make a capsule: all points within a radius of a line.

        Parameters
        ----------
        joint : str or int
            The joint that carries it.
        radius : float
            At least 0.
        tail, offset : array_like of float, shape (3,)
            The ends of the line in the joint's frame.
        inside : bool
            Whether tails are kept inside.

        Returns
        -------
        SpringCollider

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type, negative, not finite or beyond 1e9.

        Examples
        --------
        >>> lissom.SpringCollider.capsule("LowerArm.L", 0.04, tail=(0, 0.25, 0)).shape
        'capsule'
        """
        return cls(joint, "capsule", offset, tail, radius=radius, inside=inside)

    @classmethod
    def plane(
        cls, joint: Joint, *, normal: ArrayLike = (0.0, 0.0, 1.0), offset: ArrayLike = (0.0, 0.0, 0.0)
    ) -> SpringCollider:
        """Make a plane without an end, which tails stay in front of.

        Parameters
        ----------
        joint : str or int
            The joint that carries it.
        normal : array_like of float, shape (3,)
            Where the front is, in the joint's frame; of any length but zero.
        offset : array_like of float, shape (3,)
            A point of it in the joint's frame.

        Returns
        -------
        SpringCollider

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type or not finite, or `normal` is zero.

        Examples
        --------
        >>> lissom.SpringCollider.plane("Pelvis", normal=(0, 0, -2)).normal
        (0.0, 0.0, -1.0)
        """
        return cls(joint, "plane", offset, offset, normal)


def _vector(value: ArrayLike, what: str) -> Vector:
    """Return three finite numbers; `what` names function and argument."""
    numbers = finite_floats(value, what, (3,))
    refuse_larger(numbers, what)
    x, y, z = numbers.tolist()
    return x, y, z


def _normal(value: ArrayLike, what: str, shape: str) -> Vector:
    """Return a normal, unit where the shape has one."""
    front = np.array(_vector(value, what))
    size = float(np.linalg.norm(front))
    if shape != "plane":
        return 0.0, 0.0, 0.0
    if not size > SHORTEST:
        raise ValueError(f"{what} must have a direction, got {value!r}")
    x, y, z = (front / size).tolist()
    return x, y, z


def checked_joint(value: Joint, what: str) -> Joint:
    """Return a name or an index of a joint; `what` names function and argument."""
    if isinstance(value, bool) or not isinstance(value, (str, int, np.integer)):
        raise TypeError(f"{what} must be the name or the index of a joint, got {type(value).__name__}")
    return value if isinstance(value, str) else int(value)
