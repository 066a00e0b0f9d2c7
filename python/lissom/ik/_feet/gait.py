# SPDX-License-Identifier: MIT
"""The animation that feet are placed for: where soles, hips and ankles are, and its own ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat, trs
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.vectors import dot, transformed_points


@dataclass(frozen=True, eq=False)
class Gait:
    """The animation in world space: F frames, L legs, P points of soles. Heights are along up.

    Its ground is the plane that it was made for. That plane belongs to model space and tilts with it.
    """

    model_from_joint: Floats  # (F, J, 4, 4)
    world_from_model: Floats | None  # (F, 10)
    world_rotation: Floats  # (F, 4): of that
    up_model: Floats  # (F, 3): the world's up
    points_world: Floats  # (F, P, 3)
    point_heights: Floats  # (F, P): over the animation's ground
    lowest_heights: Floats  # (F, L): the least of them
    hips_world: Floats  # (F, L, 3)
    ankles_world: Floats  # (F, L, 3)
    toes_world: Floats  # (F, L, 3): the ankle where there are none
    floor_height: Floats  # (F,): of the animation's ground, at the origin of model space
    floor_normal_world: Floats  # (F, 3): the up axis of model space
    floor_point_world: Floats  # (F, 3): a point of the animation's ground


def gait_of(rig: FootRig, poses: Floats, world_from_model: Floats | None, up: Floats) -> Gait:
    """Return the gait of poses (F, J, 10) under rigid trs (F, 10); the identity for None."""
    model_from_joint = rig.skeleton.model_matrices(poses)
    toes = [leg.ankle if leg.toe is None else leg.toe for leg in rig.joints]
    rows = [*rig.hips, *rig.ankles, *toes]
    joints = np.ascontiguousarray(model_from_joint[:, rows][..., :3, 3])
    points = rig.points.at(model_from_joint)
    point_heights = dot(points, up) - rig.floor
    count = len(rig.joints)
    if world_from_model is None:
        rotation = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(poses), 4))
        floor_height = np.full(len(poses), rig.floor)
        up_model = floor_normal = np.broadcast_to(up, (len(poses), 3))
        floor_point = floor_normal * rig.floor
    else:
        rotation, origin = world_from_model[:, 3:7], world_from_model[:, :3]
        floor_height = dot(origin, up) + rig.floor
        up_model, floor_normal = quat.rotate(quat.conjugate(rotation), up), quat.rotate(rotation, up)
        floor_point = origin + floor_normal * rig.floor
        matrices = trs.to_matrix(world_from_model)[:, None]
        joints, points = transformed_points(matrices, joints), transformed_points(matrices, points)
    return Gait(
        model_from_joint=model_from_joint,
        world_from_model=world_from_model,
        world_rotation=rotation,
        up_model=up_model,
        points_world=points,
        point_heights=point_heights,
        lowest_heights=rig.points.lowest(point_heights),
        hips_world=joints[:, :count],
        ankles_world=joints[:, count : 2 * count],
        toes_world=joints[:, 2 * count :],
        floor_height=floor_height,
        floor_normal_world=floor_normal,
        floor_point_world=floor_point,
    )
