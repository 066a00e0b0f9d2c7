# SPDX-License-Identifier: MIT
"""How near a clip on the target is to the clip on its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.doors import as_html
from lissom._base.names import counted
from lissom._base.printable import printable
from lissom._base.set_module import set_module
from lissom._base.vectors import angles_between
from lissom._retarget.feet import both_stand
from lissom._retarget.limbs import length
from lissom._retarget.posed import Floats

if TYPE_CHECKING:
    from lissom._retarget.body import BodySetup
    from lissom._retarget.clip import CarriedClip
    from lissom._retarget.setup import Setup

__all__ = ["RetargetReport", "RetargetedClip", "measured"]

FOLLOWS = ("Foot", "Toes", "Hand")  # of these the orientation is kept, not the direction of a bone
NOTED = 1.0  # percent: less is not printed
_SHOWN = 8  # names in a report


@set_module("lissom")
@dataclass(frozen=True, repr=False)
class RetargetedClip:
    """How near one clip on the target is to the source's.

    Attributes
    ----------
    name : str
    bone_mean, bone_p99, bone_max : float
        Degrees between bones of both bodies before goals: mean, 99th percentile and largest, over frames and
        bones. Bones are those between roles that follow each other in both bodies; feet, hands and head have
        orientations instead.
    worst_bone : str
        The role of the joint whose bone differs most.
    bone_mean_with_goals, bone_max_with_goals : float
        The same after feet and hands went to their goals.
    bones : dict of str to float
        Mean degrees before goals, by role.
    twist_max : float
        Largest difference of twists about limb bones, degrees, relative to the aligned reference pose.
    orientation_max : float
        The same of the orientations of hands, feet and head.
    slide, source_slide : float or None
        Speed of supporting points in stances, percent of leg length a second; None without feet.
    penetration, source_penetration : float or None
        How deep the lowest point of a sole is in the ground, percent of size.
    reach_error : float or None
        Largest difference of the distances from shoulder to hand, percent of arm length.
    beyond : dict of str to float
        By limb, how far its goal was out of reach at most, after the pelvis was lowered, percent of its
        length.
    left_out : float
        Largest translation of a joint from its reference pose that is not carried over, percent of size.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk = retarget.clip(hero.clips["walk"])
    >>> found = retarget.report.clips["walk"]
    >>> found.bone_mean < 0.01, found.slide < found.source_slide + 1
    (True, True)
    """

    name: str
    bone_mean: float
    bone_p99: float
    bone_max: float
    worst_bone: str
    bone_mean_with_goals: float
    bone_max_with_goals: float
    bones: dict[str, float]
    twist_max: float
    orientation_max: float
    slide: float | None
    source_slide: float | None
    penetration: float | None
    source_penetration: float | None
    reach_error: float | None
    beyond: dict[str, float]
    left_out: float

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"<RetargetedClip {self.name!r}: {self}>"

    def __str__(self) -> str:
        parts = [f"bones {self.bone_mean:.2g} degrees off, {self.bone_mean_with_goals:.2g} with goals"]
        if self.slide is not None and self.penetration is not None:
            parts.append(
                f"feet slide {self.slide:.2g} % of a leg a second (source {self.source_slide:.2g}), "
                f"{self.penetration:.2g} % of size in the ground"
            )
        if self.reach_error is not None:
            parts.append(f"hands reach within {self.reach_error:.2g} % of an arm")
        farthest = max(self.beyond, key=lambda name: self.beyond[name], default="")
        if farthest and self.beyond[farthest] > NOTED:
            parts.append(f"{farthest} {self.beyond[farthest]:.2g} % out of reach")
        if self.left_out > NOTED:
            parts.append(f"joints moved {self.left_out:.2g} % of size from their places are not followed")
        return "; ".join(parts)


@set_module("lissom")
@dataclass(frozen=True, repr=False)
class RetargetReport:
    """What a `Retarget` found in two bodies, and how near the clips are that it carried over; ``print`` it.

    Attributes
    ----------
    roles : tuple of str
        Those that both bodies have.
    at_rest : tuple of str
        Joints of the target that nothing turns: they keep their rest.
    unused : tuple of str
        Roles of the source that the target does not have.
    without_goals : dict of str to str
        Limbs without a goal, and why.
    source_pose, target_pose : str
        The reference poses: "rest", "bind" or "given".
    scale : float
        Lengths of the target for one of the source: the ratio of leg lengths.
    turn : float
        Radians between the directions that the bodies face, in their model spaces.
    floor : (float, float)
        Heights of the ground of source and target in their model spaces.
    clips : dict of str to RetargetedClip
        By name.

    Examples
    --------
    >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
    >>> retarget = lissom.Retarget(hero, child)
    >>> walk = retarget.clip(hero.clips["walk"])
    >>> print(str(retarget.report).splitlines()[0])
    30 roles, lengths times 0.5853, reference poses: rest and rest
    """

    roles: tuple[str, ...]
    at_rest: tuple[str, ...]
    unused: tuple[str, ...]
    without_goals: dict[str, str]
    source_pose: str
    target_pose: str
    scale: float
    turn: float
    floor: tuple[float, float]
    clips: dict[str, RetargetedClip]

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"<RetargetReport: {counted(len(self.roles), 'role')}, {counted(len(self.clips), 'clip')}>"

    def __str__(self) -> str:
        lines = [
            f"{counted(len(self.roles), 'role')}, lengths times {self.scale:.4g}, "
            f"reference poses: {self.source_pose} and {self.target_pose}"
        ]
        if self.at_rest:
            more = ", ..." if len(self.at_rest) > _SHOWN else ""
            names = ", ".join(map(printable, self.at_rest[:_SHOWN]))
            lines.append(f"{counted(len(self.at_rest), 'joint')} of the target at rest: {names}{more}")
        lines += [f"no goal for {name}: {why}" for name, why in self.without_goals.items()]
        for clip in self.clips.values():
            lines.append(f"{printable(clip.name)}: {clip}")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return it as JSON.

        Returns
        -------
        str
            An object with the attributes as members.

        Examples
        --------
        >>> hero, child = lissom.samples.humanoid(), lissom.samples.humanoid("child")
        >>> report = lissom.Retarget(hero, child).report
        >>> '"scale": 0.58' in report.to_json()
        True
        """
        return msgspec.json.format(msgspec.json.encode(asdict(self)), indent=2).decode()


def measured(setup: Setup, carried: CarriedClip, plain: NDArray[Any]) -> RetargetedClip:
    """Measure a clip; `plain` are its poses without goals."""
    source, target = setup.source, setup.target
    own = _model(source, carried.source_poses)
    ends = _bones(setup)
    angles = _angles(setup, own, _model(target, plain), ends)
    final = _model(target, carried.poses)
    with_goals = _angles(setup, own, final, ends)
    worst = int(np.argmax(angles.max(axis=0))) if angles.size else 0
    twist, orientation = _turns(setup, carried.source_poses, carried.poses)
    slide, source_slide, penetration, source_penetration = _slides(setup, carried)
    return RetargetedClip(
        carried.clip.name,
        _statistic(angles, np.mean),
        _statistic(angles, lambda a: np.quantile(a, 0.99)),
        _statistic(angles, np.max),
        ends[worst][0] if angles.size else "",
        _statistic(with_goals, np.mean),
        _statistic(with_goals, np.max),
        {name: float(value) for (name, *_), value in zip(ends, angles.mean(axis=0), strict=True)}
        if angles.size
        else {},
        twist,
        orientation,
        slide,
        source_slide,
        penetration,
        source_penetration,
        _reach_error(setup, own, final),
        _beyond(setup, carried.beyond),
        _left_out(setup, carried.source_poses),
    )


def _statistic(values: Floats, of: Any) -> float:
    return float(of(values)) if values.size else 0.0


def _model(body: BodySetup, poses: NDArray[Any]) -> Floats:
    return np.asarray(body.skeleton.model_matrices(poses.astype(np.float64)))


def _bones(setup: Setup) -> list[tuple[str, int, int, int, int]]:
    """Return bones that both bodies have: the role, and head and tail in source and target."""
    source, target = setup.source.roles, setup.target.roles
    return [
        (role, source.index(role), source.index(below), target.index(role), target.index(below))
        for role, below in _pairs(setup)
    ]


def _pairs(setup: Setup) -> Iterator[tuple[str, str]]:
    from lissom._retarget.alignment import LIMBS
    from lissom._roles.bones import SIDES

    for side in SIDES:
        for limb in LIMBS:
            yield from (
                pair
                for pair in _adjacent(setup, [side + bone for bone in limb])
                if not pair[0].endswith(FOLLOWS)
            )
    counts = {tuple(line.target): (len(line.source), len(line.target)) for line in setup.lines}
    if all(a == b for a, b in counts.values()):  # else the bones of one are not those of the other
        yield from _adjacent(setup, ["spine", "chest", "upperChest", "neck", "head"])


def _adjacent(setup: Setup, roles: list[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of roles that follow each other in both bodies."""
    lists = [[role for role in roles if role in body.roles] for body in (setup.source, setup.target)]
    first, second = (set(pairwise(own)) for own in lists)
    yield from (pair for pair in pairwise(lists[0]) if pair in first & second)


def _angles(setup: Setup, own: Floats, final: Floats, ends: list[tuple[str, int, int, int, int]]) -> Floats:
    """Return the angles between bones in degrees, (F, B)."""
    if not ends:
        return np.zeros((len(own), 0))
    columns = []
    for _, head, tail, their_head, their_tail in ends:
        first = (own[:, tail, :3, 3] - own[:, head, :3, 3]) @ setup.align.T
        second = final[:, their_tail, :3, 3] - final[:, their_head, :3, 3]
        columns.append(np.degrees(angles_between(first, second)))
    return np.stack(columns, axis=1)


def _turns(setup: Setup, source_poses: NDArray[Any], poses: NDArray[Any]) -> tuple[float, float]:
    """Return the largest differences, in degrees, of twists about limb bones, and of orientations.

    Of rotations from the aligned reference poses. Joints that follow two others, lines of different counts,
    are left out.
    """
    from lissom._retarget.posed import posed

    source, target = setup.source, setup.target
    twist = orientation = 0.0
    step = max(len(poses) // 60, 1)
    frames = range(0, len(poses), step)
    pairs = dict(_pairs(setup))
    of_pairs = [
        (
            posed(source.skeleton, source_poses[i].astype(np.float64)),
            posed(target.skeleton, poses[i].astype(np.float64)),
        )
        for i in frames
    ]
    for role in setup.roles:
        joint, their = source.roles.index(role), target.roles.index(role)
        first, second, weight = setup.source_of[their]
        if weight or first != second or first != joint:
            continue
        is_end = role == "head" or role.endswith(FOLLOWS)
        if not (is_end or (role in pairs and ("Arm" in role or "Leg" in role))):
            continue
        a = np.array([pair[0].rotations[joint] for pair in of_pairs])
        b = np.array([pair[1].rotations[their] for pair in of_pairs])
        delta = quat.multiply(a, quat.conjugate(source.reference.rotations[joint]))
        delta = quat.multiply(quat.multiply(setup.rotation, delta), quat.conjugate(setup.rotation))
        aligned = quat.multiply(setup.turns[their], target.reference.rotations[their])
        difference = quat.multiply(quat.multiply(b, quat.conjugate(aligned)), quat.conjugate(delta))
        if is_end:
            orientation = max(
                orientation, float(np.degrees(quat.angle_between(difference, [0, 0, 0, 1])).max())
            )
            continue
        below = target.roles.index(pairs[role])
        bone = np.array([pair[1].positions[below] - pair[1].positions[their] for pair in of_pairs])
        _, about = quat.swing_twist(np.asarray(difference), bone)
        twist = max(twist, float(np.degrees(quat.angle_between(about, [0, 0, 0, 1])).max()))
    return twist, orientation


def _slides(
    setup: Setup, carried: CarriedClip
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return slides in contact, % of leg length a second, and how deep soles are in the ground, % of size."""
    contacts = carried.contacts
    if contacts is None:
        return None, None, None, None
    slides, depths = [], []
    ground = contacts.ground_velocity
    for feet, poses, clip, velocity in (
        (setup.feet[1], carried.poses, carried.clip, setup.ratio * setup.align @ ground),
        (setup.feet[0], carried.source_poses, carried.source_clip, ground),
    ):
        steps = feet.steps(poses, clip, carried.times, velocity)
        stands = both_stand(contacts, setup.leg_names, len(poses))
        slid = np.linalg.norm(steps.moves, axis=-1) / feet.lengths
        seconds = stands.sum() * (carried.times[1] - carried.times[0])
        slides.append(100 * float(slid[stands].sum() / seconds) if seconds else 0.0)
        depths.append(100 * float(np.maximum(-steps.lowest, 0).max()) / feet.size)
    return slides[0], slides[1], depths[0], depths[1]


def _reach_error(setup: Setup, own: Floats, final: Floats) -> float | None:
    """Return the largest difference of the distances from shoulder to hand, % of the arm."""
    worst = None
    for limb in setup.target.arms:
        other = next((each for each in setup.source.arms if each.name == limb.name), None)
        if other is None:
            continue
        shares = []
        for body, model, arm in ((setup.source, own, other), (setup.target, final, limb)):
            distance = np.linalg.norm(model[:, arm.foot, :3, 3] - model[:, arm.upper, :3, 3], axis=1)
            shares.append(distance / length(body.reference.positions, arm))
        worst = max(worst or 0.0, 100 * float(np.abs(shares[0] - shares[1]).max()))
    return worst


def _beyond(setup: Setup, beyond: NDArray[Any] | None) -> dict[str, float]:
    """Return by limb how far goals were out of reach at most, % of its length."""
    if beyond is None:
        return {}
    by_name = {limb.name: limb for limb in (*setup.target.legs, *setup.target.arms)}
    rest = setup.target.rest.positions
    return {
        name: 100 * float(beyond[:, column].max()) / length(rest, by_name[name])
        for column, name in enumerate(setup.limbs)
    }


def _left_out(setup: Setup, source_poses: NDArray[Any]) -> float:
    """Return the largest translation of a joint from its place that is not carried over, % of size."""
    source = setup.source
    joints = [source.roles.index(role) for role in setup.roles if role != "hips"]
    moved = source_poses[:, joints, :3] - source.pose[joints, :3]
    matrices = source.skeleton.model_matrices(source.pose)
    parents = source.skeleton.parents[joints]
    unit = np.array(
        [1.0 if p < 0 else abs(np.linalg.det(matrices[p, :3, :3])) ** (1 / 3) for p in parents.tolist()]
    )
    return 100 * float((np.linalg.norm(moved, axis=2) * unit).max(initial=0.0)) / source.skeleton.size
