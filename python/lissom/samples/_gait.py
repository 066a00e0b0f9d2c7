# SPDX-License-Identifier: MIT
"""Walking and running on the spot: feet are planned first, the body is carried by them.

The ground passes backwards under the figure at a constant speed. A foot that stands goes with it: it lands on
the heel, rolls flat, and leaves over the ball of the foot, its toes still flat. Between two steps it follows
a cubic arc that takes up its velocity at both ends. The pelvis is as high as the legs allow, the two-bone
legs are solved exactly, and everything is a function of the phase of the stride, so that the loop has no
seam.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat
from lissom._base.hermite import hermite
from lissom.samples._fields import union
from lissom.samples._motion import KEY_RATE, Figure, X, Y, Z, about, ease, times
from lissom.samples._proportions import BUILDS, Proportions
from lissom.samples._shell import Floats
from lissom.samples._shoe import SOLE_BACK, SOLE_FRONT
from lissom.samples._skeleton import JOINT, joint_positions

_ADULT_LEG = 0.830  # metres, hip to ankle: the unit in which gaits are similar


@dataclass(frozen=True, eq=False)
class Gait:
    """A gait of the adult. Angles in degrees, lengths in metres, phases in strides."""

    speed: float
    period: float
    stance: float  # phase at which a foot leaves the ground
    flat: tuple[float, float]  # phases, within the stance, between which the whole sole is down
    strike: float  # toes up at landing
    push: float  # heel up at leaving
    lift: float  # of the lowest point of the swinging foot above the ground
    rise: float  # exponent of that arc: near 1 a foot leaves and lands steeply, at 2 it skims the ground
    width: float  # of the track of one foot from the middle, relative to its place at rest
    ahead: float  # how far before the hips the ankle lands, as a share of the stance's travel
    vault: float  # how much of the arc over the standing leg the pelvis follows
    bob: float  # half the height of a plain rise and fall instead
    sway: float
    lean: float
    pelvis_yaw: float
    pelvis_tilt: float
    chest_yaw: float
    arm_swing: float
    arm_out: float
    elbow: tuple[float, float]  # mean, and how much it bends and stretches
    crouch: float  # how much shorter than its length a leg may be at most, relative


WALK = Gait(
    speed=1.28, period=1.1, stance=0.61, flat=(0.11, 0.32), strike=-18.0, push=50.0, lift=0.028, rise=1.2,
    width=0.72, ahead=0.42, vault=1.0, bob=0.0, sway=0.022, lean=3.0, pelvis_yaw=7.0, pelvis_tilt=3.0,
    chest_yaw=6.0, arm_swing=22.0, arm_out=7.0, elbow=(22.0, 9.0), crouch=0.002,
)  # fmt: skip
RUN = Gait(
    speed=3.0, period=0.7, stance=0.34, flat=(0.07, 0.14), strike=-8.0, push=52.0, lift=0.19, rise=1.5,
    width=0.45, ahead=0.40, vault=0.0, bob=0.028, sway=0.010, lean=10.0, pelvis_yaw=10.0, pelvis_tilt=4.0,
    chest_yaw=12.0, arm_swing=38.0, arm_out=14.0, elbow=(88.0, 14.0), crouch=0.010,
)  # fmt: skip


def stride(gait: Gait, build: Proportions) -> tuple[int, float]:
    """Return the number of key intervals in a stride of this build, and its speed in metres per second.

    Lengths grow with the leg and times with its square root, as for pendulums (equal Froude numbers).
    """
    scale = _leg_scale(build)
    intervals = round(gait.period * np.sqrt(scale) * KEY_RATE)
    return intervals, gait.speed * gait.period * scale / (intervals / KEY_RATE)


def speeds(gait: Gait) -> dict[str, float]:
    """Speed of every build in metres per second."""
    return {name: stride(gait, build)[1] for name, build in BUILDS.items()}


def cycle(gait: Gait, build: Proportions) -> tuple[Floats, Floats, bool]:
    """Make a stride on the spot that begins as the left heel lands: times (N,), poses (N, J, 10), loop."""
    intervals, speed = stride(gait, build)
    scale = _leg_scale(build)
    phase = np.arange(intervals + 1) % intervals / intervals
    figure = Figure(build, intervals + 1)
    angle = 2.0 * np.pi * phase
    middle = angle - np.pi * gait.stance  # zero when the left foot stands under the body

    offset = np.stack(
        [gait.sway * np.cos(middle), -gait.bob * np.cos(2.0 * middle), 0.006 * np.sin(2.0 * middle)], axis=-1
    )
    figure.move_root(scale * offset)
    pelvis_yaw = -np.radians(gait.pelvis_yaw) * np.cos(angle)
    pelvis_tilt = np.radians(gait.pelvis_tilt) * np.cos(middle)
    lean = np.radians(gait.lean)
    pelvis = times(about(Y, pelvis_yaw), about(X, 0.35 * lean * np.ones_like(phase)), about(Z, pelvis_tilt))
    figure.set("Pelvis", pelvis)

    feet = {
        side: _foot(gait, build, side, (phase + shift) % 1.0, speed)
        for side, shift in (("L", 0.0), ("R", 0.5))
    }
    _lower_pelvis(figure, gait, {side: ankle for side, (ankle, _, _) in feet.items()})
    for side, (ankle, foot, toes) in feet.items():
        figure.place_leg(side, ankle, foot)
        figure.set(f"Toes.{side}", about(X, toes))

    _carry_trunk(figure, gait, angle, pelvis_yaw, pelvis_tilt, lean)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        swing = -sign * np.cos(angle - 0.25)  # the arm follows the opposite leg, a little late
        swing_angle = np.radians(gait.arm_swing) * swing + np.radians(0.12 * gait.arm_swing)
        elbow = np.radians(gait.elbow[0] + gait.elbow[1] * swing)
        figure.set_arm(side, lower=np.radians(41.0 - gait.arm_out), swing=swing_angle, elbow=elbow)
        figure.relax_hand(side, 0.34 if gait.stance > 0.5 else 0.75)
    return np.arange(intervals + 1) / KEY_RATE, figure.poses, True


def _carry_trunk(
    figure: Figure, gait: Gait, angle: Floats, pelvis_yaw: Floats, pelvis_tilt: Floats, lean: float
) -> None:
    """Turn the chest against the pelvis, straighten the spine and keep the head looking ahead."""
    chest_yaw = np.radians(gait.chest_yaw) * np.cos(angle)
    spine_yaw = (chest_yaw - pelvis_yaw) / 3.0
    spine_tilt = -pelvis_tilt / 3.0
    nod = np.radians(1.2) * np.cos(2.0 * angle)
    for name in ("Spine", "Chest", "UpperChest"):
        forwards = lean * 0.65 / 3.0 + nod / 3.0
        figure.set(name, times(about(Y, spine_yaw), about(X, forwards), about(Z, spine_tilt)))
    for name in ("Neck", "Head"):
        figure.set(name, times(about(Y, -0.5 * chest_yaw), about(X, -0.42 * lean - 0.5 * nod)))


def _lower_pelvis(figure: Figure, gait: Gait, ankles: dict[str, Floats]) -> None:
    """Let the pelvis vault over the standing legs, no higher than they reach at any moment."""
    room = np.full(len(figure.poses), np.inf)  # how far the pelvis could still rise
    for side, ankle in ankles.items():
        reach, length = figure.leg_reach(side, ankle)
        longest = (1.0 - gait.crouch) * length
        horizontal = np.sum(reach[:, [0, 2]] ** 2, axis=-1)
        room = np.minimum(room, reach[:, 1] + np.sqrt(longest**2 - horizontal))
    # Two rises in a stride and their first overtone: what is left is smooth and has no seam.
    intervals = len(room) - 1
    phase = np.arange(intervals + 1) % intervals / intervals
    waves = np.exp(2j * np.pi * np.outer((2, 4), phase))
    arc = gait.vault * 2.0 * np.real((waves[:, :-1].conj() @ room[:-1]) @ waves) / intervals
    figure.poses[:, 0, 1] += arc + np.min(room - arc)


def _foot(
    gait: Gait, build: Proportions, side: str, phase: Floats, speed: float
) -> tuple[Floats, Floats, Floats]:
    """Plan one foot by its own phase: ankle (N, 3), rotation of the foot (N, 4), angle of its toes (N,)."""
    intervals, _ = stride(gait, build)
    joints = joint_positions(build)
    ankle_rest, ball_rest = joints[JOINT[f"Foot.{side}"]], joints[JOINT[f"Toes.{side}"]]
    travel = speed * intervals / KEY_RATE  # of the ground in one stride
    heel = np.array([0.0, -ankle_rest[1], SOLE_BACK * build.foot])
    toe_length = SOLE_FRONT * build.foot - (ball_rest[2] - ankle_rest[2])
    ball = ball_rest - ankle_rest  # the joint itself: toes that stay flat then stay in place
    track = ankle_rest[0] * gait.width
    toe_out = about(Y, (1.0 if side == "L" else -1.0) * np.radians(6.0))
    landing = gait.ahead * gait.stance * travel  # of the flat foot's ankle, before the hips

    def stand(at: Floats) -> tuple[Floats, Floats]:
        """Ankle (N, 3) and pitch (N,) of a foot on the ground."""
        down = 1.0 - np.clip(at / gait.flat[0], 0.0, 1.0)
        up = np.clip((at - gait.flat[1]) / (gait.stance - gait.flat[1]), 0.0, None)
        pitch = np.radians(gait.strike) * down**2 + np.radians(gait.push) * up**2 * (1.7 - 0.7 * up)
        pivot = np.where((pitch < 0.0)[:, None], heel, ball)
        flat = np.stack(
            [np.full_like(at, track), np.full_like(at, ankle_rest[1]), landing - travel * at], axis=-1
        )
        return flat + quat.rotate(_repeat(toe_out, at), pivot - quat.rotate(about(X, pitch), pivot)), pitch

    step = 1e-4
    ends, pitches = stand(np.array([gait.stance - step, gait.stance, 0.0, step]))
    swing = 1.0 - gait.stance
    # The landing foot comes from the stride before, one travel further on.
    u = np.clip((phase - gait.stance) / swing, 0.0, 1.0)
    arc, arc_pitch = (
        _hermite(u, path[1], (path[1] - path[0]) / step * swing, path[2], (path[3] - path[2]) / step * swing)
        for path in (ends, pitches)
    )
    ankle, pitch = stand(np.minimum(phase, gait.stance))
    standing = phase <= gait.stance
    pitch = np.where(standing, pitch, arc_pitch)
    # Toes stay flat while the heel rises, and stretch again soon after they leave.
    toes = -np.maximum(pitch, 0.0) * np.where(standing, 1.0, 1.0 - ease(u / 0.5))

    # A swinging foot is as high as its lowest point, heel or toes, needs.
    hump = (4.0 * u * (1.0 - u)) ** gait.rise
    ball_height = quat.rotate(about(X, pitch), _repeat(ball, phase))[:, 1]
    toe_height = ball_height - ball_rest[1] - np.sin(pitch + toes) * toe_length
    heel_height = quat.rotate(about(X, pitch), _repeat(heel, phase))[:, 1]
    lowest = union(toe_height, heel_height, 1e-6 + 0.04 * build.foot * hump)
    arc[:, 1] = gait.lift * _leg_scale(build) * hump - lowest

    ankle = np.where(standing[:, None], ankle, arc)
    foot = times(_repeat(toe_out, phase), about(X, pitch))
    return ankle, foot, toes


def _repeat(row: Floats, along: Floats) -> Floats:
    return np.broadcast_to(row, (len(along), len(row)))


def _hermite(u: Floats, start: Floats, start_rate: Floats, end: Floats, end_rate: Floats) -> Floats:
    """Cubic from `start` to `end` with the given rates per unit of u; values (C,) or numbers."""
    u = u.reshape(u.shape + (1,) * np.ndim(start))
    return hermite(u, start, start_rate, end, end_rate)[0]


def _leg_scale(build: Proportions) -> float:
    joints = joint_positions(build)
    return float(joints[JOINT["UpperLeg.L"], 1] - joints[JOINT["Foot.L"], 1]) / _ADULT_LEG
