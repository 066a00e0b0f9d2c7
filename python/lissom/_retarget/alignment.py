# SPDX-License-Identifier: MIT
"""Rests aligned: rotations that turn the target's reference pose until its bones point where the source's do.

Each joint takes over the turn of the one above and adds the least that its own bone needs: first about the
forward axis, as arms are raised and lowered from a T-pose to an A-pose, then the shortest. The twist about a
bone, which its direction leaves open, is told by what branches off: the hips by both legs, the chest by both
arms, a hand by its knuckles, a bent limb by the plane of its two bones. Heads keep looking where they look,
and feet stay flat: of their direction the heading alone is aligned.
"""

from __future__ import annotations

import numpy as np

from lissom import quat
from lissom._retarget.chains import Line, Lines
from lissom._retarget.posed import IDENTITY, Floats
from lissom._roles.bones import DIGITS, HIND, LEG, LIMBS, SIDES

__all__ = ["Bones", "aligned_rests"]

BENT = np.sin(np.radians(10.0))  # a limb that is bent by less has no plane
ALONG = 0.35  # sine: of a bone that points forward by more than this, the angle about that axis says little
KNUCKLES = tuple(f"{digit}Proximal" for digit in DIGITS[1:])


class Bones:
    """Places of joints by role, of source and target, in the axes of the target.

    Parameters
    ----------
    source, target : dict of str to int
        Joints by role, roles that both have.
    source_places, target_places : ndarray of float64, shape (J, 3)
        In the reference poses; of the source turned into the axes of the target.
    """

    def __init__(
        self, source: dict[str, int], target: dict[str, int], source_places: Floats, target_places: Floats
    ) -> None:
        self.source, self.target = source, target
        self.source_places, self.target_places = source_places, target_places

    def __contains__(self, role: object) -> bool:
        return role in self.source

    def between(self, first: str, second: str) -> tuple[Floats, Floats]:
        """Return the vectors from one role to another, of source and target."""
        return (
            self.source_places[self.source[second]] - self.source_places[self.source[first]],
            self.target_places[self.target[second]] - self.target_places[self.target[first]],
        )

    def across(self, bone: str) -> tuple[Floats, Floats] | None:
        """Return the vectors from right to left; None where a side is missing."""
        if all(side + bone in self for side in SIDES):
            return self.between("right" + bone, "left" + bone)
        return None


def aligned_rests(bones: Bones, lines: Lines, up: Floats, forward: Floats) -> dict[int, Floats]:
    """Return by joint of the target the rotation (4,), in its model space, that aligns its reference pose."""
    turns: dict[int, Floats] = {}
    hips = bones.target["hips"]
    width = bones.across("UpperLeg") or bones.across("HindUpperLeg")
    turns[hips] = IDENTITY if width is None else _frame_turn(width, (up, up))
    chest = hips  # what carries the arms
    if lines.spine is not None:
        chest = lines.spine.target[-1]
        _align_line(bones, lines.spine, turns, forward)
        arms = bones.across("UpperArm") or bones.across("ForeUpperLeg")
        last = _line_bone(bones, lines.spine, len(lines.spine.target) - 1)
        if arms is not None and last is not None:
            turns[chest] = _frame_turn(last, arms)
    if lines.neck is not None:
        _align_line(bones, lines.neck, turns, forward)
    if "head" in bones:
        turns[bones.target["head"]] = IDENTITY
    if "tail" in bones:
        turns[bones.target["tail"]] = turns[hips]
    for side in SIDES:
        for limb in LIMBS:
            carrier = hips if limb in (LEG, HIND) else chest
            _align_limb(bones, [side + bone for bone in limb], turns, carrier, up, forward)
    for finger in lines.fingers:
        _align_line(bones, finger, turns, forward)
    for joint in bones.target.values():  # of the trunk by hints, beside its line
        turns.setdefault(joint, turns[hips])
    return turns


def _align_line(bones: Bones, line: Line, turns: dict[int, Floats], forward: Floats) -> None:
    above = turns.get(line.base[1], IDENTITY)
    for k, joint in enumerate(line.target):
        pair = _line_bone(bones, line, k)
        above = turns[joint] = above if pair is None else _bone_turn(pair, above, forward)


def _align_limb(
    bones: Bones, roles: list[str], turns: dict[int, Floats], carrier: int, up: Floats, forward: Floats
) -> None:
    own = [role for role in roles if role in bones]
    above = turns.get(carrier, IDENTITY)
    for at, role in enumerate(own):
        if role.endswith("Foot"):
            above = _heading_turn(bones, role, up)
        elif role.endswith("Toes"):
            pass  # with the foot
        elif role.endswith("Hand"):
            above = _hand_turn(bones, role, above, forward)
        elif at + 1 < len(own):
            pair = bones.between(role, own[at + 1])
            plane = _plane(bones, own, at)
            above = _bone_turn(pair, above, forward) if plane is None else _frame_turn(pair, plane)
        turns[bones.target[role]] = above


def _plane(bones: Bones, roles: list[str], at: int) -> tuple[Floats, Floats] | None:
    """Return the normals of the plane that a limb is bent in, of both bodies; None where one is straight."""
    bends = [
        role
        for role in roles
        if role.endswith(("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"))
    ]
    if len(bends) < 3 or roles[at] not in bends[:2]:
        return None
    normals = []
    for upper, lower in zip(
        bones.between(bends[0], bends[1]), bones.between(bends[1], bends[2]), strict=True
    ):
        normal = np.cross(upper, lower)
        lengths = float(np.linalg.norm(upper) * np.linalg.norm(lower))
        if not np.linalg.norm(normal) > BENT * lengths:
            return None
        normals.append(normal)
    return normals[0], normals[1]


def _hand_turn(bones: Bones, role: str, above: Floats, forward: Floats) -> Floats:
    side = role.removesuffix("Hand")
    knuckles = [side + knuckle for knuckle in KNUCKLES if side + knuckle in bones]
    if not knuckles:
        return above
    points = [bones.between(role, knuckle) for knuckle in knuckles]
    middle = (np.mean([p[0] for p in points], axis=0), np.mean([p[1] for p in points], axis=0))
    if len(knuckles) < 2:
        return _bone_turn(middle, above, forward)
    return _frame_turn(middle, bones.between(knuckles[0], knuckles[-1]))


def _heading_turn(bones: Bones, role: str, up: Floats) -> Floats:
    """Return the turn about the vertical that makes the target's foot point where the source's does."""
    toes = role.removesuffix("Foot") + "Toes"
    if toes not in bones:
        return IDENTITY
    flat = [bone - (bone @ up) * up for bone in bones.between(role, toes)]
    if min(np.linalg.norm(each) for each in flat) < 1e-3 * max(np.linalg.norm(each) for each in flat):
        return IDENTITY
    sine, cosine = float(up @ np.cross(flat[1], flat[0])), float(flat[1] @ flat[0])
    return np.asarray(quat.from_axis_angle(up, np.arctan2(sine, cosine)), np.float64)


def _line_bone(bones: Bones, line: Line, k: int) -> tuple[Floats, Floats] | None:
    """Return the bone of joint `k` of the target's line, and the part of the source's line beside it.

    Where counts differ, of the last joints the whole lines: from target to source the turn is the inverse.
    """
    count, own = len(line.source), len(line.target)
    if k == own - 1 and line.end is None:
        return None
    joints = line.source + ([line.end[0]] if line.end else [])
    places = bones.source_places[joints]
    ends = line.target + ([line.end[1]] if line.end else [])
    if k == own - 1 and count != own:
        return places[-1] - places[0], bones.target_places[ends[-1]] - bones.target_places[ends[0]]
    # Joint k of m begins where k n / m of the source's n bones end.
    at = np.array([k, k + 1]) * count / own
    at = np.minimum(at, len(joints) - 1)
    head, tail = (
        np.array([np.interp(t, np.arange(len(joints)), places[:, i]) for i in range(3)]) for t in at
    )
    return tail - head, bones.target_places[ends[k + 1]] - bones.target_places[ends[k]]


def _bone_turn(pair: tuple[Floats, Floats], above: Floats, forward: Floats) -> Floats:
    """Return the turn of the joint above with the least added that aligns a bone.

    The forward axis takes half of the turn above, so that from target to source the turn is the inverse.
    """
    wanted, bone = (_unit(each) for each in pair)
    if wanted is None or bone is None:
        return above
    bone = np.asarray(quat.rotate(above, bone))
    forward = np.asarray(quat.rotate(quat.power(above, 0.5), forward))
    flat = [each - (each @ forward) * forward for each in (bone, wanted)]
    if min(np.linalg.norm(each) for each in flat) > ALONG:
        sine, cosine = float(forward @ np.cross(flat[0], flat[1])), float(flat[0] @ flat[1])
        about = np.asarray(quat.from_axis_angle(forward, np.arctan2(sine, cosine)))
        above, bone = np.asarray(quat.multiply(about, above)), np.asarray(quat.rotate(about, bone))
    return np.asarray(quat.normalize(quat.multiply(quat.from_to(bone, wanted), above)))


def _frame_turn(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Return the turn from the target's frames to the source's: `first` exactly, `second` nearly."""
    frames = []
    for along, beside in zip(first, second, strict=True):
        x = _unit(along)
        z = None if x is None else _unit(np.cross(x, beside))
        if x is None or z is None:
            return IDENTITY
        frames.append(np.stack([x, np.cross(z, x), z], axis=1))
    return np.asarray(quat.from_matrix(frames[0] @ frames[1].T), np.float64)


def _unit(vector: Floats) -> Floats | None:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-12 else None
