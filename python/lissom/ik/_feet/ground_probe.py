# SPDX-License-Identifier: MIT
"""The ground below feet and ahead of them, probed by casting rays straight down.

Nothing here has a state: all frames of a clip are cast at once, or the one frame of a game, with the same
bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.ground import Ground, cast
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_lock import LockedMotion
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.vectors import dot, horizontal, squared_length

RAYS_AHEAD = 4  # ahead of a swinging foot
PATH_RAYS = 9  # along the path of the body
STEEPEST = 0.2  # least up component of a normal whose plane is extrapolated: 78 degrees


@dataclass(frozen=True, eq=False)
class GroundProbe:
    """The ground below feet and ahead of them. Heights are along up; -inf where a ray hit nothing."""

    heights: Floats  # (F, P): world space, below each point of a sole
    normals_world: Floats  # (F, P, 3): zero where a ray hit nothing
    ahead: Floats  # (F, L): the highest that the foot swings over next, over the animation's ground
    path: Floats  # (F,): low along the path of the body, over the animation's ground


def probe_ground(
    rig: FootRig,
    gait: Gait,
    motion: LockedMotion,
    ground: Ground,
    up: Floats,
    ray_height: float,
    horizon: float,
    stride: float,
    lead: float,
) -> GroundProbe:
    """Cast rays straight down.

    Parameters
    ----------
    ray_height : float
        Height over the animation's ground at which rays start.
    horizon : float
        Seconds to look ahead of a foot.
    stride, lead : float
        Half the length of the path around the body, and how many seconds ahead of the body its middle is.
    """
    frames, legs = gait.lowest_heights.shape
    soles_world = gait.points_world + motion.slides_world[:, rig.points.legs]
    velocity = motion.ankle_velocity_world
    speed = np.sqrt(squared_length(velocity))
    heading = velocity / np.where(speed > 0, speed, 1.0)[..., None]
    # Rays ahead of a foot start at the foremost point of its sole.
    foremost = dot(soles_world, heading[:, rig.points.legs])
    foremost = np.maximum.reduceat(foremost, rig.points.starts, axis=-1)
    ankles_world = gait.ankles_world + motion.slides_world
    tips_world = ankles_world + heading * (foremost - dot(ankles_world, heading))[..., None]
    seconds = horizon * np.arange(1, RAYS_AHEAD + 1) / RAYS_AHEAD
    ahead_world = tips_world[:, :, None] + velocity[:, :, None] * seconds[:, None]
    body_velocity = motion.body_velocity_world
    middle_world = gait.hips_world.sum(axis=1) / legs + body_velocity * lead
    body_speed = np.sqrt(squared_length(body_velocity))
    body_heading = body_velocity / np.where(body_speed > 0, body_speed, 1.0)[:, None]
    steps = stride * (2 * np.arange(PATH_RAYS) / (PATH_RAYS - 1) - 1)
    path_world = middle_world[:, None] + body_heading[:, None] * steps[:, None]
    origins = np.concatenate([soles_world, ahead_world.reshape(frames, -1, 3), path_world], axis=1)
    top = (gait.floor_height + ray_height)[:, None]
    origins = origins + (top - dot(origins, up))[..., None] * up
    distances, normals = cast(ground, origins, -up)
    heights = np.where(np.isfinite(distances), top - distances, -np.inf)
    count = soles_world.shape[1]
    over = _over_floor(gait, origins[:, count:], heights[:, count:], up)
    return GroundProbe(
        heights=heights[:, :count],
        normals_world=normals[:, :count],
        ahead=over[:, : legs * RAYS_AHEAD].reshape(frames, legs, RAYS_AHEAD).max(axis=-1),
        path=_mean_of_lowest(over[:, legs * RAYS_AHEAD :]),
    )


def _over_floor(gait: Gait, points_world: Floats, heights: Floats, up: Floats) -> Floats:
    """Return heights (F, N) at points (F, N, 3) relative to the animation's ground there."""
    normal, point = gait.floor_normal_world[:, None], gait.floor_point_world[:, None]
    slope = dot(normal, horizontal(points_world - point, up)) / np.maximum(dot(normal, up), STEEPEST)
    return np.asarray(heights - (dot(point, up) - slope))


def _mean_of_lowest(heights: Floats) -> Floats:
    """Return the mean of the lowest three heights of the path that are finite, (F,); -inf if none is."""
    lowest = np.sort(np.where(np.isfinite(heights), heights, np.inf), axis=1)[:, : (PATH_RAYS + 3) // 4]
    finite = np.isfinite(lowest)
    count = finite.sum(axis=1)
    terms = np.where(finite, lowest, 0.0)
    total = terms[:, 0]
    for column in range(1, lowest.shape[1]):
        total = total + terms[:, column]
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), -np.inf))
