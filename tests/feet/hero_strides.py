# SPDX-License-Identifier: MIT
"""Strides of the sample humanoid, and uneven grounds to take them on."""

import numpy as np

from feet_grounds import Slope, Stair
from lissom import samples, trs
from lissom.ik import Leg, find_contacts

HERO = samples.humanoid()
LEGS = Leg.find(HERO)
WALK = HERO.clips["walk"]
RATE = 60
FIELDS = [
    *("poses", "contacts", "targets", "ground_heights", "normals", "offsets", "body_offset", "weights"),
    *("residuals", "reached", "airborne", "too_far"),
]

# Positions in units of the size: the sample's skin weights are float32, the mathematics is float64.
SAME = 1e-9
UNCHANGED = 1e-4


def strides(count=1.0, rate=RATE):
    """Times, poses and world of so many strides of the walk: one takes it well onto each of the grounds."""
    times = np.arange(round(count * WALK.duration * rate) + 1) / rate
    return times, WALK.sample(times).astype(np.float64), WALK.root_motion.at(times)


def contacts_at(times):
    return find_contacts(WALK, LEGS, character=HERO).sample(times)


def rubble(origins, directions):
    """Smooth humps of a few centimetres."""
    x, _, z = origins.T
    height = 0.05 * np.sin(3 * x + 1) * np.sin(4 * z) + 0.04 * z
    slope_x = 0.15 * np.cos(3 * x + 1) * np.sin(4 * z)
    slope_z = 0.2 * np.sin(3 * x + 1) * np.cos(4 * z) + 0.04
    normal = np.stack([-slope_x, np.ones_like(x), -slope_z], axis=1)
    return origins[:, 1] - height, normal / np.linalg.norm(normal, axis=1, keepdims=True)


GROUNDS = {"rubble": rubble, "stair": Stair(0.12, 0.35, 0.4), "slope": Slope(15, 0.4)}


def world_vertices(poses, world):
    return trs.transform_point(world[:, None], HERO.deform(poses))
