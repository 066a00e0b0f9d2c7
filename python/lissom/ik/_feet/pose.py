# SPDX-License-Identifier: MIT
"""Poses with body and feet moved to their goals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.joint_frames import (
    matrix_rotation,
    orientation_of,
    rotated_in_model,
    vectors_in_joint,
)
from lissom.ik._feet.leg_solver import LegSolver, SolvedLegs


@dataclass(frozen=True, eq=False)
class Goals:
    """Displacements from the animation, in model space."""

    up_model: Floats  # (F, 3)
    body_offset: Floats  # (F,): along up
    lean_model: Floats  # (F, 3): rotation vector of the body, about the middle of the hips
    ankle_offsets_model: Floats  # (F, L, 3)
    rotations_model: Floats  # (F, L, 2, 4): of foot and toes


def posed(rig: FootRig, solver: LegSolver, gait: Gait, poses: Floats, goals: Goals) -> SolvedLegs:
    """Raise the body, solve the legs, and align feet and toes with the ground."""
    poses = poses.copy()
    skeleton, parents = rig.skeleton, rig.skeleton.parents
    before = gait.model_from_joint
    orientations = np.stack([orientation_of(skeleton, poses, joint)[0] for joint in rig.ankles], axis=1)
    _move_bodies(rig, before, poses, goals)
    ankles_model = before[:, rig.ankles][..., :3, 3] + goals.ankle_offsets_model
    foot_rotations = quat.normalize(quat.multiply(goals.rotations_model[:, :, 0], orientations))
    solved = solver.solve(poses, ankles_model, foot_rotations)
    poses = solved.poses
    is_any_detached = any(leg.is_detached for leg in rig.joints)
    after = skeleton.model_matrices(poses) if is_any_detached else before
    for index, leg in enumerate(rig.joints):
        foot, toes = goals.rotations_model[:, index, 0], goals.rotations_model[:, index, 1]
        if leg.is_detached:
            _move_detached_foot(rig, before, after, poses, leg.foot, leg.ankle, foot)
        if leg.toe is not None:
            _rotate_toes(before, poses, int(parents[leg.toe]), leg.toe, foot, toes)
    return SolvedLegs(poses, solved.residuals, solved.reached)


def _move_bodies(rig: FootRig, model_from_joint: Floats, poses: Floats, goals: Goals) -> None:
    """Raise the bodies, and lean them about the middle of the hips."""
    offset_model = goals.up_model * goals.body_offset[:, None]
    leans = np.any(goals.lean_model, axis=1, keepdims=True)  # what does not is not even rounded
    rotation_model = quat.from_rotation_vector(goals.lean_model)
    center_model = model_from_joint[:, rig.hips][..., :3, 3].sum(axis=1) / len(rig.hips)
    for body in rig.bodies:
        parent = int(rig.skeleton.parents[body])
        arm_model = model_from_joint[:, body, :3, 3] - center_model
        around_model = quat.rotate(rotation_model, arm_model) - arm_model
        local = rotated_in_model(
            matrix_rotation(model_from_joint, parent), rotation_model, poses[:, body, 3:7]
        )
        moved_model = offset_model + np.where(leans, around_model, 0.0)
        poses[:, body, :3] += vectors_in_joint(model_from_joint, parent, moved_model)
        poses[:, body, 3:7] = np.where(leans, local, poses[:, body, 3:7])


def _rotate_toes(
    model_from_joint: Floats, poses: Floats, parent: int, toe: int, foot: Floats, toes: Floats
) -> None:
    """Rotate toes by what their goal differs from that of the foot, which carries them."""
    difference = quat.multiply(quat.conjugate(foot), toes)
    parent_rotation = matrix_rotation(model_from_joint, parent)
    poses[:, toe, 3:7] = rotated_in_model(parent_rotation, difference, poses[:, toe, 3:7])


def _move_detached_foot(
    rig: FootRig, before: Floats, after: Floats, poses: Floats, foot: int, ankle: int, rotation_model: Floats
) -> None:
    """Move a foot joint beside the leg with the ankle, and rotate it about the ankle.

    `before` and `after` are model matrices (F, J, 4, 4) of the animation and of the solved legs.
    """
    parent = int(rig.skeleton.parents[foot])
    arm_model = before[:, foot, :3, 3] - before[:, ankle, :3, 3]
    goal_model = after[:, ankle, :3, 3] + quat.rotate(rotation_model, arm_model)
    poses[:, foot, :3] += vectors_in_joint(after, parent, goal_model - after[:, foot, :3, 3])
    # Where the body carries the foot, it has leaned it: R P local = P' local'.
    carried = quat.multiply(
        quat.conjugate(matrix_rotation(after, parent)),
        quat.multiply(rotation_model, matrix_rotation(before, parent)),
    )
    poses[:, foot, 3:7] = quat.normalize(quat.multiply(carried, poses[:, foot, 3:7]))
