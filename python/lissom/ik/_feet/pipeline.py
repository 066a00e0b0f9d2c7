# SPDX-License-Identifier: MIT
"""Foot placement, step by step: frames in, frames out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom._base.smoothstep import smoothstep
from lissom.ground import Ground
from lissom.ik._feet.checks import refuse_distorted
from lissom.ik._feet.foot_lift import edges_of, needed_lift, turned_soles
from lissom.ik._feet.foot_lock import SlideState, moves_of
from lissom.ik._feet.ground_probe import Gait, flattened, gait_of, level, level2, look, tilts_of
from lissom.ik._feet.leg_solver import LegSolver
from lissom.ik._feet.pose import Goals, Posed, posed
from lissom.ik._feet.rig import STRAIGHT, Floats, FootRig
from lissom.ik._feet.sole_points import moved
from lissom.ik._feet.springs import rate_of
from lissom.ik._feet.steps import BodyState, Lifts, Ways, follow_heights, follow_tilts

HORIZON = 0.2  # seconds: how far swinging feet look ahead
RELEASE = 0.08  # seconds in which a foot that was held returns to e^-1 of the distance
FOLDED = 0.35  # of a leg's length: bodies are raised so that legs need not be shorter
STRIDE = 0.6  # of a leg's length: half the way looked at below the body
NEAR, OFF = 0.004, 0.012  # of the size: a foot lower than this stands, a higher one does not, if nobody says


@dataclass(frozen=True, eq=False)
class Setting:
    """What does not change from frame to frame: see `FootPlacement`."""

    rig: FootRig
    solver: LegSolver
    up: Floats
    ways: Ways
    max_angle: float
    max_slope: float
    above: float
    body_time: float
    lock: float
    lock_radius: float


class FootState:
    """What is remembered between frames."""

    def __init__(self, legs: int) -> None:
        self.slide = SlideState()
        self.body = BodyState(legs)

    def copy(self) -> FootState:
        """Give another for the next frame to change, so that a frame that fails changes nothing."""
        other = FootState(0)
        other.slide, other.body = replace(self.slide), self.body.copy()
        return other


def placed(
    what: str,
    setting: Setting,
    ground: Ground,
    state: FootState,
    given: NDArray[Any],
    dt: Floats,
    contacts: Floats | None,
    world: Floats | None,
) -> dict[str, NDArray[Any]]:
    """Put the feet of poses (F, J, 10) on the ground; give the arrays of a `FootResult`."""
    rig, up, ways = setting.rig, setting.up, setting.ways
    poses = given.astype(np.float64)
    gait = gait_of(rig, poses, world, up)
    refuse_distorted(what, rig, gait.model)
    trusted = contacts is not None
    pins = np.zeros_like(gait.lowest) if contacts is None else (contacts * contacts) ** 2
    if contacts is None:
        contacts = 1.0 - smoothstep(gait.lowest / rig.rig.size, NEAR, OFF)
    moves = moves_of(
        rig, state.slide, gait, contacts, dt, up, setting.lock, setting.lock_radius, RELEASE, trusted
    )
    length = float(rig.lengths.mean())
    lead = 0.0 if setting.body_time == 0 else 2.0 / rate_of(setting.body_time)
    seen = look(
        rig, gait, moves.slides, moves.pace, moves.way, ground, up, setting.above,
        HORIZON, STRIDE * length, lead,
    )  # fmt: skip
    tilts = tilts_of(rig, gait, seen, up, rig.rig.size, setting.max_angle, setting.max_slope)
    steps = dt.tolist()
    lying = np.concatenate([tilts.foot, tilts.toes], axis=-1) * contacts[..., None]
    followed = follow_tilts(state.body, lying.tolist(), steps, ways)
    turns = quat.from_rotation_vector(followed.reshape(*contacts.shape, 2, 3))
    places = gait.points + moves.slides[:, rig.points.legs]
    edges = edges_of(rig, gait, seen, places, ground, up, setting.above)
    lying_points = turned_soles(rig, gait, turns)
    needed = needed_lift(rig, seen, edges, lying_points, lying_points - gait.points, up)
    room, fold = _room(rig, gait, moves.slides, up)
    heights = follow_heights(
        state.body,
        Lifts(
            needed=needed.tolist(),
            ahead=seen.ahead.tolist(),
            lowest=gait.lowest.tolist(),
            contacts=contacts.tolist(),
            pins=pins.tolist(),
            standable=(~tilts.steep).tolist(),
            room=room.tolist(),
            fold=fold.tolist(),
            path=seen.path.tolist(),
            hurry=_hurry(moves.way, length).tolist(),
        ),
        steps,
        ways,
    )
    turn = gait.turn[:, None]
    back = quat.conjugate(turn)
    blended = quat.from_rotation_vector(
        followed.reshape(*contacts.shape, 2, 3) * heights.blends[..., None, None]
    )
    body_turns = quat.multiply(back[:, :, None], quat.multiply(blended, turn[:, :, None]))

    def solved(offsets: Floats) -> tuple[Floats, Posed]:
        lifted = moves.slides * heights.blends[..., None] + offsets[..., None] * up
        goals = Goals(gait.up_model, heights.body, quat.rotate(back, lifted), body_turns)
        return lifted, posed(rig, setting.solver, gait, poses, goals)

    lifted, done = solved(heights.offsets)
    if rig.is_soft:
        # Skin between shin and foot moves with the shin, too, which is known only now.
        soles = rig.points.at(rig.skeleton.model_matrices(done.poses))
        soles = soles if world is None else moved(trs.to_matrix(world)[:, None], soles)
        edges = edges_of(rig, gait, seen, soles, ground, up, setting.above)
        left = needed_lift(rig, seen, edges, soles, soles - places, up)
        with np.errstate(invalid="ignore"):  # over nothing
            error = np.where(np.isfinite(left), left - (needed - heights.offsets), 0.0)
        lifted, done = solved(heights.offsets + error * heights.blends)
    carried = needed + rig.points.lowest(level(gait.points, up))
    return {
        "poses": done.poses.astype(given.dtype, copy=False),
        "contacts": contacts,
        "targets": gait.ankles + lifted,
        "ground_heights": np.where(tilts.missing, np.nan, carried),
        "normals": tilts.normals,
        "offsets": heights.offsets,
        "body_offset": heights.body,
        "weights": heights.blends,
        "residuals": done.residuals,
        "reached": done.reached,
        "airborne": heights.airborne,
        "too_far": heights.too_far,
    }


def _room(rig: FootRig, gait: Gait, slides: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Give how much higher than its foot the body may be raised, and must be, for each leg, (F, L)."""
    arm = gait.hips - gait.ankles
    length = np.sqrt(level2(arm))
    beside = level2(flattened(arm - slides, up))
    drop = level(arm, up)
    most, least = (
        np.maximum(STRAIGHT * rig.lengths, length),
        np.minimum(FOLDED * rig.lengths, length),
    )
    return (
        np.sqrt(np.maximum(most * most - beside, 0.0)) - drop,
        np.sqrt(np.maximum(least * least - beside, 0.0)) - drop,
    )


def _hurry(way: Floats, length: float) -> Floats:
    """Give 1 where the body travels faster than 0.4 leg lengths a second, 0 where it stands, (F,)."""
    return smoothstep(np.sqrt(level2(way)) / length, 0.1, 0.4)
