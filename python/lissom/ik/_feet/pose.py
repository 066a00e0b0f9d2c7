# SPDX-License-Identifier: MIT
"""Poses with body and feet where they should be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom.ik._feet.ground_probe import Gait
from lissom.ik._feet.joint_frames import frame_of
from lissom.ik._feet.leg_solver import LegSolver
from lissom.ik._feet.rig import Floats, FootRig


@dataclass(frozen=True, eq=False)
class Goals:
    """Where body and feet should be, in world space."""

    up_model: Floats  # (F, 3): up in model space
    body: Floats  # (F,): how much the body is raised
    moves: Floats  # (F, L, 3): of the ankles, from where the animation has them, in model space
    turns: Floats  # (F, L, 2, 4): of foot and toes, in model space


@dataclass(frozen=True, eq=False)
class Posed:
    """What was reached."""

    poses: Floats  # (F, J, 10)
    residuals: Floats  # (F, L)
    reached: NDArray[np.bool_]  # (F, L)


def posed(rig: FootRig, solver: LegSolver, gait: Gait, poses: Floats, goals: Goals) -> Posed:
    """Raise the body, let legs reach, and lay feet and toes on the ground."""
    poses = poses.copy()
    skeleton, parents = rig.skeleton, rig.skeleton.parents
    shift = goals.up_model * goals.body[:, None]
    for body in rig.bodies:
        poses[:, body, :3] += in_parent(gait.model, int(parents[body]), shift)
    targets = gait.model[:, rig.ankles][..., :3, 3] + goals.moves
    ankles = np.stack([frame_of(skeleton, poses, joint)[0] for joint in rig.ankles], axis=1)
    solved = solver.solve(poses, targets, quat.normalize(quat.multiply(goals.turns[:, :, 0], ankles)))
    poses = solved.poses
    detached = [index for index, leg in enumerate(rig.joints) if leg.is_detached]
    model = skeleton.model_matrices(poses) if detached else gait.model
    for index, leg in enumerate(rig.joints):
        foot, toes = goals.turns[:, index, 0], goals.turns[:, index, 1]
        if leg.is_detached:
            _carry_foot(rig, gait.model, model, poses, leg.foot, leg.ankle, foot)
        if leg.toe is not None:
            _turn_toes(gait.model, poses, int(parents[leg.toe]), leg.toe, foot, toes)
    return Posed(poses, solved.residuals, solved.reached)


def in_parent(model: Floats, parent: int, vectors: Floats) -> Floats:
    """Give vectors of model space (F, 3) in the frame of a joint; -1 is model space."""
    if parent < 0:
        return vectors
    return np.asarray(np.linalg.solve(model[:, parent, :3, :3], vectors[..., None])[..., 0])


def rotation_of(model: Floats, joint: int) -> Floats:
    """Give the rotation of a joint's frame in model space, (F, 4); scale is left out."""
    if joint < 0:
        return np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(model), 4))
    linear = model[:, joint, :3, :3]
    length = np.sqrt(linear[:, 0] ** 2 + linear[:, 1] ** 2 + linear[:, 2] ** 2)
    rotation = linear / length[:, None]
    # Good for turning below it: a mirror turns vectors as its opposite does.
    sign = np.where(_determinant(rotation) < 0, -1.0, 1.0)
    return quat.from_matrix(rotation * sign[:, None, None])


def _determinant(matrix: Floats) -> Floats:
    a, b, c = matrix[:, 0], matrix[:, 1], matrix[:, 2]
    return np.asarray(
        a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])
        - a[:, 1] * (b[:, 0] * c[:, 2] - b[:, 2] * c[:, 0])
        + a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    )


def turned(rotation: Floats, turn: Floats, local: Floats) -> Floats:
    """Turn a local rotation about model axes, below a joint of a rotation in model space."""
    inside = quat.multiply(quat.conjugate(rotation), quat.multiply(turn, rotation))
    return quat.normalize(quat.multiply(inside, local))


def _turn_toes(model: Floats, poses: Floats, parent: int, toe: int, foot: Floats, toes: Floats) -> None:
    """Turn toes as the ground in front is, beyond what their foot turns already."""
    more = quat.multiply(quat.conjugate(foot), toes)
    poses[:, toe, 3:7] = turned(rotation_of(model, parent), more, poses[:, toe, 3:7])


def _carry_foot(
    rig: FootRig, before: Floats, after: Floats, poses: Floats, foot: int, ankle: int, turn: Floats
) -> None:
    """Move a foot that stands beside its leg with the ankle, and turn it about that."""
    parent = int(rig.skeleton.parents[foot])
    arm = before[:, foot, :3, 3] - before[:, ankle, :3, 3]
    place = after[:, ankle, :3, 3] + quat.rotate(turn, arm)
    poses[:, foot, :3] += in_parent(after, parent, place - after[:, foot, :3, 3])
    poses[:, foot, 3:7] = turned(rotation_of(after, parent), turn, poses[:, foot, 3:7])
