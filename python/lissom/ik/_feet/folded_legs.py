# SPDX-License-Identifier: MIT
"""Legs that bend more than once: folded as the animation folds them.

The tendons of a horse's hind leg let stifle and hock bend only together. So one number folds a whole leg:
each knee bends by the same share more or less than in the animation, to the side that it bends to there,
until hip and ankle are as far apart as they must be. The leg then turns about its hip to where the ankle
must be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat
from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats
from lissom.ik._feet.joint_frames import matrix_rotation, orientation_of, rotated_in_model
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.vectors import cross, dot, squared_length

HALVINGS = 40  # of the range of folds: to 1e-12 of it
SLIGHT = np.radians(3.0)  # a knee that bends by less folds as one that bends by this
SHARPEST = np.radians(140.0)  # no knee bends by more, except as far as in the animation


@dataclass(frozen=True, eq=False)
class _Bones:
    """The bones of a leg between its bends, in the animation; model space."""

    vectors: Floats  # (F, B, 3)
    axes: Floats  # (F, B - 1, 3): unit; about them each knee bends
    angles: Floats  # (F, B - 1): by which it does, radians


def solve_folded(
    skeleton: Skeleton, leg: LegJoints, poses: Floats, ankles_model: Floats, rotations_model: Floats
) -> tuple[Floats, Floats]:
    """Move an ankle to positions (F, 3) and orientations (F, 4) in model space.

    Returns
    -------
    poses, residuals
        (F, J, 10), and the distances that are left, (F,).
    """
    model = skeleton.model_matrices(poses)
    joints = [*leg.bends, leg.ankle]
    places = model[:, joints][..., :3, 3]
    bones = _bones_of(places, _rest_axes(skeleton, leg, model))
    goal = ankles_model - places[:, 0]
    distance = np.sqrt(squared_length(goal))
    low, high = np.zeros(len(poses)), np.ones(len(poses))
    for _ in range(HALVINGS):  # the more a leg is folded the shorter it is
        middle = 0.5 * (low + high)
        reach = np.sqrt(squared_length(_folded(bones, middle)[1]))
        is_long = reach > distance
        low, high = np.where(is_long, middle, low), np.where(is_long, high, middle)
    turns, end = _folded(bones, 0.5 * (low + high))
    swing = quat.from_to(end, goal)
    result = poses.copy()

    def turn(joint: int, rotation_model: Floats) -> None:
        parent_rotation = matrix_rotation(model, int(skeleton.parents[joint]))
        result[:, joint, 3:7] = rotated_in_model(parent_rotation, rotation_model, poses[:, joint, 3:7])

    # Each joint turns by what it adds to those above it, in the frames that the animation has.
    turn(leg.bends[0], swing)
    above = swing
    for knee, rotation in zip(leg.bends[1:], turns, strict=True):
        turn(knee, rotation)
        above = quat.multiply(above, rotation)
    orientations, _ = orientation_of(skeleton, poses, leg.ankle)
    wanted = quat.multiply(rotations_model, quat.conjugate(orientations))
    turn(leg.ankle, quat.multiply(quat.conjugate(above), wanted))
    left = np.sqrt(squared_length(quat.rotate(swing, end) - goal))
    return result, left


def _bones_of(places: Floats, rest_axes: Floats) -> _Bones:
    vectors = places[:, 1:] - places[:, :-1]
    across = cross(vectors[:, :-1], vectors[:, 1:])
    sine = np.sqrt(squared_length(across))
    angles = np.arctan2(sine, dot(vectors[:, :-1], vectors[:, 1:]))
    # A straight knee tells no axis: then it bends as at rest.
    is_bent = (angles > 1e-3)[..., None]
    return _Bones(
        vectors, np.where(is_bent, across / np.where(is_bent, sine[..., None], 1.0), rest_axes), angles
    )


def _rest_axes(skeleton: Skeleton, leg: LegJoints, model: Floats) -> Floats:
    """Return the axes of the bends at rest as the joints above carry them, (F, B - 1, 3), unit or zero."""
    joints = [*leg.bends, leg.ankle]
    rest = skeleton.model_matrices(skeleton.rest.astype(np.float64))[None]
    vectors = np.diff(rest[:, joints][..., :3, 3], axis=1)
    axes = cross(vectors[:, :-1], vectors[:, 1:])
    length = np.sqrt(squared_length(axes))[..., None]
    axes = axes / np.where(length > 0, length, 1.0)
    carried = [
        quat.rotate(
            quat.multiply(matrix_rotation(model, above), quat.conjugate(matrix_rotation(rest, above))),
            np.broadcast_to(axes[:, index], (len(model), 3)),
        )
        for index, above in enumerate(leg.bends[:-1])
    ]
    return np.stack(carried, axis=1)


def _folded(bones: _Bones, fold: Floats) -> tuple[list[Floats], Floats]:
    """Return what a fold adds at each knee, rotations (F, 4), and the vector from hip to ankle, (F, 3).

    A fold of 0 is a straight leg, one of 1 bends all knees sharply; between them is that of the animation.
    """
    most = np.maximum(bones.angles, SLIGHT)
    # From straight to the animation, and on to where the first knee is sharp.
    largest = most[:, 0]
    for knee in range(1, most.shape[1]):
        largest = np.maximum(largest, most[:, knee])
    factor = fold * np.maximum(SHARPEST / largest, 1.0)
    turns, above, end = [], np.tile([0.0, 0.0, 0.0, 1.0], (len(fold), 1)), bones.vectors[:, 0]
    for knee in range(most.shape[1]):
        # Around the animation's own factor of 1, knees that are nearly straight bend as others do.
        angle = np.maximum(bones.angles[:, knee] + (factor - 1.0) * most[:, knee], 0.0)
        change = np.minimum(angle, np.maximum(SHARPEST, bones.angles[:, knee])) - bones.angles[:, knee]
        rotation = quat.from_rotation_vector(bones.axes[:, knee] * change[:, None])
        turns.append(rotation)
        above = quat.multiply(above, rotation)
        end = end + quat.rotate(above, bones.vectors[:, knee + 1])
    return turns, end
