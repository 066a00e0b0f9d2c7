# SPDX-License-Identifier: MIT
"""Foot placement, step by step: frames in, frames out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom._base.easing import smoothstep
from lissom.ground import Ground
from lissom.ik._axes import Floats
from lissom.ik._feet.checks import refuse_distorted
from lissom.ik._feet.foot_lift import contact_lifts, edges_of, rotated_soles
from lissom.ik._feet.foot_lock import LockState, LockStates, locked_motion
from lissom.ik._feet.foot_rig import STRAIGHT, FootRig
from lissom.ik._feet.gait import Gait, gait_of
from lissom.ik._feet.ground_probe import probe_ground
from lissom.ik._feet.heels import heels_of
from lissom.ik._feet.lean import Lean, leans_of
from lissom.ik._feet.leg_solver import LegSolver, SolvedLegs
from lissom.ik._feet.pose import Goals, posed
from lissom.ik._feet.smoothing import (
    LiftTargets,
    SmoothedLifts,
    SmoothingSettings,
    SmoothingState,
    smoothed_leans,
    smoothed_lifts,
    smoothed_tilts,
)
from lissom.ik._feet.springs import rate_of
from lissom.ik._feet.tilts import tilts_of
from lissom.ik._feet.vectors import dot, horizontal, squared_length, transformed_points

HORIZON = 0.2  # seconds that swinging feet look ahead
RELEASE = 0.08  # seconds: time constant by which a locked foot returns to the animation
FOLDED = 0.35  # of a leg's length: bodies are raised so that legs need not be shorter
CLIMB = 0.6  # of the rise of the ground that the body follows without the lag of its spring
STRIDE = 0.6  # of a leg's length: half the path that is probed below the body
NEAR, OFF = 0.004, 0.012  # of the size: without contacts, a lower foot stands and a higher one does not
STANDING, TRAVELLING = 0.1, 0.4  # leg lengths per second: slower bodies stand, faster ones travel


@dataclass(frozen=True, eq=False)
class Setting:
    """The arguments of `FootPlacement` that stay the same for all frames."""

    rig: FootRig
    solver: LegSolver
    up: Floats
    smoothing: SmoothingSettings
    max_angle: float
    max_slope: float
    ray_height: float
    body_time: float
    lock: float
    lock_radius: float
    lean: Lean


class FootState:
    """The state of one character that is kept between frames."""

    def __init__(self, legs: int) -> None:
        self.lock = LockState()
        self.smoothing = SmoothingState(legs)

    def copy(self) -> FootState:
        """Return a copy for the next frame to change, so that a frame that fails changes nothing."""
        other = FootState(0)
        other.lock, other.smoothing = replace(self.lock), self.smoothing.copy()
        return other

    def leans(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats:
        """Return rotation vectors of the body, (F, 3), that follow their targets."""
        return smoothed_leans(self.smoothing, targets.tolist(), dt.tolist(), settings)

    def tilts(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats:
        """Return rotation vectors of feet and toes, (F, L, 6), that follow their targets."""
        return smoothed_tilts(self.smoothing, targets.tolist(), dt.tolist(), settings)

    def lifts(self, targets: LiftTargets, dt: Floats, settings: SmoothingSettings) -> SmoothedLifts:
        """Return lifts of feet and body that follow the ground."""
        return smoothed_lifts(self.smoothing, targets, dt.tolist(), settings)


class FootStates(Protocol):
    """What is kept between frames: of one character, frame after frame, or of many, a frame each."""

    @property
    def lock(self) -> LockStates: ...
    def leans(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats: ...
    def tilts(self, targets: Floats, dt: Floats, settings: SmoothingSettings) -> Floats: ...
    def lifts(self, targets: LiftTargets, dt: Floats, settings: SmoothingSettings) -> SmoothedLifts: ...


def place_feet(
    what: str,
    setting: Setting,
    ground: Ground,
    body_ground: Ground,
    state: FootStates,
    input_poses: NDArray[Any],
    dt: Floats,
    contacts: Floats | None,
    world_from_model: Floats | None,
    each: str = "frame",
) -> dict[str, NDArray[Any]]:
    """Place the feet of poses (F, J, 10) on the ground; return the arrays of a `FootResult`.

    `each` is what has a pose, in errors: a frame, or a row of players.
    """
    rig, up, smoothing = setting.rig, setting.up, setting.smoothing
    poses = rig.rig.with_added(input_poses.astype(np.float64))
    gait = gait_of(rig, poses, world_from_model, up)
    refuse_distorted(what, rig, gait.model_from_joint, each)
    trusted = contacts is not None
    pins = np.zeros_like(gait.lowest_heights) if contacts is None else (contacts * contacts) ** 2
    if contacts is None:
        contacts = 1.0 - smoothstep(gait.lowest_heights / rig.rig.size, NEAR, OFF)
    motion = locked_motion(
        rig, state.lock, gait, contacts, dt, up, setting.lock, setting.lock_radius, RELEASE, trusted
    )
    length = float(rig.lengths.mean())
    band = max(smoothing.max_step_up, smoothing.max_step_down)
    body_velocity = motion.body_velocity_world
    lead = 0.0 if setting.body_time == 0 else 2.0 / rate_of(setting.body_time)
    probe = probe_ground(
        rig,
        gait,
        motion,
        ground,
        body_ground,
        up,
        setting.ray_height,
        HORIZON,
        STRIDE * length,
        lead,
        band,
    )
    leans = leans_of(
        rig,
        setting.lean,
        gait,
        body_ground,
        probe.center_world,
        up,
        setting.ray_height,
        band,
        setting.max_slope,
    )
    tilts = tilts_of(rig, gait, probe, up, rig.rig.size, setting.max_angle, setting.max_slope)
    leans = state.leans(leans, dt, smoothing)
    hips_world = _leaned_hips(gait, quat.from_rotation_vector(leans))
    tilt_targets = np.concatenate([tilts.foot_world, tilts.toes_world], axis=-1) * contacts[..., None]
    smooth_tilts = state.tilts(tilt_targets, dt, smoothing).reshape(*contacts.shape, 2, 3)
    rotations_world = quat.from_rotation_vector(smooth_tilts)
    soles_world = gait.points_world + motion.slides_world[:, rig.points.legs]
    edges = edges_of(rig, gait, probe, soles_world, ground, up, setting.ray_height)
    aligned_world = rotated_soles(rig, gait, rotations_world)
    lifts = contact_lifts(rig, probe, edges, aligned_world, aligned_world - gait.points_world, up)
    speed = np.sqrt(squared_length(body_velocity))
    # Uphill the reach of legs limits the body. It cannot be seen ahead, as ground can: no lag may add to it.
    climb = CLIMB * np.maximum(probe.rise, 0.0) * speed
    travel = smoothstep(speed / length, STANDING, TRAVELLING)
    heels = heels_of(
        rig,
        gait,
        hips_world,
        aligned_world,
        rotations_world[:, :, 0],
        body_velocity,
        up,
        travel,
    )
    highest_body, lowest_body = _body_range(rig, gait, hips_world, motion.slides_world, up)
    smooth_lifts = state.lifts(
        LiftTargets(
            contact_lifts=lifts,
            ahead=probe.ahead,
            lowest_heights=gait.lowest_heights,
            contacts=contacts,
            pins=pins,
            standable=~tilts.steep,
            highest_body=highest_body,
            lowest_body=lowest_body,
            must_reach=1.0 - heels.trailing * (1.0 - contacts),
            hip_rises=dot(hips_world - gait.hips_world, up),
            path=probe.path - climb * lead,
            climb=climb,
            travel=travel,
        ),
        dt,
        smoothing,
    )
    blends = smooth_lifts.blends
    world_rotation = gait.world_rotation[:, None]
    model_rotation = quat.conjugate(world_rotation)
    blended_world = quat.from_rotation_vector(smooth_tilts * blends[..., None, None])
    hips_world = hips_world + (smooth_lifts.body[:, None] * up)[:, None]

    lean_model = quat.rotate(quat.conjugate(gait.world_rotation), leans)

    def solved(offsets: Floats) -> tuple[Floats, Floats, SolvedLegs]:
        """Return displacements of the ankles in world space, angles by which heels rise, and the poses."""
        displacements_world = motion.slides_world * blends[..., None] + offsets[..., None] * up
        angles = heels.angles(hips_world, gait.ankles_world + displacements_world)
        angles = np.minimum(angles, heels.largest * blends)
        displacements_world = displacements_world + heels.rises(angles)
        feet_world = quat.multiply(heels.rotations(angles), blended_world[:, :, 0])
        turned_world = np.stack([feet_world, blended_world[:, :, 1]], axis=2)
        rotations_model = quat.multiply(
            model_rotation[:, :, None], quat.multiply(turned_world, world_rotation[:, :, None])
        )
        displacements_model = quat.rotate(model_rotation, displacements_world)
        goals = Goals(gait.up_model, smooth_lifts.body, lean_model, displacements_model, rotations_model)
        return displacements_world, angles, posed(rig, setting.solver, gait, poses, goals)

    displacements_world, angles, done = solved(smooth_lifts.offsets)
    # Soles also move with heels that rise, and skin between shin and foot with the shin, known only now.
    again = np.any(angles > 0, axis=1, keepdims=True) | rig.is_soft
    if again.any():
        posed_world = rig.points.at(rig.skeleton.model_matrices(done.poses))
        if world_from_model is not None:
            posed_world = transformed_points(trs.to_matrix(world_from_model)[:, None], posed_world)
        edges = edges_of(rig, gait, probe, posed_world, ground, up, setting.ray_height)
        remaining = contact_lifts(rig, probe, edges, posed_world, posed_world - soles_world, up)
        with np.errstate(invalid="ignore"):  # over nothing
            error = np.where(np.isfinite(remaining), remaining - (lifts - smooth_lifts.offsets), 0.0)
        error = np.where(again, error, 0.0)
        displacements_world, _, done = solved(smooth_lifts.offsets + error * blends)
    ground_heights = lifts + rig.points.lowest(dot(gait.points_world, up))
    return {
        "poses": rig.rig.without_added(done.poses).astype(input_poses.dtype, copy=False),
        "contacts": contacts,
        "targets": gait.ankles_world + displacements_world,
        "ground_heights": np.where(tilts.missing, np.nan, ground_heights),
        "normals": tilts.normals_world,
        "offsets": smooth_lifts.offsets,
        "body_offset": smooth_lifts.body,
        "weights": blends,
        "residuals": done.residuals,
        "reached": done.reached,
        "airborne": smooth_lifts.airborne,
        "too_far": smooth_lifts.too_far,
    }


def _leaned_hips(gait: Gait, rotations_world: Floats) -> Floats:
    """Return hips (F, L, 3) in world space, rotated about their middle."""
    center = gait.hips_world.sum(axis=1)[:, None] / gait.hips_world.shape[1]
    return np.asarray(center + quat.rotate(rotations_world[:, None], gait.hips_world - center))


def _body_range(
    rig: FootRig, gait: Gait, hips_world: Floats, slides_world: Floats, up: Floats
) -> tuple[Floats, Floats]:
    """Return how much more than its foot the body may be raised, and must be, for each leg, (F, L)."""
    legs_world = hips_world - gait.ankles_world
    length = np.sqrt(squared_length(legs_world))
    beside = squared_length(horizontal(legs_world - slides_world, up))
    drop = dot(legs_world, up)
    longest = np.maximum(STRAIGHT * rig.lengths, length)
    shortest = np.minimum(FOLDED * rig.lengths, length)
    return (
        np.sqrt(np.maximum(longest * longest - beside, 0.0)) - drop,
        np.sqrt(np.maximum(shortest * shortest - beside, 0.0)) - drop,
    )
