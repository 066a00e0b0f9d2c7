# SPDX-License-Identifier: MIT
"""How feet must be moved over the ground so that what carries them does not slide.

All movement is in the plane of the ground, so points are complex numbers and a rigid move is
``turn * z + way`` with ``|turn| = 1``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.stances import Spans

Floats = NDArray[np.float64]
Plane = NDArray[np.complex128]

SPREAD = 0.003  # of the size: points nearer to each other than this do not tell how a foot turns


@dataclass(frozen=True, eq=False)
class GroundPath:
    """Where the ground is under the poses, frame by frame, and what stands on it when.

    Frames of a loop go on after its end: the world goes on, too.
    """

    times: Floats  # (F,) without the end of a loop
    period: float | None
    world: Floats  # (2 F + 1, 10) world_from_model; of what is no loop (F, 10)
    across: tuple[Floats, Floats]  # unit vectors in the plane, in model space
    size: float

    def in_plane(self, points: Floats) -> Plane:
        """Give points (..., 3) in the plane of the ground."""
        return np.asarray(points @ self.across[0] + 1j * (points @ self.across[1]))

    def of_plane(self, ways: Plane) -> Floats:
        """Give vectors (..., 3) of those in the plane."""
        return np.asarray(ways.real[..., None] * self.across[0] + ways.imag[..., None] * self.across[1])

    def at(self, frames: NDArray[np.intp], points: Floats) -> Plane:
        """Give where points (F, ..., 3) of the poses are on the ground at `frames`."""
        own = points[frames % len(self.times)]
        world = self.world[frames].reshape(len(frames), *(1,) * (own.ndim - 2), 10)
        return self.in_plane(trs.transform_point(world, own))

    def turned(self, frames: NDArray[np.intp], vectors: Floats, *, back: bool = False) -> Floats:
        """Give vectors (N, 3) of model space in the world, or back."""
        rotations = self.world[frames, 3:7]
        return np.asarray(quat.rotate(quat.conjugate(rotations) if back else rotations, vectors))


@dataclass(frozen=True, eq=False)
class Moves:
    """Rigid moves of a foot over the ground, for frames that follow each other."""

    turns: Plane  # (N,) |turn| = 1
    ways: Plane  # (N,)

    def of(self, points: Plane) -> Plane:
        """Give by how much points (N,) are moved."""
        return np.asarray(self.turns * points + self.ways - points)


def holding(points: Plane, weights: Floats, spread: float) -> Moves:
    """Give the moves that keep what carries a foot where it is.

    `points` (N, P) and `weights` (N, P), which add up to 1, are those of a foot in frames that follow each
    other. From one to the next, the points that carry it in both stay where they are, and they move as one:
    as near as a rigid move can have it (Procrustes). The first of all moves is then chosen so that the foot
    stays as near to its path as it can.
    """
    count = len(points)
    turns, ways = np.ones(count, complex), np.zeros(count, complex)
    for k in range(1, count):
        both = 0.5 * (weights[k - 1] + weights[k])
        held = turns[k - 1] * points[k - 1] + ways[k - 1]
        center_held, center = both @ held, both @ points[k]
        rest = turns[k - 1] * (points[k] - center)
        covariance = both @ (np.conj(rest) * (held - center_held)) + spread**2
        turns[k] = turns[k - 1] * covariance / abs(covariance)
        ways[k] = center_held - turns[k] * center
    moved = turns[:, None] * points + ways[:, None]
    center_moved, center = np.sum(weights * moved) / count, np.sum(weights * points) / count
    covariance = np.sum(weights * np.conj(moved - center_moved) * (points - center)) / count + spread**2
    turn = covariance / abs(covariance)
    return Moves(turn * turns, turn * ways + center - turn * center_moved)


def closed(moves: Moves) -> Moves:
    """Give moves (N + 1,) around a loop, the last of which shall be the first: what misses, bit by bit."""
    share = np.linspace(0, 1, len(moves.turns))
    missing = moves.turns[0] / moves.turns[-1]
    turns = moves.turns * np.exp(1j * share * np.angle(missing))
    return Moves(turns, moves.ways + share * (moves.ways[0] - moves.ways[-1]))


def stances(stands: NDArray[np.bool_], path: GroundPath) -> tuple[tuple[int, int], ...]:
    """Give first and last frame of each stretch in which a foot stands."""
    return Spans.of(stands, path.times, path.period).spans


def slides(
    path: GroundPath, soles: SolePoints, points: Floats, heights: Floats, stands: NDArray[np.bool_]
) -> Floats:
    """Give how far what carries each foot slides in its worst stance, (L,): the places farthest apart."""
    weights = soles.support(heights, path.size)
    result = np.zeros(stands.shape[1])
    for leg in range(stands.shape[1]):
        own = soles.legs == leg
        for first, last in stances(stands[:, leg], path):
            frames = np.arange(first, last + 1)
            where = path.at(frames, points[:, own])
            both = weights[frames % len(path.times)][:, own]
            both = 0.5 * (both[1:] + both[:-1])
            slid = np.cumsum(np.append(0, np.sum(both * np.diff(where, axis=0), axis=1)))
            result[leg] = max(result[leg], np.abs(slid[:, None] - slid).max())
    return result


def hermite(count: int, begin: Floats, end: Floats, begin_step: Floats, end_step: Floats) -> Floats:
    """Give the cubic from one value and step per frame to another `count` frames on, the frames between."""
    u = (np.arange(1, count) / count)[:, None]
    return np.asarray(
        (1 + 2 * u) * (1 - u) ** 2 * begin
        + u**2 * (3 - 2 * u) * end
        + u * (1 - u) ** 2 * count * begin_step
        - u**2 * (1 - u) * count * end_step
    )
