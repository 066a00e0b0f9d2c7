# SPDX-License-Identifier: MIT
"""Heels of trailing feet, which rise while the toes stay, before the body is lowered for them.

Up a slope the rear foot is lower than the front one by the rise of a whole stride. People do not crouch for
it: they push off from the ball of the foot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom import quat
from lissom._base.easing import smoothstep
from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.vectors import cross, dot, horizontal, squared_length

LARGEST = np.radians(50)  # by which a heel rises more than in the animation
STEEPEST = np.radians(88)  # from ankle to ball, below the horizontal: heels rise no farther
BEHIND = 0.2  # of a leg's length: a foot this far behind its hip may raise its heel so far
STRETCHED = 0.985  # of a leg's length: heels rise so that legs that are bent need not be longer
FRONT = 0.01  # of the size: where there are no toes, points this far behind the foremost count e^-1 as much


@dataclass(frozen=True, eq=False)
class Heels:
    """How far the heels of trailing feet may rise, and about what."""

    balls_world: Floats  # (F, L, 3): from the ankle to the ball of the foot, which stays
    axes_world: Floats  # (F, 1, 3): unit, or zero where the body stands
    largest: Floats  # (F, L): radians
    trailing: Floats  # (F, L): 1 of feet that are far behind their hips, 0 of others
    lengths: Floats  # (F, L): of legs that need no rise

    def angles(self, hips_world: Floats, ankles_world: Floats) -> Floats:
        """Return the least angles that bring ankles near enough to their hips, as far as may be, (F, L)."""
        arms = -self.balls_world
        legs = hips_world - ankles_world - self.balls_world
        along = dot(arms, self.axes_world) * dot(legs, self.axes_world)
        # The product of leg and raised arm is along + cosine cos(angle) + sine sin(angle).
        cosine, sine = dot(arms, legs) - along, dot(cross(self.axes_world, arms), legs)
        needed = 0.5 * (squared_length(arms) + squared_length(legs) - self.lengths * self.lengths) - along
        most = np.sqrt(cosine * cosine + sine * sine)
        share = np.minimum(needed / np.where(most > 0, most, 1.0), 1.0)
        angle = np.arctan2(sine, cosine) - np.arccos(np.maximum(share, -1.0))
        is_near = (needed <= cosine) | (most == 0)
        return np.asarray(np.where(is_near, 0.0, np.clip(angle, 0.0, self.largest)))

    def rotations(self, angles: Floats) -> Floats:
        """Return the rotations of feet in world space, (F, L, 4)."""
        return quat.from_rotation_vector(self.axes_world * angles[..., None])

    def rises(self, angles: Floats) -> Floats:
        """Return the displacements of ankles in world space, (F, L, 3)."""
        rotated = quat.rotate(self.rotations(angles), self.balls_world)
        return np.where((angles > 0)[..., None], self.balls_world - rotated, 0.0)


def heels_of(
    rig: FootRig,
    gait: Gait,
    hips_world: Floats,
    aligned_world: Floats,
    rotations_world: Floats,
    body_velocity_world: Floats,
    up: Floats,
    travel: Floats,
) -> Heels:
    """Return the heels of feet that are aligned with the ground.

    `aligned_world` (F, P, 3) are their soles, `rotations_world` (F, L, 4) the rotations of the feet, and
    `travel` (F,) is 0 where the body stands.
    """
    speed = np.sqrt(squared_length(body_velocity_world))
    heading = (body_velocity_world / np.where(speed > 0, speed, 1.0)[:, None])[:, None]
    toes = quat.rotate(rotations_world, gait.toes_world - gait.ankles_world)
    balls = np.where(
        _has_toes(rig)[:, None], toes, _foremost(rig, aligned_world, heading) - gait.ankles_world
    )
    legs_world = hips_world - gait.ankles_world
    length = np.maximum(STRETCHED * rig.lengths, np.sqrt(squared_length(legs_world)))
    behind = dot(legs_world, heading) / rig.lengths
    turns = np.array([sole.turns for sole in rig.soles])
    trailing = turns * smoothstep(behind, 0.0, BEHIND) * travel[:, None]
    steep = np.arctan2(-dot(balls, up), np.sqrt(squared_length(horizontal(balls, up))))
    largest = np.clip(STEEPEST - steep, 0.0, LARGEST) * trailing
    return Heels(balls, cross(up, heading), largest, trailing, length)


def _has_toes(rig: FootRig) -> Floats:
    return np.array([leg.toe is not None for leg in rig.joints])


def _foremost(rig: FootRig, points_world: Floats, heading: Floats) -> Floats:
    """Return the foremost points of soles, (F, L, 3)."""
    ahead = dot(points_world, heading)
    first = np.maximum.reduceat(ahead, rig.points.starts, axis=-1)[:, rig.points.legs]
    weight = np.exp((ahead - first) / (FRONT * rig.rig.size))
    total = rig.points.total(weight)
    return np.stack([rig.points.total(weight * points_world[..., i]) / total for i in range(3)], axis=-1)
