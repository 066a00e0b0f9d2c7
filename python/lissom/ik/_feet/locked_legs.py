# SPDX-License-Identifier: MIT
"""Poses of a clip whose legs follow corrections of their feet, the body lowered where legs are too short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lissom import quat
from lissom.ik._axes import Floats
from lissom.ik._ccd import ccd
from lissom.ik._chain import Chain
from lissom.ik._feet.clip_feet import ClipFeet
from lissom.ik._feet.joint_frames import mirrored, orientation_of, vectors_in_joint
from lissom.ik._feet.leg_chain import leg_chain
from lissom.ik._result import IkResult
from lissom.ik._two_bone import two_bone

STILL = 1e-5  # of the size: a drop of the body, or a slide, that is none
STRETCH = 0.998  # of a leg's length: a leg that was bent is stretched no farther
NEAR = 1e-4  # of a leg's length: an ankle this near to its target has reached it


def solved_legs(
    feet: ClipFeet, corrections: Sequence[Floats], lower: float, blend: int
) -> tuple[Floats, list[bool]]:
    """Return poses with corrected feet, and whether each leg reaches in all frames.

    `lower` is the largest drop of the body, a fraction of the size; `blend` the frames to smooth it over.
    """
    model_from_joint = feet.skeleton.model_matrices(feet.poses)
    ankles = [
        model_from_joint[:, joints.ankle, :3, 3] + correction[:, :3]
        for joints, correction in zip(feet.joints, corrections, strict=True)
    ]
    poses, reached = _lowered(feet, model_from_joint, ankles, lower, blend), []
    for joints, ankle, correction in zip(feet.joints, ankles, corrections, strict=True):
        rotation = quat.from_axis_angle(feet.up, correction[:, 3])
        orientation = quat.multiply(rotation, orientation_of(feet.skeleton, feet.poses, joints.ankle)[0])
        chain = leg_chain(feet.skeleton, joints)
        if len(joints.bends) == 2:
            done = two_bone(chain, poses, ankle, orientation)
        else:
            done = _continuous(feet, chain, poses, ankle, orientation)
        poses = done.pose
        reached.append(bool((done.residual <= NEAR * chain.length).all()))
        if joints.is_detached:
            poses = _with_detached_foot(feet, poses, model_from_joint, joints.foot, correction, rotation)
    return poses, reached


def _continuous(
    feet: ClipFeet, chain: Chain, poses: Floats, ankles: Floats, orientations: Floats
) -> IkResult:
    """Solve a leg that bends more than once, each frame from the one before; a loop starts at its end."""
    loops = feet.path.period is not None
    laps = [np.concatenate([array, array]) if loops else array for array in (poses, ankles, orientations)]
    done = ccd(chain, *laps, tolerance=1e-6, max_iterations=300, continuous=True)
    last = slice(-len(poses), None)
    return replace(done, pose=done.pose[last], residual=done.residual[last])


def _with_detached_foot(
    feet: ClipFeet, poses: Floats, before: Floats, joint: int, correction: Floats, rotation: Floats
) -> Floats:
    """Return poses in which a foot joint beside its leg has the correction of the ankle.

    `before` are the model matrices (F, J, 4, 4) of the clip. The rotation of the ankle is about the ankle;
    that of the foot is about its own position, since the two are at one place.
    """
    parent = int(feet.skeleton.parents[joint])
    goal_model = before[:, joint, :3, 3] + correction[:, :3]
    poses, after = poses.copy(), feet.skeleton.model_matrices(poses)
    poses[:, joint, :3] += vectors_in_joint(after, parent, goal_model - after[:, joint, :3, 3])
    parent_rotation, signs = orientation_of(feet.skeleton, poses, parent)
    orientation = quat.multiply(rotation, orientation_of(feet.skeleton, feet.poses, joint)[0])
    local = quat.multiply(quat.conjugate(parent_rotation), orientation)
    poses[:, joint, 3:7] = mirrored(signs, local)
    return poses


def _lowered(
    feet: ClipFeet, model_from_joint: Floats, ankles: Sequence[Floats], lower: float, blend: int
) -> Floats:
    """Return poses with the body lowered so that legs reach their ankles, by at most `lower`."""
    need = np.zeros(len(model_from_joint))
    for joints, ankle in zip(feet.joints, ankles, strict=True):
        positions = model_from_joint[:, [*joints.bends, joints.ankle]][..., :3, 3]
        bones = np.linalg.norm(np.diff(positions, axis=1), axis=2)
        before = np.linalg.norm(positions[:, -1] - positions[:, 0], axis=1)
        reach = np.maximum(STRETCH * bones.sum(axis=1), before)
        leg_model = ankle - positions[:, 0]
        height = leg_model @ feet.up
        beside = np.sum(leg_model * leg_model, axis=1) - height**2
        drop = -height - np.sqrt(np.maximum(reach**2 - beside, 0.0))
        need = np.maximum(need, drop)
    need = np.minimum(need, lower * feet.path.size)
    if need.max() <= STILL * feet.path.size:
        return feet.poses.copy()
    drop = _smooth_hull(need, blend, loops=feet.path.period is not None)
    poses, down_model = feet.poses.copy(), -drop[:, None] * feet.up
    for body in feet.bodies:
        parent = int(feet.skeleton.parents[body])
        poses[:, body, :3] += vectors_in_joint(model_from_joint, parent, down_model)
    return poses


def _smooth_hull(need: Floats, blend: int, *, loops: bool) -> Floats:
    """Return a smooth curve that is nowhere below `need`: its moving maximum, averaged over that window."""
    padded = np.pad(need, 2 * blend, mode="wrap" if loops else "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * blend + 1)
    highest = windows.max(axis=-1)
    weights = np.hanning(2 * blend + 3)[1:-1]
    return np.asarray(np.convolve(highest, weights / weights.sum(), mode="valid"))
