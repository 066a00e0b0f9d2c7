# SPDX-License-Identifier: MIT
"""Measures of a clip on the target beside its source."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.vectors import angles_between
from lissom._retarget.clip import target_morphs
from lissom._retarget.limbs import length, paired
from lissom._retarget.posed import IDENTITY, Floats, posed
from lissom._retarget.report import RetargetedClip
from lissom._retarget.stances import both_stand
from lissom._roles.bones import LIMBS, SIDES, TRUNK
from lissom.clip._bind_morphs import partners_of_morphs

if TYPE_CHECKING:
    from lissom._retarget.body import BodySetup
    from lissom._retarget.clip import CarriedClip
    from lissom._retarget.setup import Setup
    from lissom.clip import Clip

__all__ = ["measured"]

FOLLOWS = ("Foot", "Toes", "Hand")  # of these the orientation is kept, not the direction of a bone
FRAMES = 60  # at least so many of a clip are measured for twists, evenly spread


def measured(setup: Setup, carried: CarriedClip, plain: NDArray[Any]) -> RetargetedClip:
    """Measure a clip; `plain` are its poses without goals."""
    source, target = setup.source, setup.target
    own, final = _model(source, carried.source_poses), _model(target, carried.poses)
    bones = list(_bones(setup))
    angles = _angles(setup, own, _model(target, plain), bones)
    with_goals = _angles(setup, own, final, bones)
    twist, orientation = _turns(setup, carried.source_poses, carried.poses)
    return RetargetedClip(
        name=carried.clip.name,
        bone_mean=_statistic(angles, np.mean),
        bone_p99=_statistic(angles, lambda a: np.quantile(a, 0.99)),
        bone_max=_statistic(angles, np.max),
        worst_bone=bones[int(np.argmax(angles.max(axis=0)))][0] if bones else "",
        bone_mean_with_goals=_statistic(with_goals, np.mean),
        bone_max_with_goals=_statistic(with_goals, np.max),
        bones=_by_bone(bones, angles),
        bones_with_goals=_by_bone(bones, with_goals),
        twist_max=twist,
        orientation_max=orientation,
        **_feet(setup, carried),
        reach_error=_reach_error(setup, own, final),
        beyond=_beyond(setup, carried.beyond),
        left_out=_left_out(setup, carried.source_poses),
        morphs_left_out=_morphs_left_out(setup, carried.source_clip),
    )


def _morphs_left_out(setup: Setup, clip: Clip) -> tuple[str, ...]:
    morphs, names = target_morphs(setup), clip.morph_names
    if morphs is None:
        return ()
    partners = partners_of_morphs(names, morphs.names)
    moved = sorted(clip.weight_tracks["joint"].tolist())
    return tuple(names[morph] for morph in moved if morph not in partners)


def _by_bone(bones: list[tuple[str, str]], angles: Floats) -> dict[str, float]:
    return {role: float(column.mean()) for (role, _), column in zip(bones, angles.T, strict=True)}


def _statistic(values: Floats, of: Any) -> float:
    return float(of(values)) if values.size else 0.0


def _model(body: BodySetup, poses: NDArray[Any]) -> Floats:
    return np.asarray(body.skeleton.model_matrices(poses.astype(np.float64)))


def _bones(setup: Setup) -> Iterator[tuple[str, str]]:
    """Return bones that both bodies have, by the roles of head and tail."""
    for side in SIDES:
        for limb in LIMBS:
            yield from (
                bone
                for bone in _adjacent(setup, [side + bone for bone in limb])
                if not bone[0].endswith(FOLLOWS)
            )
    # Where counts differ, the bones of one are not those of the other.
    if all(len(line.source) == len(line.target) for line in setup.lines.trunk):
        yield from _adjacent(setup, list(TRUNK[1:]))


def _adjacent(setup: Setup, roles: list[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of roles that follow each other in both bodies."""
    lists = [[role for role in roles if role in body.roles] for body in (setup.source, setup.target)]
    first, second = (set(pairwise(own)) for own in lists)
    yield from (pair for pair in pairwise(lists[0]) if pair in first & second)


def _angles(setup: Setup, own: Floats, final: Floats, bones: list[tuple[str, str]]) -> Floats:
    """Return the angles between bones in degrees, (F, B)."""
    angles = np.zeros((len(own), len(bones)))
    for column, bone in enumerate(bones):
        first, second = (
            np.subtract(*(model[:, body.roles.index(role), :3, 3] for role in reversed(bone)))
            for body, model in ((setup.source, own), (setup.target, final))
        )
        angles[:, column] = np.degrees(angles_between(setup.similarity.vectors(first), second))
    return angles


def _turns(setup: Setup, source_poses: NDArray[Any], poses: NDArray[Any]) -> tuple[float, float]:
    """Return the largest differences, in degrees, of twists about limb bones, and of orientations.

    Of rotations from the aligned reference poses. Joints that follow two others, lines of different counts,
    are left out.
    """
    source, target = setup.source, setup.target
    step = max(len(poses) // FRAMES, 1)
    own = posed(source.skeleton, source_poses[::step].astype(np.float64))
    final = posed(target.skeleton, poses[::step].astype(np.float64))
    twists, orientations = [0.0], [0.0]
    below = dict(_bones(setup))
    for role in setup.roles:
        joint, their = source.roles.index(role), target.roles.index(role)
        if setup.source_of[their] != (joint, joint, 0.0):
            continue
        is_end = role == "head" or role.endswith(FOLLOWS)
        if not (is_end or (role in below and ("Arm" in role or "Leg" in role))):
            continue
        delta = quat.multiply(own.rotations[:, joint], quat.conjugate(source.reference.rotations[joint]))
        aligned = quat.multiply(setup.turns[their], target.reference.rotations[their])
        turned = quat.multiply(final.rotations[:, their], quat.conjugate(aligned))
        difference = quat.multiply(turned, quat.conjugate(setup.similarity.turns(np.asarray(delta))))
        if not is_end:
            tail = target.roles.index(below[role])
            bone = final.positions[:, tail] - final.positions[:, their]
            _, difference = quat.swing_twist(difference, bone)
        angle = float(np.degrees(quat.angle_between(difference, IDENTITY)).max())
        (orientations if is_end else twists).append(angle)
    return max(twists), max(orientations)


def _feet(setup: Setup, carried: CarriedClip) -> dict[str, Any]:
    """Return the attributes of RetargetedClip that speak of feet and ground."""
    contacts = carried.contacts
    names = ("slide", "source_slide", "stance_share", "penetration", "source_penetration")
    if contacts is None:
        return dict.fromkeys(names)
    slides, depths = [], []
    ground = contacts.ground_velocity
    stands = both_stand(contacts, setup.leg_columns, len(carried.poses))
    seconds = stands.sum() * (carried.times[1] - carried.times[0])
    for feet, poses, clip, velocity in (
        (setup.feet[1], carried.poses, carried.clip, setup.similarity.vectors(ground)),
        (setup.feet[0], carried.source_poses, carried.source_clip, ground),
    ):
        steps = feet.steps(poses, clip.root_motion, carried.times, velocity)
        slid = np.linalg.norm(steps.moves, axis=-1) / feet.lengths
        slides.append(100 * float(slid[stands].sum() / seconds) if seconds else 0.0)
        depths.append(100 * float(np.maximum(-steps.lowest, 0).max()) / feet.size)
    return dict(zip(names, (*slides, 100 * float(stands.mean()), *depths), strict=True))


def _reach_error(setup: Setup, own: Floats, final: Floats) -> float | None:
    """Return the largest difference of the distances from shoulder to hand, % of the arm."""
    errors = []
    for pair in paired(setup.source.arms, setup.target.arms, is_leg=False):
        shares = []
        for body, model, arm in ((setup.source, own, pair.source), (setup.target, final, pair.target)):
            distance = np.linalg.norm(model[:, arm.foot, :3, 3] - model[:, arm.upper, :3, 3], axis=1)
            shares.append(distance / length(body.reference.positions, arm))
        errors.append(100 * float(np.abs(shares[0] - shares[1]).max()))
    return max(errors, default=None)


def _beyond(setup: Setup, beyond: NDArray[Any] | None) -> dict[str, float]:
    """Return by limb how far ends stayed from their goals at most, % of its length."""
    if beyond is None:
        return {}
    return {
        pair.name: 100 * float(farthest) / length(setup.target.rest.positions, pair.target)
        for pair, farthest in zip(setup.limbs, beyond.max(axis=0), strict=True)
    }


def _left_out(setup: Setup, source_poses: NDArray[Any]) -> float:
    """Return the largest translation of a joint from its place that is not carried over, % of size."""
    source = setup.source
    goals = {pair.source.foot for pair in setup.limbs if pair.is_leg}
    joints = [source.roles.index(role) for role in setup.roles if role != "hips"]
    joints = [joint for joint in joints if joint not in goals]
    moved = source_poses[:, joints, :3] - source.pose[joints, :3]
    matrices = source.skeleton.model_matrices(source.pose)
    parents = source.skeleton.parents[joints]
    unit = np.array(
        [1.0 if p < 0 else abs(np.linalg.det(matrices[p, :3, :3])) ** (1 / 3) for p in parents.tolist()]
    )
    return 100 * float((np.linalg.norm(moved, axis=2) * unit).max(initial=0.0)) / source.skeleton.size
