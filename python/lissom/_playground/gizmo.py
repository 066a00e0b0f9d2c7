# SPDX-License-Identifier: MIT
"""Gizmos: the cone, ellipse or arc of a joint's limit, as lines and translucent triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._playground.handle import Handle
from lissom._playground.limit_edits import bounds_of
from lissom._playground.overlay import Overlay, Place, Shape, placed
from lissom.ik._axes import perpendicular_to
from lissom.ik._chain import Chain
from lissom.ik._joint_rotations import swing_and_twist
from lissom.ik._limb import Limb, limbs_of
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist

Floats = NDArray[np.float64]

SHARE = 0.5  # of the bone's length: distance from the joint at which its limit is drawn
DIAL = 0.3  # of that distance: radius of the dial of the twist, around the tip of the needle
NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])
STEP = np.radians(6.0)  # largest angle between points of an arc
RIM = 60  # points of a cone's rim
SPOKE = 10  # every tenth of them is connected to the joint

# sRGB: within the limit, and at it.
FREE = (0.05, 0.42, 0.62)
AT_LIMIT = (0.85, 0.25, 0.05)
NEEDLE = (0.10, 0.12, 0.16)

SWINGS = ("half_angle", "first", "second")  # bounds of a swing, among those of `limit_edits.bounds_of`
GRIP = 0.06  # of the distance at which a limit is drawn: radius of the handles of its bounds
NEARLY_PI = 3.12  # radians: where a bound beyond half a turn is dragged


class Gizmo:
    """The limit of one joint, drawn at the joint.

    Its shapes do not depend on the pose, which moves and colours them: the rim with the joint's parent, the
    dial with the swing of the joint, hand and needle with its whole rotation.
    """

    def __init__(self, limb: Limb, limit: Limit, length: float) -> None:
        self.joint, self.limit = limb.joint, limit
        self._parent = int(limb.skeleton.parents[limb.joint])
        self._rest = limb.rotation
        self._radius = SHARE * length
        self._axis, self._across, self._range = _frame(limb, limit)
        self.shapes = [
            self._bounds(),
            *([] if self._range is None else [self._dial(*self._range)]),
            self._hands(),
        ]

    def draw(self, pose: ArrayLike, model_matrices: ArrayLike, is_limited: bool) -> Overlay:
        """Return lines and triangles in model space; arguments as of `places`."""
        return placed(self.shapes, self.places(pose, model_matrices, is_limited))

    def places(self, pose: ArrayLike, model_matrices: ArrayLike, is_limited: bool) -> list[Place]:
        """Return where each shape is.

        Parameters
        ----------
        pose : array_like, shape (J, 10)
            Local trs.
        model_matrices : array_like, shape (J, 4, 4)
            Of the pose.
        is_limited : bool
            Whether the joint is at its limit, which has another colour.
        """
        model_from_parent, joint_model = self._placed(model_matrices)
        color = AT_LIMIT if is_limited else FREE
        relative = self._relative(pose)
        turns = [(NO_TURN, color)]
        if self._range is not None:
            turns.append((self._swing(pose), color))
        if isinstance(self.limit, Hinge):  # which shows the angle about its axis alone
            relative = quat.from_axis_angle(self._axis, float(swing_and_twist(relative, self._axis)[1]))
        turns.append((relative, NEEDLE))
        rotations = quat.to_matrix(quat.multiply(self._rest, np.stack([turn for turn, _ in turns])))
        matrices = np.empty((len(turns), 3, 4))
        matrices[:, :, :3] = model_from_parent @ rotations
        matrices[:, :, 3] = joint_model
        return [Place(matrix, color) for matrix, (_, color) in zip(matrices, turns, strict=True)]

    def handles(self, pose: ArrayLike, model_matrices: ArrayLike) -> list[Handle]:
        """Return a handle for each bound of the limit."""
        # Lengths are those of the parent's frame, which may be scaled.
        scale = np.cbrt(abs(np.linalg.det(self._placed(model_matrices)[0])))
        radius = float(GRIP * scale * self._radius)
        return [
            Handle(f"limit:{self.joint}:{name}", tuple(grip.tolist()), radius, FREE)
            for name, grip in self.grips(pose, model_matrices).items()
        ]

    def grips(self, pose: ArrayLike, model_matrices: ArrayLike) -> dict[str, Floats]:
        """Return where bounds of the limit are dragged, by their names in `limit_edits`, model space (3,)."""
        swing = self._swing(pose)
        grips = {}
        for name, angle in bounds_of(self.limit).items():
            if name.startswith("twist"):
                if angle is not None:
                    grips[name] = quat.rotate(swing, self._around(angle, angle)[0])
            else:
                shown = min(angle or 0.0, NEARLY_PI) if name in SWINGS else angle or 0.0
                grips[name] = self._radius * self._direction(name, shown)
        model_from_parent, joint_model = self._placed(model_matrices)
        return {
            name: model_from_parent @ quat.rotate(self._rest, grip) + joint_model
            for name, grip in grips.items()
        }

    def bound_at(
        self, name: str, position_model: ArrayLike, pose: ArrayLike, model_matrices: ArrayLike
    ) -> float:
        """Return the angle, radians, of a bound that is dragged to a position.

        Of those of a range, which may lie beyond half a turn, the one nearest to before.
        """
        model_from_parent, joint_model = self._placed(model_matrices)
        offset = np.linalg.solve(model_from_parent, np.asarray(position_model, np.float64) - joint_model)
        offset = np.asarray(quat.rotate(quat.conjugate(self._rest), offset))
        third = np.cross(self._axis, self._across)
        before = bounds_of(self.limit)[name] or 0.0
        if name in SWINGS:
            side = self._direction(name, np.pi / 2)
            if name == "half_angle":  # a round cone is as wide in any direction
                across = offset - (offset @ self._axis) * self._axis
                return float(np.arctan2(np.linalg.norm(across), offset @ self._axis))
            return float(abs(np.arctan2(offset @ side, offset @ self._axis)))
        if name.startswith("twist"):
            offset = quat.rotate(quat.conjugate(self._swing(pose)), offset)
        angle = float(np.arctan2(offset @ third, offset @ self._across))
        return float(before + (angle - before + np.pi) % (2 * np.pi) - np.pi)

    def _direction(self, name: str, angle: float) -> Floats:
        """Return the unit direction at an angle towards the side of a bound, in the joint's rest frame."""
        third = np.cross(self._axis, self._across)
        if name in SWINGS:
            about = third if name == "second" else self._across
            return np.asarray(quat.rotate(quat.from_rotation_vector(angle * about), self._axis))
        return np.asarray(np.cos(angle) * self._across + np.sin(angle) * third)

    def _placed(self, model_matrices: ArrayLike) -> tuple[Floats, Floats]:
        """Return the parent's axes (3, 3) and the joint's position in model space."""
        model = np.asarray(model_matrices)
        model_from_parent = np.eye(3) if self._parent < 0 else model[self._parent, :3, :3].astype(np.float64)
        return model_from_parent, model[self.joint, :3, 3].astype(np.float64)

    def _relative(self, pose: ArrayLike) -> Floats:
        """Return the joint's rotation relative to its rest."""
        local = np.asarray(pose)[self.joint, 3:7].astype(np.float64)
        return np.asarray(quat.normalize(quat.multiply(quat.conjugate(self._rest), local)))

    def _swing(self, pose: ArrayLike) -> Floats:
        return np.asarray(quat.from_rotation_vector(swing_and_twist(self._relative(pose), self._axis)[0]))

    def _bounds(self) -> Shape:
        """Return the rim, lines from the joint to it, and the surface between."""
        rim = self._radius * self._rim()
        spokes = rim[[0, -1]] if isinstance(self.limit, Hinge) else rim[:-1:SPOKE]
        rays = np.stack([np.zeros_like(spokes), spokes], axis=1)
        return Shape(np.concatenate([_segments(rim), rays]), _fan(np.zeros(3), rim))

    def _dial(self, low: float, high: float) -> Shape:
        """Return the range of the twist, about the needle's tip."""
        tip, arc = self._radius * self._axis, self._around(low, high)
        ends = np.stack([np.broadcast_to(tip, (2, 3)), arc[[0, -1]]], axis=1)
        return Shape(np.concatenate([_segments(arc), ends]), _fan(tip, arc))

    def _hands(self) -> Shape:
        """Return the needle, and with a dial before it the hand, of the joint at rest."""
        tip = self._radius * (self._across if isinstance(self.limit, Hinge) else self._axis)
        lines = [np.stack([np.zeros(3), tip])]
        if self._range is not None:
            lines.insert(0, np.stack([tip, self._around(0.0, 0.0)[0]]))
        return Shape(np.stack(lines), np.zeros((0, 3, 3)))

    def _rim(self) -> Floats:
        """Return the unit directions at the bound of the limit, in the joint's rest frame."""
        if isinstance(self.limit, Hinge):
            return _arc(self._across, np.cross(self._axis, self._across), self.limit.low, self.limit.high)
        x, y = _half_angles(self.limit)
        if min(x, y) >= np.pi:  # every direction is allowed: there is no rim
            return np.zeros((1, 3))
        angles = np.linspace(0, 2 * np.pi, RIM + 1)[:, None]
        swings = x * np.cos(angles) * self._across
        swings = swings + y * np.sin(angles) * np.cross(self._axis, self._across)
        return np.asarray(quat.rotate(quat.from_rotation_vector(swings), self._axis))

    def _around(self, low: float, high: float) -> Floats:
        """Return the arc of a range of twist about the needle's tip, in the joint's rest frame, (N, 3)."""
        arc = _arc(self._across, np.cross(self._axis, self._across), low, high)
        return np.asarray(self._radius * (self._axis + DIAL * arc))


def gizmos_of(chain: Chain, has_orientation: bool = False) -> list[Gizmo]:
    """Return the gizmos of a chain's limits; that of the effector where an orientation is requested."""
    moving = [joint for joint in chain.joints.tolist() if joint not in chain.fixed]
    limits = dict(zip(chain.joints.tolist(), chain.limits, strict=True))
    effector = int(chain.joints[-1])
    result = []
    limbs = limbs_of("ik.Playground", chain.skeleton, moving)
    for limb, following in zip(limbs, [*moving[1:], -1], strict=True):
        limit = limits[limb.joint]
        if limit is not None and (has_orientation or limb.joint != effector):
            result.append(Gizmo(limb, limit, _bone_length(limb, following) or chain.length / 4))
    return result


def _frame(limb: Limb, limit: Limit) -> tuple[Floats, Floats, tuple[float, float] | None]:
    """Return the axis, the perpendicular direction of angle 0, and the range of twist; None without one."""
    if isinstance(limit, Hinge):
        axis = np.array(limit.axis)
        return axis, perpendicular_to(axis, limb.bone), None
    axis = limb.direction("ik.Playground") if isinstance(limit, BallSocket) else np.array(limit.axis)
    across = np.array(limit.across) if isinstance(limit, SwingTwist) else None
    return axis, perpendicular_to(axis, across), limit.twist


def _half_angles(limit: BallSocket | SwingTwist) -> tuple[float, float]:
    both = (limit.half_angle,) * 2 if isinstance(limit, BallSocket) else limit.half_angles
    return min(both[0], np.pi), min(both[1], np.pi)


def _arc(x: Floats, y: Floats, low: float, high: float) -> Floats:
    """Return unit directions from angle `low` to `high`, from x towards y, at most one full circle."""
    high = min(high, low + 2 * np.pi)
    angles = np.linspace(low, high, 1 + max(1, int(np.ceil((high - low) / STEP))))[:, None]
    return np.asarray(np.cos(angles) * x + np.sin(angles) * y)


def _segments(points: Floats) -> Floats:
    return np.stack([points[:-1], points[1:]], axis=1)


def _fan(middle: Floats, rim: Floats) -> Floats:
    return np.stack([np.broadcast_to(middle, rim[1:].shape), rim[:-1], rim[1:]], axis=1)


def _bone_length(limb: Limb, following: int) -> float:
    """Return the distance to the following joint of the chain at rest, in the frame of the parent."""
    if following < 0:
        return 0.0
    skeleton = limb.skeleton
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    parent = int(skeleton.parents[limb.joint])
    bone_model = model[following, :3, 3] - model[limb.joint, :3, 3]
    bone = bone_model if parent < 0 else np.linalg.solve(model[parent, :3, :3], bone_model)
    return float(np.linalg.norm(bone))
