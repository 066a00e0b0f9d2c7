# SPDX-License-Identifier: MIT
"""The lift that brings the lowest point of a foot onto the ground, edges of steps included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom.ground import Ground, cast
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.ground_probe import STEEPEST, GroundProbe
from lissom.ik._feet.vectors import dot, horizontal

JUMP = 0.003  # of the size: where ground is this far off the plane of a neighbouring hit, an edge is between
HALVINGS = 6  # bisection steps: an edge is found to a 64th of the distance between two points of an outline


@dataclass(frozen=True, eq=False)
class Edges:
    """Where edges of steps cross the outlines of soles, at the last point of the upper ground. N edges."""

    frames: NDArray[np.intp]  # (N,)
    upper: NDArray[np.intp]  # (N,): the point of the sole over the upper ground
    lower: NDArray[np.intp]  # (N,): its neighbour over the lower ground
    shares: Floats  # (N,): position of the edge, 0 at `upper` and 1 at `lower`
    heights: Floats  # (N,): of the upper ground there
    sags: Floats  # (N,): how far the sole is below the line between the points, at its middle


def edges_of(
    rig: FootRig,
    gait: Gait,
    probe: GroundProbe,
    points_world: Floats,
    ground: Ground,
    up: Floats,
    ray_height: float,
) -> Edges:
    """Search edges between neighbouring points of soles by bisection.

    `points_world` (F, P, 3) are the points of the soles over the ground of `probe`.
    """
    first, second = rig.points.rings[:, 0], rig.points.rings[:, 1]
    limit = JUMP * rig.rig.size
    expected = _extrapolated(probe, first, points_world[:, second] - points_world[:, first], up)
    with np.errstate(invalid="ignore"):  # no ground below both
        jump = np.abs(expected - probe.heights[:, second])
    frames, pairs = np.nonzero(jump > limit)
    first_is_upper = probe.heights[frames, first[pairs]] >= probe.heights[frames, second[pairs]]
    upper = np.where(first_is_upper, first[pairs], second[pairs])
    lower = np.where(first_is_upper, second[pairs], first[pairs])
    shares, heights, sags = np.zeros(len(frames)), probe.heights[frames, upper], rig.points.sags[pairs]
    if not len(frames):
        return Edges(frames, upper, lower, shares, heights, sags)
    start_world = points_world[frames, upper]
    offset_world = points_world[frames, lower] - start_world
    beyond = np.ones(len(frames))
    top = gait.floor_height[frames] + ray_height
    normals_world = probe.normals_world[frames, upper]
    slope = -dot(normals_world, horizontal(offset_world, up)) / np.maximum(dot(normals_world, up), STEEPEST)
    for _ in range(HALVINGS):
        middle = 0.5 * (shares + beyond)
        origins_world = start_world + offset_world * middle[:, None]
        origins_world = origins_world + (top - dot(origins_world, up))[:, None] * up
        distances, _ = cast(ground, origins_world, -up)
        hit = top - distances
        is_upper = np.abs(hit - (probe.heights[frames, upper] + slope * middle)) <= limit
        heights = np.where(is_upper, hit, heights)
        shares, beyond = np.where(is_upper, middle, shares), np.where(is_upper, beyond, middle)
    return Edges(frames, upper, lower, shares, heights, sags)


def _extrapolated(probe: GroundProbe, points: NDArray[np.intp], offsets_world: Floats, up: Floats) -> Floats:
    """Return the height of the plane of the ground below points, at offsets from them, (F, E)."""
    normals_world = probe.normals_world[:, points]
    rise = dot(normals_world, up)
    slope = -dot(normals_world, horizontal(offsets_world, up)) / np.where(rise > STEEPEST, rise, np.inf)
    return np.asarray(probe.heights[:, points] + slope)


def rotated_soles(rig: FootRig, gait: Gait, rotations_world: Floats) -> Floats:
    """Return the points of soles in world space with foot and toes rotated, (F, P, 3).

    `rotations_world` (F, L, 2, 4) rotate the foot about the ankle, and the toes about their joint.
    """
    points = rig.points
    ankles_world = gait.ankles_world[:, points.legs]
    foot, toes = rotations_world[:, points.legs, 0], rotations_world[:, points.legs, 1]
    foot_points_world = ankles_world + quat.rotate(foot, gait.points_world - ankles_world)
    old_toes_world = gait.toes_world[:, points.legs]
    toes_world = ankles_world + quat.rotate(foot, old_toes_world - ankles_world)
    toe_points_world = toes_world + quat.rotate(toes, gait.points_world - old_toes_world)
    share = points.shares[:, None]
    return np.asarray((1 - share) * foot_points_world + share * toe_points_world)


def contact_lifts(
    rig: FootRig, probe: GroundProbe, edges: Edges, points_world: Floats, offsets_world: Floats, up: Floats
) -> Floats:
    """Return the lifts by which the lowest points of feet touch the ground, (F, L); -inf over nothing.

    `points_world` (F, P, 3) are the points of the soles, `offsets_world` (F, P, 3) their offsets from where
    the rays went down.
    """
    legs, heights = rig.points.legs, dot(points_world, up)
    point_lifts = _extrapolated(probe, np.arange(len(legs)), offsets_world, up) - heights
    lifts = np.maximum.reduceat(point_lifts, rig.points.starts, axis=-1)
    if len(edges.frames):
        at_edge = heights[edges.frames, edges.upper] * (1 - edges.shares)
        at_edge = at_edge + heights[edges.frames, edges.lower] * edges.shares
        at_edge = at_edge - 4 * edges.shares * (1 - edges.shares) * edges.sags
        np.maximum.at(lifts, (edges.frames, legs[edges.upper]), edges.heights - at_edge)
    return np.asarray(lifts)
