# SPDX-License-Identifier: MIT
"""The rotations that align feet and toes with the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.gait import Gait
from lissom.ik._feet.ground_probe import GroundProbe
from lissom.ik._feet.vectors import cross, dot, squared_length

GAP_SCALE = 0.01  # of the size: points this much farther from the ground count e^-1 as much


@dataclass(frozen=True, eq=False)
class Tilts:
    """Rotation vectors in world space that align feet and toes with the ground, (F, L, 3) each."""

    foot_world: Floats
    toes_world: Floats
    normals_world: Floats  # (F, L, 3): of the ground that supports the foot; up where there is none
    steep: NDArray[np.bool_]  # (F, L): the ground is too steep to stand on
    missing: NDArray[np.bool_]  # (F, L): no ray hit the ground


def tilts_of(
    rig: FootRig, gait: Gait, probe: GroundProbe, up: Floats, size: float, max_angle: float, max_slope: float
) -> Tilts:
    """Return the tilts by which feet lie on the ground that supports them."""
    points, normals = rig.points, probe.normals_world
    hit = np.isfinite(probe.heights)
    flat = hit & (dot(normals, up) >= np.cos(max_slope))
    lift = np.where(hit, probe.heights - dot(gait.points_world, up), -np.inf)
    highest = np.maximum.reduceat(lift, points.starts, axis=-1)
    missing = ~np.isfinite(highest)
    gap = np.where(flat, np.where(missing, 0.0, highest)[:, points.legs] - np.where(flat, lift, 0.0), np.inf)
    weight = np.exp(-gap / (GAP_SCALE * size))
    steep = ~missing & ~(points.total(weight) > 0)
    foot_normals = _mean_normal(rig, normals, weight * (1 - points.shares), up)
    toe_normals = _mean_normal(rig, normals, weight * points.shares, up)
    foot, toes = (
        _tilt(normal, gait.floor_normal_world[:, None], max_angle) for normal in (foot_normals, toe_normals)
    )
    has_toes = np.array([leg.toe is not None for leg in rig.joints])
    toes_supported = points.total(weight * points.shares) > 0
    foot_supported = points.total(weight * (1 - points.shares)) > 0
    toes = np.where((has_toes & toes_supported)[..., None], toes, foot)
    foot = np.where(foot_supported[..., None], foot, toes)
    rotates = np.array([sole.turns for sole in rig.soles])
    return Tilts(
        np.where(rotates[:, None], foot, 0.0),
        np.where(rotates[:, None], toes, 0.0),
        np.where(foot_supported[..., None], foot_normals, toe_normals),
        steep,
        missing,
    )


def _mean_normal(rig: FootRig, normals: Floats, weight: Floats, up: Floats) -> Floats:
    """Return the unit weighted means of the points' normals, (F, L, 3); up where all weights are 0."""
    total = np.stack([rig.points.total(weight * normals[..., i]) for i in range(3)], axis=-1)
    length = np.sqrt(squared_length(total))[..., None]
    return np.where(length > 0, total / np.where(length > 0, length, 1.0), up)


def _tilt(normals: Floats, floor_normals: Floats, max_angle: float) -> Floats:
    """Return the rotation vectors from floor normals to normals, of `max_angle` at most."""
    axis = cross(floor_normals, normals)
    sine = np.sqrt(squared_length(axis))
    angle = np.minimum(np.arctan2(sine, dot(normals, floor_normals)), max_angle)
    return np.asarray(axis * (angle / np.where(sine > 0, sine, 1.0))[..., None])
