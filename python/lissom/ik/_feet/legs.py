# SPDX-License-Identifier: MIT
"""Legs: the joints of each, by name and by index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, read_only
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom._roles.roles import roles
from lissom.ik._feet.find_legs import LOW, find_legs
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.rig import Rig, rig_of
from lissom.ik._feet.role_legs import missing_bones
from lissom.ik._feet.soles import Sole, measured_soles

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["Leg"]


@dataclass(frozen=True, eq=False)
class Leg:
    """The joints of one leg, from the hip to the toes.

    Parameters
    ----------
    hip : str or int
        The joint at the upper end, that of the thigh.
    knee : str or int, or a sequence of them
        The joints that bend between hip and ankle: one for people, two for the hind leg of a horse. Joints
        of the skeleton between them that are not named (twist joints in line) keep their local rotation.
    ankle : str or int
        The joint at the lower end, which is moved to place the foot. None where the rig ends legs with the
        knee and has feet beside them: the place of `foot` at rest is taken.
    toe : str or int, optional
        The joint that the toes rotate about.
    foot : str or int, optional
        The joint that carries the foot where that is not the ankle: rigs exported with their controls have
        feet beside the legs. It is moved with the ankle, and needed where that is None.
    sole : array_like, shape (K, 3), optional
        Points of the sole in the frame of the joint that carries the foot. Measured from the mesh if
        omitted, or from the joints where there is none: see `measure`.
    name : str, optional
        Name in results and errors; that of the ankle or foot if omitted.

    Raises
    ------
    TypeError
        If a joint is neither a name nor an index, or `sole` does not hold real numbers.
    ValueError
        If no knee is named, a joint is named twice, or `sole` does not have shape (K, 3) or is not finite.

    See Also
    --------
    Leg.find : guess the legs of a character.
    FootPlacement : place their feet on the ground.

    Examples
    --------
    >>> leg = lissom.ik.Leg("UpperLeg.L", "LowerLeg.L", "Foot.L", "Toes.L")
    >>> leg
    Leg('UpperLeg.L', 'LowerLeg.L', 'Foot.L', 'Toes.L')
    """

    hip: Joint
    knee: Joint | tuple[Joint, ...]
    ankle: Joint | None
    toe: Joint | None = None
    foot: Joint | None = None
    sole: NDArray[np.float64] | None = None
    name: str = ""

    def __init__(
        self,
        hip: Joint,
        knee: Joint | Iterable[Joint],
        ankle: Joint | None,
        toe: Joint | None = None,
        *,
        foot: Joint | None = None,
        sole: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:
        knees: tuple[Joint, ...]
        several: Any = knee
        knees = tuple(several) if _is_several(several) else (several,)
        if not knees:
            raise ValueError("Leg: knee must name at least one joint between hip and ankle, got none")
        optional = [("toe", toe), ("foot", foot)]
        named: list[tuple[str, Any]] = [("hip", hip), *(("knee", joint) for joint in knees)]
        if ankle is not None or foot is None:
            named.append(("ankle", ankle))
        named += [(role, joint) for role, joint in optional if joint is not None]
        for role, joint in named:
            if isinstance(joint, bool) or not isinstance(joint, (str, int, np.integer)):
                raise TypeError(f"Leg: {role} must be a joint's name or index, got {type(joint).__name__}")
        joints = [joint for _, joint in named]
        if len(set(joints)) < len(joints):
            twice = next(joint for joint in joints if joints.count(joint) > 1)
            raise ValueError(f"Leg: joints must differ, got {twice!r} twice")
        points = None if sole is None else _checked_sole(sole)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Leg: name must be a string, got {type(name).__name__}")
        carrier = ankle if foot is None else foot
        values: dict[str, Any] = {
            "hip": hip,
            "knee": knees[0] if len(knees) == 1 else knees,
            "ankle": ankle,
            "toe": toe,
            "foot": foot,
            "sole": points,
            "name": name or (carrier if isinstance(carrier, str) else f"leg at joint {carrier}"),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @property
    def knees(self) -> tuple[Joint, ...]:
        """The joints that bend between hip and ankle, in that order."""
        return self.knee if isinstance(self.knee, tuple) else (self.knee,)

    @classmethod
    def find(cls, character: Character | Skeleton) -> tuple[Leg, ...]:
        """Find the legs of a character by the roles of its joints, or else by their hierarchy and its mesh.

        Where `lissom.roles` names upper leg, lower leg and foot of both sides, of people and of animals on
        four legs, those are the legs. Of insects, spiders and what else has no such roles, a leg is a branch
        of the skeleton that bends at least once and ends near the ground, where it carries a foot or meets a
        joint that does (feet of exported controls). There may be any number of legs. Check the result:
        ``print(Leg.find(hero))``.

        Parameters
        ----------
        character : Character or Skeleton

        Returns
        -------
        tuple of Leg
            In the order of their joints.

        Raises
        ------
        TypeError
            If `character` is neither.
        ValueError
            If no leg is found: says which role is missing, and why. Name the joints then.

        Examples
        --------
        >>> for leg in lissom.ik.Leg.find(lissom.samples.humanoid()):
        ...     print(leg)
        Leg('UpperLeg.L', 'LowerLeg.L', 'Foot.L', 'Toes.L')
        Leg('UpperLeg.R', 'LowerLeg.R', 'Foot.R', 'Toes.R')
        """
        rig = rig_of("Leg.find", character)
        names = rig.skeleton.names
        roles_of = roles(character)
        found = find_legs("Leg.find", rig, roles_of)
        if not found:
            name = getattr(character, "name", None)
            lacking = [f"{role} ({why})" for role, why in missing_bones(roles_of).items()]
            raise ValueError(
                "Leg.find: character must have a leg, a branch of three joints or more in line from the body "
                f"down to the ground (within {LOW:g} of the size), got "
                f"{repr(name) if name else 'a skeleton'} without one"
                + (f", a {roles_of.kind} that lacks {' and '.join(lacking)}" if lacking else "")
                + "; name the joints: Leg(hip, knee, ankle)"
            )
        return tuple(
            cls(
                names[leg.bends[0]],
                [names[joint] for joint in leg.bends[1:]],
                names[leg.ankle] if leg.ankle < len(names) else None,
                None if leg.toe is None else names[leg.toe],
                foot=names[leg.foot] if leg.is_detached else None,
            )
            for leg in found
        )

    def measure(self, character: Character | Skeleton, stance: ArrayLike | None = None) -> Sole:
        """Measure the foot: its sole, and the heights of ankle and toes over it.

        Parameters
        ----------
        character : Character or Skeleton
        stance : array_like, shape (J, 10), optional
            Local trs of a pose in which the foot stands flat. The rest pose if omitted.

        Returns
        -------
        Sole

        Raises
        ------
        ValueError
            If the skeleton does not have these joints, they are not in line, or the pose does not fit or is
            not finite.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> left, _ = lissom.ik.Leg.find(hero)
        >>> left.measure(hero)
        <Sole: ankle 0.085 and toe 0.0245 over the ground, 114 points>
        """
        what = "Leg.measure"
        rig, _, joints = checked_legs(what, rig_of(what, character), self)
        return measured_soles(what, rig, joints, stance)[0]

    def __repr__(self) -> str:
        parts = [repr(self.hip), repr(self.knee), repr(self.ankle)]
        parts += [] if self.toe is None else [repr(self.toe)]
        parts += [] if self.foot is None else [f"foot={self.foot!r}"]
        parts += [] if self.sole is None else [f"sole=<{len(self.sole)} points>"]
        return f"Leg({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Leg):
            return NotImplemented
        is_same = all(getattr(self, key) == getattr(other, key) for key in _COMPARED)
        return is_same and np.array_equal(_rows(self.sole), _rows(other.sole))

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, key) for key in _COMPARED))


_COMPARED = ("hip", "knee", "ankle", "toe", "foot", "name")


def _leg_joints(function: str, skeleton: Skeleton, leg: Leg, shin_end: int | None) -> LegJoints:
    """Return a leg's joints in a skeleton; refuse those that do not exist or are not in line.

    `shin_end` is the ankle of a leg that names none.
    """

    def index(role: str, joint: Joint) -> int:
        return skeleton._index_of(joint, f"{function}: {role} of {leg!r}")

    hip = index("hip", leg.hip)
    ankle = shin_end if leg.ankle is None else index("ankle", leg.ankle)
    assert ankle is not None
    knees = [index("knee", joint) for joint in leg.knees]
    above = hip
    for role, joint in [*(("knee", knee) for knee in knees), ("ankle", ankle)]:
        if joint == above or not skeleton.is_in_hierarchy(joint, above):
            raise ValueError(
                f"{function}: the joints of {leg!r} must be in line, got {role} {skeleton.names[joint]!r}, "
                f"which does not descend from {skeleton.names[above]!r}; name them from the hip down"
            )
        above = joint
    foot = ankle if leg.foot is None else index("foot", leg.foot)
    chain = tuple(skeleton.chain(hip, ankle).tolist())
    if foot != ankle and (foot in chain or skeleton.is_in_hierarchy(foot, hip)):
        raise ValueError(
            f"{function}: foot of {leg!r} must be beside the leg, got {skeleton.names[foot]!r}, which "
            "descends from the hip; omit it where the ankle carries the foot"
        )
    toe = None if leg.toe is None else index("toe", leg.toe)
    if toe is not None and not skeleton.is_in_hierarchy(toe, foot):
        raise ValueError(
            f"{function}: toe of {leg!r} must descend from the joint that carries the foot, "
            f"{skeleton.names[foot]!r}, got {skeleton.names[toe]!r}"
        )
    return LegJoints(leg.name, chain, (hip, *knees), ankle, toe, foot, leg.sole)


def checked_legs(function: str, rig: Rig, legs: object) -> tuple[Rig, tuple[Leg, ...], list[LegJoints]]:
    """Return legs and their joints in a rig, which has ends for the shins of legs without an ankle.

    Refuses other types, an empty sequence, and joints that legs share.
    """
    if isinstance(legs, Leg):
        legs = (legs,)
    if isinstance(legs, str) or not isinstance(legs, Iterable):
        raise TypeError(f"{function}: legs must be a sequence of Leg, got {type(legs).__name__}")
    leg_tuple: tuple[Any, ...] = tuple(legs)
    for leg in leg_tuple:
        if not isinstance(leg, Leg):
            raise TypeError(f"{function}: legs must hold Leg, got {type(leg).__name__}")
    if not leg_tuple:
        raise ValueError(f"{function}: legs must hold at least one Leg, got none; Leg.find guesses them")
    shins = [
        (
            rig.skeleton._index_of(leg.knees[-1], f"{function}: knee of {leg!r}"),
            rig.skeleton._index_of(leg.foot, f"{function}: foot of {leg!r}"),
        )
        for leg in leg_tuple
        if leg.ankle is None
    ]
    ends = iter(range(len(rig.skeleton), len(rig.skeleton) + len(shins)))
    rig = rig.with_shin_ends(shins) if shins else rig
    skeleton = rig.skeleton
    joints = [
        _leg_joints(function, skeleton, leg, next(ends) if leg.ankle is None else None) for leg in leg_tuple
    ]
    owners: dict[int, str] = {}
    for leg in joints:
        for joint in {*leg.bends, leg.ankle, leg.foot}:
            if joint in owners:
                raise ValueError(
                    f"{function}: legs must not share joints, got {owners[joint]!r} and {leg.name!r}, which "
                    f"both have {skeleton.names[joint]!r}"
                )
            owners[joint] = leg.name
    return rig, leg_tuple, joints


def _is_several(joints: object) -> bool:
    return isinstance(joints, Iterable) and not isinstance(joints, str)


def _checked_sole(sole: ArrayLike) -> NDArray[np.float64]:
    points = as_numbers(sole, "Leg: sole").astype(np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        raise ValueError(f"Leg: sole must have shape (K, 3), K at least 1, got {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError(
            f"Leg: sole must be finite, got {points[~np.isfinite(points).all(axis=1)][0].tolist()}"
        )
    return read_only(points)


def _rows(sole: NDArray[np.float64] | None) -> NDArray[np.float64]:
    return np.zeros((0, 3)) if sole is None else sole
