# SPDX-License-Identifier: MIT
"""The ground below feet and ahead of them, probed by casting rays straight down.

Nothing here has a state: all frames of a clip are cast at once, or the one frame of a game, with the same
bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom._base.easing import smoothstep
from lissom.ground import Ground, cast
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_lock import LockedMotion
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.vectors import dot, horizontal, squared_length

RAYS_AHEAD = 4  # ahead of a swinging foot
PATH_RAYS = 9  # along the path of the body
UPHILL = 0.2  # a rise, tangent, from which on uneven ground lowers the body twice as far as downhill
LEAST = 1e-3  # of the spread of places: with less, the places that count do not tell a slope
STEEPEST = 0.2  # least up component of a normal whose plane is extrapolated: 78 degrees


@dataclass(frozen=True, eq=False)
class GroundProbe:
    """The ground below feet and ahead of them. Heights are along up; -inf where a ray hit nothing."""

    heights: Floats  # (F, P): world space, below each point of a sole
    normals_world: Floats  # (F, P, 3): zero where a ray hit nothing
    ahead: Floats  # (F, L): the highest that the foot swings over next, over the animation's ground
    path: Floats  # (F,): of the path of the body, over the animation's ground: low where it is uneven
    rise: Floats  # (F,): of the line through the path, per length
    center_world: Floats  # (F, 3): the middle of the path


def probe_ground(
    rig: FootRig,
    gait: Gait,
    motion: LockedMotion,
    ground: Ground,
    body_ground: Ground,
    up: Floats,
    ray_height: float,
    horizon: float,
    stride: float,
    lead: float,
    band: float,
) -> GroundProbe:
    """Cast rays straight down.

    Parameters
    ----------
    ground, body_ground : Ground
        What feet stand on, and what the path of the body is on: often one.
    ray_height : float
        Height over the animation's ground at which rays start.
    horizon : float
        Seconds to look ahead of a foot.
    stride, lead : float
        Half the length of the path around the body, and how many seconds ahead of the body its middle is.
    band : float
        Ground of the path that is farther above or below its median is left out.
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
    first = origins.shape[1] - PATH_RAYS
    if body_ground is ground:
        distances, normals = cast(ground, origins, -up)
    else:
        distances, normals = cast(ground, origins[:, :first], -up)
        path_distances, _ = cast(body_ground, origins[:, first:], -up)
        distances = np.concatenate([distances, path_distances], axis=1)
    heights = np.where(np.isfinite(distances), top - distances, -np.inf)
    count = soles_world.shape[1]
    over = over_floor(gait, origins[:, count:], heights[:, count:], up)
    path, rise = _path_of(over[:, legs * RAYS_AHEAD :], steps, band)
    return GroundProbe(
        heights=heights[:, :count],
        normals_world=normals[:, :count],
        ahead=over[:, : legs * RAYS_AHEAD].reshape(frames, legs, RAYS_AHEAD).max(axis=-1),
        path=path,
        rise=rise,
        center_world=middle_world,
    )


def over_floor(gait: Gait, points_world: Floats, heights: Floats, up: Floats) -> Floats:
    """Return heights (F, N) at points (F, N, 3) relative to the animation's ground there."""
    normal, point = gait.floor_normal_world[:, None], gait.floor_point_world[:, None]
    slope = dot(normal, horizontal(points_world - point, up)) / np.maximum(dot(normal, up), STEEPEST)
    return np.asarray(heights - (dot(point, up) - slope))


def near_median(heights: Floats, band: float) -> Floats:
    """Return heights (F, N), -inf in place of those farther than `band` from the median of their frame."""
    finite = np.isfinite(heights)
    count = np.add.reduceat(finite.astype(np.intp), [0], axis=1)
    ordered = np.sort(np.where(finite, heights, np.inf), axis=1)
    median = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0), axis=1)
    with np.errstate(invalid="ignore"):  # over nothing
        return np.where(finite & (np.abs(heights - median) <= band), heights, -np.inf)


def fitted_plane(heights: Floats, x: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the plane through the finite ones of heights (F, N) at places x and z (N,), (F,) each.

    That is its height where x and z are 0, -inf where nothing is finite, and its rises along x and z: 0 where
    the heights are too few or in line.
    """
    weights = np.isfinite(heights).astype(np.float64)
    values = np.where(weights > 0, heights, 0.0)

    def total(terms: Floats) -> Floats:
        return np.asarray(np.add.reduceat(terms, [0], axis=1)[:, 0])

    whole = np.maximum(total(weights), 1.0)
    x_mean, z_mean, mean = total(weights * x) / whole, total(weights * z) / whole, total(values) / whole
    dx, dz = x - x_mean[:, None], z - z_mean[:, None]
    xx, xz, zz = total(weights * dx * dx), total(weights * dx * dz), total(weights * dz * dz)
    over = np.where(weights > 0, values - mean[:, None], 0.0)
    xh, zh = total(over * dx), total(over * dz)
    # A line of places has no second axis: its rise is 0.
    size = np.add.reduce(x * x) + np.add.reduce(z * z)
    determinant = xx * zz - xz * xz
    is_plane = determinant > (LEAST * size) ** 2
    safe = np.where(is_plane, determinant, 1.0)
    is_line = ~is_plane & (xx > LEAST * size)
    rise_x = np.where(
        is_plane, (zz * xh - xz * zh) / safe, np.where(is_line, xh / np.where(is_line, xx, 1), 0)
    )
    rise_z = np.where(is_plane, (xx * zh - xz * xh) / safe, 0.0)
    center = mean - rise_x * x_mean - rise_z * z_mean
    return np.where(total(weights) > 0, center, -np.inf), rise_x, rise_z


def _path_of(heights: Floats, steps: Floats, band: float) -> tuple[Floats, Floats]:
    """Return height and rise of the path of the body, (F,); the height is -inf over nothing.

    The height is that of the line through its heights (F, N) at its middle. It is lowered downhill by as much
    as the lowest third of them is below the level, since the next foot comes down there; uphill by twice as
    much as they are below the line: not on a slope, but up stairs, where legs push off from a step lower.
    """
    heights = near_median(heights, band)
    center, rise, _ = fitted_plane(heights, steps, np.zeros_like(steps))
    with np.errstate(invalid="ignore"):
        over = heights - center[:, None]
        below_line = np.minimum(_mean_of_lowest(over - rise[:, None] * steps), 0.0)
        below = np.minimum(_mean_of_lowest(over - np.maximum(rise, 0.0)[:, None] * steps), 0.0)
        return np.asarray(center + below + below_line * smoothstep(rise, 0.0, UPHILL)), rise


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
