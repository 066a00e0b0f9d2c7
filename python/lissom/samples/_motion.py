# SPDX-License-Identifier: MIT
"""Rotations and poses for the clips: small helpers over arrays of quaternions x, y, z, w."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from lissom import quat
from lissom._base.easing import smoother
from lissom.samples._proportions import Proportions, arm_frame
from lissom.samples._shell import Floats, rest_pose
from lissom.samples._skeleton import JOINT, PARENTS, joint_positions

KEY_RATE = 30.0  # keys per second

X, Y, Z = np.eye(3)


def about(axis: Sequence[float] | Floats, angle: Floats | float) -> Floats:
    """Quaternions (N, 4), or (4,), of a rotation about a unit axis by `angle` radians (N,)."""
    return quat.from_axis_angle(axis, angle)


def times(*rotations: Floats) -> Floats:
    """Product of rotations (..., 4); the last one acts first."""
    return reduce(quat.multiply, rotations)


def mirrored(rotation: Floats) -> Floats:
    """Reflect rotations (..., 4) in the plane x = 0."""
    return np.asarray(rotation * np.array([1.0, -1.0, -1.0, 1.0]))


def from_frames(posed: Floats, rest: Floats) -> Floats:
    """Rotations (N, 4) that take the right-handed frame `rest` (3, 3) to `posed` (N, 3, 3); rows are axes."""
    return quat.from_matrix(np.swapaxes(posed, -1, -2) @ rest)


def ease(u: Floats) -> Floats:
    """Smooth step of u in [0, 1], at rest to the second order at both ends; clamped outside."""
    return smoother(np.clip(u, 0.0, 1.0))


class Figure:
    """Local poses of one build over N moments, joint by joint, from the pose at rest."""

    def __init__(self, build: Proportions, count: int) -> None:
        self.build = build
        self.arm = arm_frame(build)
        self.joints = joint_positions(build)
        self.poses: Floats = np.tile(rest_pose(PARENTS, self.joints).astype(np.float64), (count, 1, 1))

    def set(self, name: str, rotation: Floats) -> None:
        """Set the local rotation of a joint, (N, 4) or (4,)."""
        self.poses[:, JOINT[name], 3:7] = rotation

    def get(self, name: str) -> Floats:
        """Return the local rotation (N, 4) of a joint."""
        return np.asarray(self.poses[:, JOINT[name], 3:7])

    def move_root(self, offset: Floats) -> None:
        """Shift the pelvis by (N, 3) metres from where it rests."""
        self.poses[:, 0, :3] += offset

    def set_side(self, name: str, side: str, left_rotation: Floats) -> None:
        """Set the rotation of a joint of either side; `left_rotation`, (N, 4), is that of the left one."""
        self.set(f"{name}.{side}", left_rotation if side == "L" else mirrored(left_rotation))

    def set_arm(
        self, side: str, *, lower: Floats | float, swing: Floats | float, elbow: Floats | float
    ) -> None:
        """Hang an arm beside the body.

        `lower` rotates it down from its rest pose, about z; `swing` takes it forwards, about x; `elbow`
        bends the forearm forwards. Radians, (N,) or numbers.
        """
        count = len(self.poses)
        lower, swing, elbow = (np.broadcast_to(np.asarray(a, float), (count,)) for a in (lower, swing, elbow))
        self.set_side("Clavicle", side, times(about(Y, -0.12 * swing), about(Z, -0.12 * lower)))
        self.set_side("UpperArm", side, times(about(X, -swing), about(Z, -0.88 * lower)))
        self.set_side("LowerArm", side, about(self.arm.axes[1], elbow))

    def relax_hand(self, side: str, curl: Floats | float = 0.30) -> None:
        """Curl the fingers (radians at each of their joints) and bring the thumb in."""
        palm, thumb = self.arm.hand_axes[1], self.arm.hand_axes[2]
        hinge = _cross(self.arm.hand_axes[0], palm)  # rotates the fingers towards the palm
        count = len(self.poses)
        curl = np.broadcast_to(np.asarray(curl, float), (count,))
        for name, share in (("Index1", 0.75), ("Index2", 1.1), ("Fingers1", 1.0), ("Fingers2", 1.3)):
            self.set_side(name, side, about(hinge, share * curl))
        self.set_side("Thumb1", side, times(about(palm, -0.5 * curl), about(hinge, 0.4 * curl)))
        self.set_side("Thumb2", side, about(_unit(hinge - 0.6 * thumb), 0.5 * curl))

    def place_leg(self, side: str, ankle: Floats, foot: Floats, knee_out: float = 0.06) -> None:
        """Bring an ankle to `ankle` (N, 3) in model space with the foot rotated by `foot` (N, 4).

        The knee stays in the plane of the pelvis's forward direction, rotated outwards by `knee_out` radians.
        Set the pelvis first. Analytic: two sides and the distance give the triangle.
        """
        sign = 1.0 if side == "L" else -1.0
        hip_rest, knee_rest, ankle_rest = (
            self.joints[JOINT[f"{name}.{side}"]] for name in ("UpperLeg", "LowerLeg", "Foot")
        )
        pelvis = self.get("Pelvis")
        pelvis_at = self.poses[:, 0, :3]
        hip = pelvis_at + quat.rotate(pelvis, np.broadcast_to(hip_rest - self.joints[0], pelvis_at.shape))
        upper, lower = np.linalg.norm(knee_rest - hip_rest), np.linalg.norm(ankle_rest - knee_rest)

        reach = ankle - hip
        distance = np.linalg.norm(reach, axis=-1)
        if np.any(distance > upper + lower):
            raise AssertionError(
                f"leg {side} is asked to reach {distance.max():.3f} of {upper + lower:.3f} m"
            )
        forward = quat.rotate(times(pelvis, about(Y, sign * knee_out)), np.broadcast_to(Z, reach.shape))
        hinge = _unit(_cross(reach, forward))  # the knee bends about it, forwards
        toward = reach / distance[:, None]
        front = _cross(hinge, toward)
        cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
        sine = np.sqrt(1.0 - cosine**2)
        thigh = cosine[:, None] * toward + sine[:, None] * front
        shin = _unit(reach - upper * thigh)

        rest_hinge = _cross(ankle_rest - hip_rest, quat.rotate(about(Y, sign * knee_out), Z))
        thigh_turn = from_frames(_frame(thigh, hinge), _frame(_unit(knee_rest - hip_rest), rest_hinge))
        shin_turn = from_frames(_frame(shin, hinge), _frame(_unit(ankle_rest - knee_rest), rest_hinge))
        self.set(f"UpperLeg.{side}", times(quat.conjugate(pelvis), thigh_turn))
        self.set(f"LowerLeg.{side}", times(quat.conjugate(thigh_turn), shin_turn))
        self.set(f"Foot.{side}", times(quat.conjugate(shin_turn), foot))

    def leg_reach(self, side: str, ankle: Floats) -> tuple[Floats, float]:
        """Vectors (N, 3) from the hip to `ankle`, and how long the leg is."""
        hip_rest, knee_rest, ankle_rest = (
            self.joints[JOINT[f"{name}.{side}"]] for name in ("UpperLeg", "LowerLeg", "Foot")
        )
        offset = quat.rotate(self.get("Pelvis"), np.broadcast_to(hip_rest - self.joints[0], ankle.shape))
        length = np.linalg.norm(knee_rest - hip_rest) + np.linalg.norm(ankle_rest - knee_rest)
        return ankle - self.poses[:, 0, :3] - offset, float(length)


def _cross(a: Floats, b: Floats) -> Floats:
    """np.cross of rows of three, with the same bits, in a fraction of its time."""
    (x, y, z), (u, v, w) = ([vectors[..., i] for i in range(3)] for vectors in (a, b))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))


def _frame(along: Floats, hinge: Floats) -> Floats:
    """Right-handed frame: a limb's direction, its hinge made square to it, and their cross product."""
    hinge = _unit(hinge - np.sum(hinge * along, axis=-1, keepdims=True) * along)
    return np.stack([along, hinge, _cross(along, hinge)], axis=-2)
