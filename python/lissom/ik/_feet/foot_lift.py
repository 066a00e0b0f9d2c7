# SPDX-License-Identifier: MIT
"""How much a foot must be lifted to touch the ground with its lowest point, whatever is below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom.ground import Ground, cast
from lissom.ik._feet.ground_probe import STEEPEST, Gait, Look, along, flattened, level
from lissom.ik._feet.rig import Floats, FootRig

JUMP = 0.003  # of the size: ground that is this far off the plane of a neighbouring hit has an edge between
HALVINGS = 6  # to find it: to a 64th of the distance between two points of an outline


@dataclass(frozen=True, eq=False)
class Edges:
    """Where edges of steps cross the outlines of soles: the last place on the upper ground. N of them."""

    frames: NDArray[np.intp]  # (N,)
    high: NDArray[np.intp]  # (N,): the point of the sole that is over the upper ground
    low: NDArray[np.intp]  # (N,): its neighbour
    shares: Floats  # (N,): of the way from one to the other
    heights: Floats  # (N,): of the upper ground there
    sags: Floats  # (N,): how far the sole is below the line between the points, halfway


def edges_of(
    rig: FootRig, gait: Gait, seen: Look, places: Floats, ground: Ground, up: Floats, above: float
) -> Edges:
    """Look for edges between neighbouring points of soles, and halve the distance until they are found.

    `places` (F, P, 3) are where the soles are, over the ground that was `seen`.
    """
    first, second = rig.points.rings[:, 0], rig.points.rings[:, 1]
    limit = JUMP * rig.rig.size
    from_first = _going_on(seen, first, places[:, second] - places[:, first], up)
    with np.errstate(invalid="ignore"):  # nothing below both
        apart = np.abs(from_first - seen.heights[:, second])
    frames, pairs = np.nonzero(apart > limit)
    upper = seen.heights[frames, first[pairs]] >= seen.heights[frames, second[pairs]]
    high = np.where(upper, first[pairs], second[pairs])
    low = np.where(upper, second[pairs], first[pairs])
    shares, heights, sags = np.zeros(len(frames)), seen.heights[frames, high], rig.points.sags[pairs]
    if not len(frames):
        return Edges(frames, high, low, shares, heights, sags)
    start, way = places[frames, high], places[frames, low] - places[frames, high]
    beyond = np.ones(len(frames))
    top = gait.floor[frames] + above
    normals = seen.normals[frames, high]
    slope = -along(normals, flattened(way, up)) / np.maximum(level(normals, up), STEEPEST)
    for _ in range(HALVINGS):
        middle = 0.5 * (shares + beyond)
        origins = start + way * middle[:, None]
        origins = origins + (top - level(origins, up))[:, None] * up
        distances, _ = cast(ground, origins, -up)
        found = top - distances
        on = np.abs(found - (seen.heights[frames, high] + slope * middle)) <= limit
        heights = np.where(on, found, heights)
        shares, beyond = np.where(on, middle, shares), np.where(on, beyond, middle)
    return Edges(frames, high, low, shares, heights, sags)


def _going_on(seen: Look, points: NDArray[np.intp], ways: Floats, up: Floats) -> Floats:
    """Give the height of the ground beside points if it goes on as it is below them, (F, E)."""
    normals = seen.normals[:, points]
    rise = level(normals, up)
    slope = -along(normals, flattened(ways, up)) / np.where(rise > STEEPEST, rise, np.inf)
    return np.asarray(seen.heights[:, points] + slope)


def turned_soles(rig: FootRig, gait: Gait, turns: Floats) -> Floats:
    """Give the points of soles with foot and toes turned, (F, P, 3).

    `turns` (F, L, 2, 4) are the quaternions by which foot and toes turn, in world space: the foot about the
    ankle, the toes about their joint.
    """
    points = rig.points
    pivot = gait.ankles[:, points.legs]
    foot, toes = turns[:, points.legs, 0], turns[:, points.legs, 1]
    behind = pivot + quat.rotate(foot, gait.points - pivot)
    joint = gait.toes[:, points.legs]
    front = pivot + quat.rotate(foot, joint - pivot) + quat.rotate(toes, gait.points - joint)
    share = points.shares[:, None]
    return np.asarray((1 - share) * behind + share * front)


def needed_lift(rig: FootRig, seen: Look, edges: Edges, points: Floats, aside: Floats, up: Floats) -> Floats:
    """Give how much each foot must be lifted for its lowest point to touch the ground, (F, L).

    `points` (F, P, 3) are where the soles are, `aside` (F, P, 3) how far that is from where the rays went
    down. -inf: nothing there.
    """
    legs, heights = rig.points.legs, level(points, up)
    need = _going_on(seen, np.arange(len(legs)), aside, up) - heights
    lift = np.maximum.reduceat(need, rig.points.starts, axis=-1)
    if len(edges.frames):
        over = heights[edges.frames, edges.high] * (1 - edges.shares)
        over = over + heights[edges.frames, edges.low] * edges.shares
        over = over - 4 * edges.shares * (1 - edges.shares) * edges.sags
        np.maximum.at(lift, (edges.frames, legs[edges.high]), edges.heights - over)
    return np.asarray(lift)
