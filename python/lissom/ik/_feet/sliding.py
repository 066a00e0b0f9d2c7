# SPDX-License-Identifier: MIT
"""Sliding of feet over the ground, and the rigid motions that take it back.

All motion is in the plane of the ground, so points are complex numbers and a rigid motion is
``rotation * z + translation`` with ``|rotation| = 1``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom._base.hermite import hermite
from lissom.ik._axes import Floats
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.stances import Spans

Plane = NDArray[np.complex128]

HELD = 0.001  # of the size: points this much over the lowest one are held with e^-1 of its weight
SPREAD = 0.003  # of the size: points nearer to each other than this do not determine a rotation


@dataclass(frozen=True, eq=False)
class GroundPath:
    """The motion of the poses over the ground, frame by frame.

    Frames of a loop continue beyond its end, as the motion through the world does.
    """

    times: Floats  # (F,) without the end of a loop
    period: float | None
    world_from_model: Floats  # (2 F + 1, 10) rigid trs; (F, 10) without a loop
    plane_axes_model: tuple[Floats, Floats]  # unit vectors of the plane
    size: float

    def from_plane(self, vectors: Plane) -> Floats:
        """Return vectors of the plane as vectors (..., 3)."""
        first, second = self.plane_axes_model
        return np.asarray(vectors.real[..., None] * first + vectors.imag[..., None] * second)

    def on_ground(self, frames: NDArray[np.intp], points_model: Floats) -> Plane:
        """Return points (F, ..., 3) of the poses on the ground of the world, at `frames`."""
        rows = points_model[frames % len(self.times)]
        world = self.world_from_model[frames].reshape(len(frames), *(1,) * (rows.ndim - 2), 10)
        points = trs.transform_point(world, rows)
        first, second = self.plane_axes_model
        return np.asarray(points @ first + 1j * (points @ second))

    def to_world(self, frames: NDArray[np.intp], vectors_model: Floats) -> Floats:
        """Return vectors (N, 3) of model space in world space, at `frames`."""
        return np.asarray(quat.rotate(self.world_from_model[frames, 3:7], vectors_model))

    def to_model(self, frames: NDArray[np.intp], vectors_world: Floats) -> Floats:
        """Return vectors (N, 3) of world space in model space, at `frames`."""
        return np.asarray(quat.rotate(quat.conjugate(self.world_from_model[frames, 3:7]), vectors_world))


@dataclass(frozen=True, eq=False)
class PlaneMotions:
    """Rigid motions of a foot over the ground, one for each of N consecutive frames."""

    rotations: Plane  # (N,) of magnitude 1
    translations: Plane  # (N,)

    def displacements(self, points: Plane) -> Plane:
        """Return the displacements of points (N,)."""
        return np.asarray(self.rotations * points + self.translations - points)


def holding_motions(points: Plane, weights: Floats, spread: float) -> PlaneMotions:
    """Return the motions that keep the supporting points of a foot in place.

    `points` (N, P) and `weights` (N, P), which sum to 1, are those of a foot in consecutive frames. From one
    frame to the next, the points that support it in both stay in place, as well as one rigid motion of all
    points allows (Procrustes). The motion of the first frame is chosen so that the foot stays as near to its
    original path as possible.
    """
    count = len(points)
    rotations, translations = np.ones(count, complex), np.zeros(count, complex)
    for k in range(1, count):
        both = 0.5 * (weights[k - 1] + weights[k])
        held = rotations[k - 1] * points[k - 1] + translations[k - 1]
        center_held, center = both @ held, both @ points[k]
        rest = rotations[k - 1] * (points[k] - center)
        covariance = both @ (np.conj(rest) * (held - center_held)) + spread**2
        rotations[k] = rotations[k - 1] * covariance / abs(covariance)
        translations[k] = center_held - rotations[k] * center
    moved = rotations[:, None] * points + translations[:, None]
    center_moved, center = np.sum(weights * moved) / count, np.sum(weights * points) / count
    covariance = np.sum(weights * np.conj(moved - center_moved) * (points - center)) / count + spread**2
    rotation = covariance / abs(covariance)
    return PlaneMotions(rotation * rotations, rotation * translations + center - rotation * center_moved)


def closed_loop(motions: PlaneMotions) -> PlaneMotions:
    """Return the first N of motions (N + 1,) around a loop, the difference of its ends spread over all."""
    share = np.linspace(0, 1, len(motions.rotations))
    difference = motions.rotations[0] / motions.rotations[-1]
    rotations = motions.rotations * np.exp(1j * share * np.angle(difference))
    translations = motions.translations + share * (motions.translations[0] - motions.translations[-1])
    return PlaneMotions(rotations[:-1], translations[:-1])


def stances_of(stands: NDArray[np.bool_], path: GroundPath) -> tuple[tuple[int, int], ...]:
    """Return first and last frame of each stance of a foot."""
    return Spans.of(stands, path.times, path.period).spans


def slide_distances(
    path: GroundPath, soles: SolePoints, points: Floats, heights: Floats, stands: NDArray[np.bool_]
) -> Floats:
    """Return the largest distance that the support of each foot slides in one stance, (L,)."""
    weights = soles.support(heights, path.size, HELD)
    result = np.zeros(stands.shape[1])
    for leg in range(stands.shape[1]):
        own = soles.legs == leg
        for first, last in stances_of(stands[:, leg], path):
            frames = np.arange(first, last + 1)
            on_ground = path.on_ground(frames, points[:, own])
            both = weights[frames % len(path.times)][:, own]
            both = 0.5 * (both[1:] + both[:-1])
            slid = np.cumsum(np.append(0, np.sum(both * np.diff(on_ground, axis=0), axis=1)))
            result[leg] = max(result[leg], np.abs(slid[:, None] - slid).max())
    return result


def frames_between(count: int, begin: Floats, end: Floats, begin_step: Floats, end_step: Floats) -> Floats:
    """Return the frames between two values, `count` frames apart, of the cubic with these steps per frame."""
    u = (np.arange(1, count) / count)[:, None]
    return hermite(u, begin, count * begin_step, end, count * end_step)[0]
