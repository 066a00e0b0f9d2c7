# SPDX-License-Identifier: MIT
"""How the body leans with the slope of the ground below it.

Animals whose legs are far apart keep their backs along the slope, or the legs at one end would have to fold
and those at the other could not reach. People lean into a slope a little, and stand upright beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat
from lissom._base.vectors import perpendicular_axes
from lissom.ground import Ground, cast
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.ground_probe import fitted_plane, near_median, over_floor
from lissom.ik._feet.vectors import cross, dot, horizontal, squared_length

SIDE = 7  # rays along each side of the square below the body
BEYOND = 0.35  # of a leg's length: the square is larger than the hips are apart by this, on each side
SOFT = 0.05  # of the squared length of the legs: hips that spread by this follow half of the slope
INTO = -0.2  # of the slope, for bodies with two legs


@dataclass(frozen=True)
class Lean:
    """How much of a slope the body follows, and where the slope is measured."""

    share: float
    is_long: bool  # more than two legs: along the length of the body
    reach: float  # half a side of the square
    softness: float  # squared length

    @classmethod
    def of(cls, rig: FootRig, share: float | None) -> Lean:
        """Return the lean of a body; that of its kind where no share is chosen."""
        rest = rig.skeleton.positions(rig.skeleton.rest.astype(np.float64))[rig.hips]
        spread = float(np.linalg.norm(rest - rest.mean(axis=0), axis=1).max())
        length, is_long = float(rig.lengths.mean()), len(rig.hips) > 2
        if share is None:
            share = 1.0 if is_long else INTO
        return cls(share, is_long, spread + BEYOND * length, SOFT * length * length)


def leans_of(
    rig: FootRig,
    lean: Lean,
    gait: Gait,
    ground: Ground,
    center_world: Floats,
    up: Floats,
    ray_height: float,
    band: float,
    max_slope: float,
) -> Floats:
    """Return rotation vectors in world space by which the body leans, (F, 3).

    `center_world` (F, 3) is the middle of the ground that counts; what is more than `band` above or below its
    median does not, nor do slopes steeper than `max_slope`.
    """
    frames = len(center_world)
    if lean.share == 0:
        return np.zeros((frames, 3))
    # Sides of the square turn with the character, and are level.
    side = horizontal(quat.rotate(gait.world_rotation, perpendicular_axes(up)[0]), up)
    side = side / np.sqrt(squared_length(side))[:, None]
    ahead = cross(up, side)
    steps = lean.reach * (2 * np.arange(SIDE) / (SIDE - 1) - 1)
    x, z = np.repeat(steps, SIDE), np.tile(steps, SIDE)
    points_world = center_world[:, None] + x[:, None] * side[:, None] + z[:, None] * ahead[:, None]
    top = (gait.floor_height + ray_height)[:, None]
    origins = points_world + (top - dot(points_world, up))[..., None] * up
    distances, _ = cast(ground, origins, -up)
    heights = over_floor(gait, origins, np.where(np.isfinite(distances), top - distances, -np.inf), up)
    _, rise_x, rise_z = fitted_plane(near_median(heights, band), x, z)
    flat = rise_x * rise_x + rise_z * rise_z <= np.tan(max_slope) ** 2
    rise_world = np.where(flat, rise_x, 0.0)[:, None] * side + np.where(flat, rise_z, 0.0)[:, None] * ahead
    rise_world = lean.share * _along_body(gait, lean, rise_world, up)
    # The axis that tips up towards the normal, up - rise; its length is the tangent of the slope.
    axis = cross(rise_world, up)
    tangent = np.sqrt(squared_length(axis))
    return np.asarray(axis * (np.arctan(tangent) / np.where(tangent > 0, tangent, 1.0))[:, None])


def _along_body(gait: Gait, lean: Lean, rise_world: Floats, up: Floats) -> Floats:
    """Return the part of a slope, (F, 3), that the body follows.

    Of a long body that is the slope as far as the hips spread along it (ridge regression of the hips' rises).
    Of one with two hips it is what is perpendicular to the line between them.
    """
    hips = horizontal(gait.hips_world - gait.hips_world.sum(axis=1)[:, None] / gait.hips_world.shape[1], up)
    if not lean.is_long:
        line = hips[:, 0]
        squared = squared_length(line)
        share = dot(line, rise_world) / np.where(squared > 0, squared, 1.0)
        return np.asarray(rise_world - share[:, None] * line)
    # Solve (S + softness) followed = S rise, S the mean of the hips' outer products, in the horizontal plane.
    first, second = perpendicular_axes(up)
    a, b = dot(hips, first), dot(hips, second)
    count = a.shape[1]
    aa, ab, bb = (np.add.reduceat(p, [0], axis=1)[:, 0] / count for p in (a * a, a * b, b * b))
    along, across = dot(rise_world, first), dot(rise_world, second)
    right_a, right_b = aa * along + ab * across, ab * along + bb * across
    aa, bb = aa + lean.softness, bb + lean.softness
    determinant = aa * bb - ab * ab
    return np.asarray(
        ((bb * right_a - ab * right_b) / determinant)[:, None] * first
        + ((aa * right_b - ab * right_a) / determinant)[:, None] * second
    )
