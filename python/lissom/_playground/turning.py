# SPDX-License-Identifier: MIT
"""Orientations of targets: those that effectors have, and a gizmo of three axes to turn them by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._playground.handle import Handle
from lissom._playground.marks import RADIUS
from lissom._playground.overlay import Overlay, colored
from lissom._rig.skeleton import Skeleton
from lissom.ik._chain import Chain

Floats = NDArray[np.float64]

SHARE = 0.3  # of the chain's length: radius of the gizmo
BALL = 0.6  # of a target's radius
RING = 48  # points of a ring
AXES = ((0.80, 0.16, 0.20), (0.16, 0.55, 0.22), (0.15, 0.35, 0.80))  # x, y, z; sRGB


def rotation_of(skeleton: Skeleton, pose: NDArray[np.floating], joint: int) -> Floats:
    """Return the rotation of a joint in model space as solvers measure it, shape (4,).

    The product of the rotations from the root down; a mirror above a joint mirrors its rotation.
    """
    line = [joint]
    while skeleton.parents[line[-1]] >= 0:
        line.append(int(skeleton.parents[line[-1]]))
    result, mirror = np.array([0.0, 0.0, 0.0, 1.0]), np.ones(3)
    for each in reversed(line):
        local = np.asarray(pose[each], np.float64)
        vector = np.prod(mirror) * mirror * local[3:6]
        result = quat.normalize(quat.multiply(result, np.append(vector, local[6])))
        mirror = mirror * np.where(local[7:] < 0, -1.0, 1.0)
    return result


def handles_to_turn(
    chains: Sequence[Chain], targets: NDArray[np.floating], orientations: NDArray[np.floating]
) -> list[Handle]:
    """Return three handles, at the ends of x, y and z, for each target that has an orientation."""
    result = []
    for index, chain in enumerate(chains):
        if np.isnan(orientations[index, 0]):
            continue
        for axis, tip in enumerate(_tips(chain, targets[index], orientations[index])):
            radius = BALL * RADIUS * chain.length
            result.append(Handle(f"turn:{index}:{axis}", tuple(tip.tolist()), radius, AXES[axis]))
    return result


def rings(
    chains: Sequence[Chain], targets: NDArray[np.floating], orientations: NDArray[np.floating]
) -> Overlay:
    """Return the axes of the gizmos, and a ring about each."""
    lines, colors = [], []
    angles = np.linspace(0, 2 * np.pi, RING + 1)[:, None]
    for index, chain in enumerate(chains):
        if np.isnan(orientations[index, 0]):
            continue
        middle = np.asarray(targets[index], np.float64)
        arms = _tips(chain, targets[index], orientations[index]) - middle
        for axis in range(3):
            first, second = arms[axis - 2], arms[axis - 1]
            ring = middle + np.cos(angles) * first + np.sin(angles) * second
            lines += [np.stack([middle, middle + arms[axis]])[None], np.stack([ring[:-1], ring[1:]], axis=1)]
            colors += [(*AXES[axis], 0.9), *[(*AXES[axis], 0.45)] * RING]
    return Overlay(
        colored(np.concatenate(lines) if lines else np.zeros((0, 2, 3)), np.reshape(colors, (-1, 4))),
        np.zeros((0, 3, 7), np.float32),
    )


def turned(orientation: NDArray[np.floating], axis: int, direction: Floats) -> Floats:
    """Return an orientation turned by the shortest arc so that one of its axes has a direction."""
    now = np.asarray(orientation, np.float64)
    length = float(np.linalg.norm(direction))
    if length == 0:
        return now
    arc = quat.from_to(quat.rotate(now, np.eye(3)[axis]), direction / length)
    return np.asarray(quat.normalize(quat.multiply(arc, now)))


def _tips(chain: Chain, target: NDArray[np.floating], orientation: NDArray[np.floating]) -> Floats:
    axes = quat.rotate(np.asarray(orientation, np.float64), np.eye(3))
    return np.asarray(np.asarray(target, np.float64) + SHARE * chain.length * axes)
