# SPDX-License-Identifier: MIT
"""Uneven ground to walk on: a stair, a slope, rubble, and all of them in a row."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.numbers import LARGEST, check_number, whole_number
from lissom.samples._shell import Floats, Ints

if TYPE_CHECKING:
    from lissom.ground import TriangleMesh

# Metres, for the adult humanoid, whose walk sets its feet down 0.71 m apart, the middle of the first sole at
# z = 0.43: what is high or low changes halfway between two footprints.
STEP = 0.71
BACK = 2.0  # of flat ground behind the origin
RUN_IN = 0.43 + 1.5 * STEP  # from the origin to the first edge
WIDTH = 1.5
RISER = 0.15
SLOPE = np.radians(15.0)
STONE = 0.3  # about as long as a foot
HEIGHTS = (0.04, 0.075)  # of the middle of a stone; tilted, its highest corner stays below 0.1
TILT = np.radians(8.0)
LOOSE = 0.045  # how far its corners are from those of a brick, along x and z, at most
JOINT = 0.02  # how far the joints between stones rise above the ground, at most


def stair(scale: float = 1.0) -> TriangleMesh:
    """Return three broad steps up, a landing, and three down.

    Risers are 0.15 m high and treads 0.71 m deep, one for each footprint of the adult humanoid's "walk".

    Parameters
    ----------
    scale : float
        Multiplies all lengths: for characters of other sizes or units.

    Returns
    -------
    lissom.ground.TriangleMesh
        As for `uneven_ground`.

    Raises
    ------
    ValueError
        If `scale` is not finite and positive.

    Examples
    --------
    >>> ground = lissom.samples.stair()
    >>> ahead = [[0.0, 2.0, z] for z in (1.0, 2.0, 3.0)]
    >>> distances, normals = ground(ahead, [[0.0, -1.0, 0.0]] * 3)
    >>> (2 - distances).round(2)  # heights, 0.15 m from step to step
    array([0.  , 0.15, 0.45])
    """
    return _Strip().flat(RUN_IN).steps(3).flat(STEP).steps(-3).flat(2 * STEP).mesh("stair", scale)


def slope(scale: float = 1.0) -> TriangleMesh:
    """Return a slope up at 15 degrees, 2.8 m long over the ground, a flat piece, and a slope down.

    Parameters
    ----------
    scale : float
        Multiplies all lengths.

    Returns
    -------
    lissom.ground.TriangleMesh
        As for `uneven_ground`.

    Raises
    ------
    ValueError
        If `scale` is not finite and positive.

    Examples
    --------
    >>> ground = lissom.samples.slope()
    >>> distances, normals = ground([[0.0, 2.0, 3.0]], [[0.0, -1.0, 0.0]])
    >>> print(np.degrees(np.arccos(normals[0, 1])).round(1), "degrees steep")
    15.0 degrees steep
    """
    strip = _Strip().flat(RUN_IN).ramp(4 * STEP).flat(2 * STEP).ramp(-4 * STEP).flat(2 * STEP)
    return strip.mesh("slope", scale)


def rubble(scale: float = 1.0, seed: int = 0) -> TriangleMesh:
    """Return 5 m of stones, each about as long as a foot, up to 0.1 m high, tilted up to 8 degrees.

    Parameters
    ----------
    scale : float
        Multiplies all lengths.
    seed : int
        Another number, other stones.

    Returns
    -------
    lissom.ground.TriangleMesh
        As for `uneven_ground`.

    Raises
    ------
    ValueError
        If `scale` is not finite and positive, or `seed` is negative.

    Examples
    --------
    >>> ground = lissom.samples.rubble(seed=1)
    >>> bool(0.04 < ground.positions[:, 1].max() < 0.1)  # metres: the highest corner
    True
    """
    strip = _Strip().flat(RUN_IN).stones(7 * STEP, _generator("rubble", seed)).flat(2 * STEP)
    return strip.mesh("rubble", scale)


def uneven_ground(scale: float = 1.0, seed: int = 0) -> TriangleMesh:
    """Return a stair up and down, a slope of 15 degrees, and rubble at its top, with flat pieces between.

    Made for the adult humanoid's "walk", which crosses it in ten seconds: a strip 1.5 m wide and
    15.6 m long in +z, flat with y = 0 around the origin, where the walk begins.

    Parameters
    ----------
    scale : float
        Multiplies all lengths: for characters of other sizes or units.
    seed : int
        Another number, other stones in the rubble.

    Returns
    -------
    lissom.ground.TriangleMesh
        Metres, y up, faces upwards and towards who comes; open below. The same for the same arguments.

    Raises
    ------
    ValueError
        If `scale` is not finite and positive, or `seed` is negative.

    Examples
    --------
    >>> ground = lissom.samples.uneven_ground()
    >>> distances, normals = ground([[0.0, 2.0, 3.0]], [[0.0, -1.0, 0.0]])
    >>> distances.round(3)  # the landing of the stair, 0.45 m up
    array([1.55])
    """
    strip = _Strip().flat(RUN_IN).steps(3).flat(STEP).steps(-3).flat(STEP).ramp(3 * STEP).flat(STEP)
    strip.stones(3 * STEP, _generator("uneven_ground", seed)).flat(2 * STEP)
    return strip.mesh("uneven_ground", scale)


def _generator(function: str, seed: int) -> np.random.Generator:
    return np.random.default_rng(whole_number(seed, f"{function}: seed"))


class _Strip:
    """Ground laid piece by piece along +z; each goes on where the one before it ended."""

    def __init__(self) -> None:
        self._end = np.array([-BACK, 0.0])  # z, y
        self._positions: list[Floats] = []
        self._triangles: list[Ints] = []
        self._count = 0
        self.flat(BACK)

    def flat(self, length: float) -> _Strip:
        """Add a flat piece."""
        self._quad(length, 0.0)
        return self

    def ramp(self, length: float) -> _Strip:
        """Go up over a length, down where it is negative."""
        self._quad(abs(length), length * float(np.tan(SLOPE)))
        return self

    def steps(self, count: int) -> _Strip:
        """Go up by risers, each with its tread; down where the count is negative."""
        for _ in range(abs(count)):
            self._quad(0.0, RISER * np.sign(count))
            self._quad(STEP, 0.0)
        return self

    def stones(self, length: float, generator: np.random.Generator) -> _Strip:
        """Lay stones that touch each other in shallow joints, as high as the ground at their borders."""
        z, y = self._end
        patch, triangles = _stones(length, generator)
        self._add(patch + np.array([0.0, y, z]), triangles)
        self._end += [length, 0.0]
        return self

    def mesh(self, function: str, scale: float) -> TriangleMesh:
        """Return what was laid."""
        from lissom.ground import TriangleMesh

        check_number(scale, f"{function}: scale", above_zero=True, largest=LARGEST)
        return TriangleMesh(scale * np.concatenate(self._positions), np.concatenate(self._triangles))

    def _quad(self, length: float, rise: float) -> None:
        ends = np.array([self._end, self._end + np.array([length, rise])])
        corners = np.zeros((2, 2, 3))  # left and right, near and far
        corners[:, :, 0] = np.array([-WIDTH / 2, WIDTH / 2])[:, None]
        corners[:, :, 2], corners[:, :, 1] = ends.T
        self._add(corners.reshape(-1, 3), np.array([[0, 1, 3], [0, 3, 2]]))
        self._end = ends[1].round(9)  # so that the stair ends where it began

    def _add(self, positions: Floats, triangles: Ints) -> None:
        self._positions.append(positions)
        self._triangles.append(triangles + self._count)
        self._count += len(positions)


def _stones(length: float, generator: np.random.Generator) -> tuple[Floats, Ints]:
    """Return the vertices and triangles of stones on y = 0, between z = 0 and the length.

    They lie in courses like bricks, every other one by half a stone aside, and their corners are moved at
    random, so that most have six. A stone is a tilted top with sides that slant down to its joints.
    """
    courses, halves = max(1, round(length / STONE)), 2 * round(WIDTH / STONE)
    joints = np.zeros((courses + 1, halves + 1, 3))
    joints[..., 0] = np.linspace(-WIDTH / 2, WIDTH / 2, halves + 1)
    joints[..., 2] = np.linspace(0.0, length, courses + 1)[:, None]
    moves = generator.uniform(-1, 1, joints.shape) * [LOOSE, JOINT, LOOSE]
    moves[..., 1] = np.abs(moves[..., 1])
    joints[1:-1, 1:-1] += moves[1:-1, 1:-1]

    positions, triangles = [joints.reshape(-1, 3)], []
    count = joints.size // 3
    for course in range(courses):
        bounds = np.unique([0, *range(course % 2, halves + 1, 2), halves])
        for left, right in pairwise(bounds):
            across = np.arange(left, right + 1)
            # Counter-clockwise seen from above: the far side from left to right, the near side back.
            ring = np.concatenate(
                [(course + 1) * (halves + 1) + across, course * (halves + 1) + across[::-1]]
            )
            corners = positions[0][ring]
            middle = corners.mean(axis=0) * [1, 0, 1]
            top = middle + generator.uniform(0.78, 0.88) * (corners - middle)
            tilt = generator.uniform(-1, 1, 2) * np.tan(TILT) / np.sqrt(2)
            height = generator.uniform(*HEIGHTS)
            top[:, 1] = height + (top - middle)[:, [0, 2]] @ tilt
            positions += [top, (middle + np.array([0, height, 0]))[None]]
            inner = count + np.arange(len(ring))
            ring_after, inner_after = np.roll(ring, -1), np.roll(inner, -1)
            triangles += [
                np.stack([ring, ring_after, inner_after], axis=1),
                np.stack([ring, inner_after, inner], axis=1),
                np.stack([np.full(len(ring), count + len(ring)), inner, inner_after], axis=1),
            ]
            count += len(ring) + 1
    return np.concatenate(positions), np.concatenate(triangles)
