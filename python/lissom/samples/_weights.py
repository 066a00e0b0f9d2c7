# SPDX-License-Identifier: MIT
"""Skin weights from the anatomy the surface was made of.

Each joint has a share: a smooth step across the plane where its limb begins, times how much a point belongs
to that limb rather than to what lies beside it (decided by the distances to the shapes themselves). A joint
takes its share of what its parent was given and leaves the rest to its children, so weights are positive, sum
to one, and never reach a limb that is near in space but not along the body.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom._base.distinct import distinct
from lissom._base.easing import smoothstep
from lissom.samples._body import Body
from lissom.samples._fields import capsule, mirrored
from lissom.samples._hand import THUMB
from lissom.samples._shell import Floats, Ints
from lissom.samples._skeleton import HAND_JOINTS, JOINT, JOINT_NAMES

Shares = dict[str, Floats]


class Binder:
    """Skin weights for the garments and skin of one body, whose joints rest at `joints` (J, 3)."""

    def __init__(self, body: Body, joints: Floats) -> None:
        self._body = body
        self._build = body.build
        self._joints = joints

    def garment(self, positions: Floats, thighs: float = 1.0) -> Floats:
        """Weights (V, J) of clothes: trunk, arms to the wrist, legs to the ankle.

        `thighs` is the part of the legs' share that is kept: the hem of a sweater gives way to a raised thigh
        without being carried off by it.
        """

        def limbs(points: Floats) -> Shares:
            arm, leg = self._arm_shares(points), self._leg_shares(points)
            free = thighs * (1.0 - sum(arm.values()))
            return {**arm, **{name: free * share for name, share in leg.items()}}

        return self._both_sides(positions, limbs)

    def head(self, positions: Floats) -> Floats:
        """Weights (V, J) of the skin of head and neck."""
        return self._both_sides(positions, lambda points: {})

    def left_hand(self, positions: Floats) -> Floats:
        """Weights (V, J) of the left hand and its piece of wrist."""
        weights = np.zeros((len(positions), len(JOINT_NAMES)))
        for name, share in self._hand_shares(positions).items():
            weights[:, JOINT[f"{name}.L"]] = share
        return weights

    def left_shoe(self, positions: Floats) -> Floats:
        """Weights (V, J) of the left shoe: foot and toes, and its top to the shin."""
        size = self._build.foot
        ankle, ball = self._at("Foot.L"), self._at("Toes.L")
        shin = smoothstep(positions[:, 1] - ankle[1], -0.015 * size, 0.045 * size)
        toes = smoothstep(positions[:, 2] - ball[2], -0.028 * size, 0.028 * size)
        weights = np.zeros((len(positions), len(JOINT_NAMES)))
        weights[:, JOINT["LowerLeg.L"]] = shin
        weights[:, JOINT["Toes.L"]] = (1.0 - shin) * toes
        weights[:, JOINT["Foot.L"]] = (1.0 - shin) * (1.0 - toes)
        return weights

    def rigid(self, count: int, name: str) -> Floats:
        """Weights (count, J) of what moves with one joint."""
        weights = np.zeros((count, len(JOINT_NAMES)))
        weights[:, JOINT[name]] = 1.0
        return weights

    def _both_sides(self, positions: Floats, limbs: Callable[[Floats], Shares]) -> Floats:
        """Limbs take their shares, side by side; the trunk divides the rest."""
        weights = np.zeros((len(positions), len(JOINT_NAMES)))
        rest = np.ones(len(positions))
        for side, points in (("L", positions), ("R", mirrored(positions))):
            for name, share in limbs(points).items():
                weights[:, JOINT[f"{name}.{side}"]] = share
                rest -= share
        for name, share in self._trunk_shares(positions).items():
            weights[:, JOINT[name]] = rest * share
        return np.maximum(weights, 0.0)

    def _trunk_shares(self, points: Floats) -> Shares:
        build = self._build
        scale = float(build.height(1.40) - build.height(1.0)) / 0.40
        shares: Shares = {}
        remaining = np.ones(len(points))
        steps = (("Spine", 0.060), ("Chest", 0.065), ("UpperChest", 0.065))
        owner = "Pelvis"
        for name, half in steps:
            beyond = smoothstep(points[:, 1] - self._at(name)[1], -half * scale, half * scale)
            shares[owner], remaining, owner = remaining * (1.0 - beyond), remaining * beyond, name
        # Neck and head rotate about inclined planes, so that the throat goes with the neck and the chin does
        # not.
        for name, normal, half in (
            ("Neck", (0.0, 0.96, 0.28), 0.030 * build.neck_girth),
            ("Head", (0.0, 0.60, 0.80), 0.034 * build.head),
        ):
            beyond = smoothstep((points - self._at(name)) @ np.asarray(normal), -half, half)
            shares[owner], remaining, owner = remaining * (1.0 - beyond), remaining * beyond, name
        shares[owner] = remaining
        return shares

    def _arm_shares(self, points: Floats) -> Shares:
        """Clavicle, upper and lower left arm; zero on the other side of the body."""
        build, body = self._build, self._body
        girth = build.arm_girth
        away = body.torso(points) - body.sleeve(points)  # > 0 where the arm is nearer than the trunk
        belongs = smoothstep(away, -0.030 * girth, 0.055 * girth) * smoothstep(
            points[:, 0], 0.0, 0.04 * girth
        )
        along = (points - body.arm.shoulder) @ body.arm.axes[0]
        arm = belongs * smoothstep(along, -0.070 * girth, 0.085 * girth)

        forearm_start = body.arm.axes[0] + body.arm.hand_axes[0]
        forearm_start /= np.linalg.norm(forearm_start)
        beyond_elbow = (points - body.arm.elbow) @ forearm_start
        forearm = smoothstep(beyond_elbow, -0.052 * girth, 0.052 * girth)

        x, y = points[:, 0] / build.shoulder_half_width, points[:, 1]
        girdle = smoothstep(x, 0.15, 0.80) * smoothstep(
            y, float(build.height(1.24)), float(build.height(1.40))
        )
        girdle *= 1.0 - smoothstep(y, float(build.height(1.455)), float(build.height(1.50)))
        return {
            "Clavicle": (1.0 - arm) * girdle,
            "UpperArm": arm * (1.0 - forearm),
            "LowerArm": arm * forearm,
        }

    def _leg_shares(self, points: Floats) -> Shares:
        """Upper and lower left leg; at the crotch both legs fade into the pelvis."""
        girth = self._build.leg_girth
        hip, knee = self._at("UpperLeg.L"), self._at("LowerLeg.L")
        side = smoothstep(points[:, 0], -0.026 * girth, 0.026 * girth)
        below_hip = (points - hip) @ np.array([0.50, -0.866, 0.0])
        leg = side * smoothstep(below_hip, -0.075 * girth, 0.085 * girth)
        leg *= 1.0 - smoothstep(points[:, 1] - hip[1], 0.030 * girth, 0.120 * girth)
        shin = smoothstep(knee[1] - points[:, 1], -0.070 * girth, 0.070 * girth)
        return {"UpperLeg": leg * (1.0 - shin), "LowerLeg": leg * shin}

    def _hand_shares(self, points: Floats) -> Shares:
        """Forearm, left hand and its fingers; they sum to one."""
        arm = self._body.arm
        local = ((points - arm.wrist) @ arm.hand_axes.T) / self._build.hand
        along, across = local[:, 0], local[:, 2]
        hand = smoothstep(along, -0.022, 0.026)

        base, middle, tip, radii = THUMB
        to_thumb = np.minimum(
            capsule(local, base, middle, radii[0], radii[1]), capsule(local, middle, tip, radii[1], radii[2])
        )
        thumb_axis = _unit(np.subtract(middle, base))
        past_root = (local - HAND_JOINTS["Thumb1"]) @ thumb_axis
        thumb = smoothstep(past_root, -0.012, 0.026) * (1.0 - smoothstep(to_thumb, 0.002, 0.020))
        thumb *= 1.0 - smoothstep(along, 0.086, 0.104) * (1.0 - smoothstep(across, 0.040, 0.052))
        past_middle = (local - HAND_JOINTS["Thumb2"]) @ _unit(np.subtract(tip, middle))
        thumb_tip = smoothstep(past_middle, -0.010, 0.010)

        fingers = (1.0 - thumb) * smoothstep(along - 0.10 * np.minimum(across, 0.0), 0.070, 0.100)
        index = fingers * smoothstep(across, 0.0185, 0.0235)
        others = fingers - index
        index_tip = smoothstep(along, HAND_JOINTS["Index2"][0] - 0.012, HAND_JOINTS["Index2"][0] + 0.012)
        # The little finger is shorter: its middle joint lies nearer to the wrist.
        bend = HAND_JOINTS["Fingers2"][0] + 0.55 * np.minimum(across + 0.012, 0.0)
        others_tip = smoothstep(along - bend, -0.012, 0.012)
        return {
            "LowerArm": 1.0 - hand,
            "Hand": hand - thumb - fingers,
            "Thumb1": thumb * (1.0 - thumb_tip),
            "Thumb2": thumb * thumb_tip,
            "Index1": index * (1.0 - index_tip),
            "Index2": index * index_tip,
            "Fingers1": others * (1.0 - others_tip),
            "Fingers2": others * others_tip,
        }

    def _at(self, name: str) -> Floats:
        return np.asarray(self._joints[JOINT[name]])


def smoothed(weights: Floats, triangles: Ints, rounds: int) -> Floats:
    """Weights (V, J) averaged with those of neighbouring vertices, half and half, `rounds` times.

    Takes the edge off places where two shares meet, such as the armpits, along the surface only.
    """
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    start, end = np.divmod(distinct(pairs[:, 0] * len(weights) + pairs[:, 1]), len(weights))
    count = np.bincount(start)
    # Neighbours by columns: the first of each vertex, the second; what one lacks is a row of zeros.
    place = np.arange(len(start)) - np.repeat(np.cumsum(count) - count, count)
    neighbours = np.full((int(count.max()), len(weights)), len(weights))
    neighbours[place, start] = end
    used = np.flatnonzero(weights.any(axis=0))
    kept = np.zeros((len(weights) + 1, len(used)))
    kept[:-1] = weights[:, used]
    twice = 2.0 * count[:, None]
    for _ in range(rounds):
        total = kept[neighbours[0]]
        for column in neighbours[1:]:
            total += kept[column]
        kept[:-1] = 0.5 * kept[:-1] + total / twice
    result = np.zeros_like(weights)
    result[:, used] = kept[:-1]
    return result


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))
