# SPDX-License-Identifier: MIT
"""Where feet are over the ground: measured in the animation, and looked up by casting rays.

Nothing here remembers: all frames of a clip are measured and cast at once, one frame of a game as well, and
both give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom.ground import Ground, cast
from lissom.ik._feet.rig import Floats, FootRig
from lissom.ik._feet.sole_points import moved

LOOKS = 4  # rays ahead of a swinging foot
STEPS = 9  # rays along the way of the body
STEEPEST = 0.2  # up-component of a normal, at least, to go on along its plane: 78 degrees


@dataclass(frozen=True, eq=False)
class Gait:
    """What the animation does, in world space. F frames, L legs, P points of soles."""

    model: Floats  # (F, J, 4, 4), model space
    turn: Floats  # (F, 4): world from model
    up_model: Floats  # (F, 3)
    points: Floats  # (F, P, 3)
    over: Floats  # (F, P): heights over the ground of the animation
    lowest: Floats  # (F, L): the least of them
    hips: Floats  # (F, L, 3)
    ankles: Floats  # (F, L, 3)
    toes: Floats  # (F, L, 3): where there are none, the ankle
    floor: Floats  # (F,): height of the ground of the animation, below the origin of model space
    upright: Floats  # (F, 3): which way it is up for the animation, whose ground tilts with the character
    base: Floats  # (F, 3): a place on that ground


def gait_of(rig: FootRig, poses: Floats, world: Floats | None, up: Floats) -> Gait:
    """Measure poses (F, J, 10) where the character stands by rigid trs (F, 10); None: at the origin."""
    model = rig.skeleton.model_matrices(poses)
    joints = [leg.ankle if leg.toe is None else leg.toe for leg in rig.joints]
    rows = [*rig.hips, *rig.ankles, *joints]
    places = np.ascontiguousarray(model[:, rows][..., :3, 3])
    points = rig.points.at(model)
    over = level(points, up) - rig.floor
    count = len(rig.joints)
    if world is None:
        turn = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (len(poses), 4))
        floor = np.full(len(poses), rig.floor)
        up_model = upright = np.broadcast_to(up, (len(poses), 3))
        base = upright * rig.floor
    else:
        turn = world[:, 3:7]
        floor = level(world[:, :3], up) + rig.floor
        up_model, upright = quat.rotate(quat.conjugate(turn), up), quat.rotate(turn, up)
        base = world[:, :3] + upright * rig.floor
        matrices = trs.to_matrix(world)[:, None]
        places, points = moved(matrices, places), moved(matrices, points)
    return Gait(
        model=model,
        turn=turn,
        up_model=up_model,
        points=points,
        over=over,
        lowest=rig.points.lowest(over),
        hips=places[:, :count],
        ankles=places[:, count : 2 * count],
        toes=places[:, 2 * count :],
        floor=floor,
        upright=upright,
        base=base,
    )


def _over_floor(gait: Gait, places: Floats, heights: Floats, up: Floats) -> Floats:
    """Give how much higher than the ground of the animation heights (F, N) are at places (F, N, 3)."""
    own, base = gait.upright[:, None], gait.base[:, None]
    slope = along(own, flattened(places - base, up)) / np.maximum(level(own, up), STEEPEST)
    return np.asarray(heights - (level(base, up) - slope))


def level(vectors: Floats, up: Floats) -> Floats:
    """Give heights of (..., 3), entry by entry: the same bits for one and for many."""
    return np.asarray(vectors[..., 0] * up[0] + vectors[..., 1] * up[1] + vectors[..., 2] * up[2])


def flattened(vectors: Floats, up: Floats) -> Floats:
    """Take their height off vectors (..., 3)."""
    return np.asarray(vectors - level(vectors, up)[..., None] * up)


@dataclass(frozen=True, eq=False)
class Look:
    """The ground below feet and ahead of them. Heights are along up, in world space; -inf: nothing there."""

    heights: Floats  # (F, P): below each point of a sole
    normals: Floats  # (F, P, 3): zero where there is nothing
    ahead: Floats  # (F, L): the highest that the foot swings over next, over the ground of the animation
    path: Floats  # (F,): along the way of the body, over the ground of the animation


def look(
    rig: FootRig,
    gait: Gait,
    slides: Floats,
    pace: Floats,
    way: Floats,
    ground: Ground,
    up: Floats,
    above: float,
    horizon: float,
    stride: float,
    lead: float,
) -> Look:
    """Cast rays straight down.

    Parameters
    ----------
    slides : (F, L, 3)
        How far feet are held away from where the animation has them.
    pace : (F, L, 3)
        Level velocities of the feet.
    way : (F, 3)
        Level velocity of the body.
    above : float
        How far over the ground of the animation rays start.
    horizon : float
        Seconds to look ahead of a foot.
    stride, lead : float
        Half the length of the way looked at around the body, and how many seconds ahead of it its middle is.
    """
    frames, legs = gait.lowest.shape
    below = gait.points + slides[:, rig.points.legs]
    speed = np.sqrt(level2(pace))
    course = pace / np.where(speed > 0, speed, 1.0)[..., None]
    # From the foremost point of the sole on, one for each leg.
    reach = along(below, course[:, rig.points.legs])
    reach = np.maximum.reduceat(reach, rig.points.starts, axis=-1)
    ankles = gait.ankles + slides
    first = ankles + course * (reach - along(ankles, course))[..., None]
    seconds = horizon * np.arange(1, LOOKS + 1) / LOOKS
    ahead = first[:, :, None] + pace[:, :, None] * seconds[:, None]
    middle = gait.hips.sum(axis=1) / legs + way * lead
    quick = np.sqrt(level2(way))
    heading = way / np.where(quick > 0, quick, 1.0)[:, None]
    steps = stride * (2 * np.arange(STEPS) / (STEPS - 1) - 1)
    path = middle[:, None] + heading[:, None] * steps[:, None]
    starts = np.concatenate([below, ahead.reshape(frames, -1, 3), path], axis=1)
    top = (gait.floor + above)[:, None]
    starts = starts + (top - level(starts, up))[..., None] * up
    distances, normals = cast(ground, starts, -up)
    heights = np.where(np.isfinite(distances), top - distances, -np.inf)
    count = below.shape[1]
    split = count + legs * LOOKS
    over = _over_floor(gait, starts[:, count:], heights[:, count:], up)
    return Look(
        heights=heights[:, :count],
        normals=normals[:, :count],
        ahead=over[:, : split - count].reshape(frames, legs, LOOKS).max(axis=-1),
        path=_quarter(over[:, split - count :]),
    )


def level2(vectors: Floats) -> Floats:
    """Give squared lengths of (..., 3), entry by entry."""
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    return np.asarray(x * x + y * y + z * z)


def along(vectors: Floats, directions: Floats) -> Floats:
    """Give products of (..., 3) and (..., 3), entry by entry."""
    product = vectors * directions
    return np.asarray(product[..., 0] + product[..., 1] + product[..., 2])


def _quarter(heights: Floats) -> Floats:
    """Give the mean of the lower part of the way, without where there is nothing; -inf where it is all."""
    held = np.sort(np.where(np.isfinite(heights), heights, np.inf), axis=1)[:, : (STEPS + 3) // 4]
    finite = np.isfinite(held)
    count = finite.sum(axis=1)
    total = np.where(finite, held, 0.0)
    mean = total[:, 0]
    for column in range(1, held.shape[1]):
        mean = mean + total[:, column]
    return np.asarray(np.where(count > 0, mean / np.maximum(count, 1), -np.inf))


@dataclass(frozen=True, eq=False)
class Tilts:
    """How feet and toes would turn to lie on the ground: rotation vectors in world space, (F, L, 3) each."""

    foot: Floats
    toes: Floats
    normals: Floats  # (F, L, 3): of the ground that carries the foot; up where there is none
    steep: NDArray[np.bool_]  # (F, L): what is there is too steep to stand on
    missing: NDArray[np.bool_]  # (F, L): nothing is there


def tilts_of(
    rig: FootRig, gait: Gait, seen: Look, up: Floats, size: float, max_angle: float, max_slope: float
) -> Tilts:
    """Give how feet lie on what carries them."""
    points = rig.points
    rise = level(seen.normals, up)
    hit = np.isfinite(seen.heights)
    flat = hit & (rise >= np.cos(max_slope))
    need = np.where(hit, seen.heights - level(gait.points, up), -np.inf)
    most = np.maximum.reduceat(need, points.starts, axis=-1)
    missing = ~np.isfinite(most)
    lack = np.where(flat, np.where(missing, 0.0, most)[:, points.legs] - np.where(flat, need, 0.0), np.inf)
    weight = np.exp(-lack / (0.01 * size))
    steep = ~missing & ~(points.total(weight) > 0)
    behind = _mean_normal(rig, seen.normals, weight * (1 - points.shares), up)
    front = _mean_normal(rig, seen.normals, weight * points.shares, up)
    foot, toes = (_tilt(normals, gait.upright[:, None], max_angle) for normals in (behind, front))
    has_toes = np.array([leg.toe is not None for leg in rig.joints])
    seen_toes = points.total(weight * points.shares) > 0
    seen_foot = points.total(weight * (1 - points.shares)) > 0
    toes = np.where((has_toes & seen_toes)[..., None], toes, foot)
    foot = np.where(seen_foot[..., None], foot, toes)
    turns = np.array([sole.turns for sole in rig.soles])
    return Tilts(
        np.where(turns[:, None], foot, 0.0),
        np.where(turns[:, None], toes, 0.0),
        np.where(seen_foot[..., None], behind, front),
        steep,
        missing,
    )


def _mean_normal(rig: FootRig, normals: Floats, weight: Floats, up: Floats) -> Floats:
    total = np.stack([rig.points.total(weight * normals[..., i]) for i in range(3)], axis=-1)
    length = np.sqrt(level2(total))[..., None]
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), up)


def _tilt(normals: Floats, upright: Floats, max_angle: float) -> Floats:
    """Give the rotation vectors that turn up into normals, no longer than an angle."""
    axis = np.stack(
        [
            upright[..., 1] * normals[..., 2] - upright[..., 2] * normals[..., 1],
            upright[..., 2] * normals[..., 0] - upright[..., 0] * normals[..., 2],
            upright[..., 0] * normals[..., 1] - upright[..., 1] * normals[..., 0],
        ],
        axis=-1,
    )
    sine = np.sqrt(level2(axis))
    angle = np.minimum(np.arctan2(sine, along(normals, upright)), max_angle)
    return np.asarray(axis * (angle / np.where(sine > 0, sine, 1.0))[..., None])
