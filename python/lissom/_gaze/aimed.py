# SPDX-License-Identifier: MIT
"""Heads and eyes that `ik.aim` turns, within limits."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._gaze.directions import Floats
from lissom._gaze.gaze_range import GazeRange
from lissom._rig.skeleton import Skeleton
from lissom.ik._aim import aim
from lissom.ik._axes import Vector, three_numbers
from lissom.ik._chain import Chain
from lissom.ik._limits import Limit, SwingTwist

__all__ = ["chain_of_head", "with_exact_eye", "with_head"]

TURN_LIMIT = 40 * pi / 180  # of neck and head each: together people look over their shoulder
NOD_LIMIT = 30 * pi / 180
UPRIGHT = 0.999  # the sine above which a face that looks up or down has no pole above it
UP = np.array([0.0, 1.0, 0.0])


def chain_of_head(
    skeleton: Skeleton, head: int, neck: int | None, turns: Floats, limits: Mapping[Any, Limit] | None
) -> Chain:
    """Return the chain from the neck, if there is one, to the head; `turns` are rotations at rest, (J, 4)."""
    joints = (head,) if neck is None else (neck, head)
    if limits is None:
        ups = [three_numbers(quat.rotate(quat.conjugate(turns[joint]), UP)) for joint in joints]
        limits = {
            joint: SwingTwist((NOD_LIMIT, NOD_LIMIT), (-TURN_LIMIT, TURN_LIMIT), axis=up)
            for joint, up in zip(joints, ups, strict=True)
        }
    try:
        return Chain(skeleton, joints[0], head, limits)
    except (TypeError, ValueError) as error:
        raise type(error)(f"LookAt: {str(error).partition(': ')[2]}") from None


def with_head(
    chain: Chain,
    turn: Floats,
    front: Vector,
    offset: Vector,
    poses: NDArray[Any],
    points: Floats,
    share: float,
) -> NDArray[Any]:
    """Return poses (..., J, 10) whose heads look at points; `turn` is the head's rotation at rest, (4,)."""
    back = quat.conjugate(turn)
    up = quat.rotate(back, UP) if abs(front[1]) < UPRIGHT else None
    axis = quat.rotate(back, np.array(front))
    return aim(chain, poses, points, axis=axis, offset=offset, up=up, space="joint", weight=share).pose


def with_exact_eye(
    skeleton: Skeleton,
    eye: int,
    turn: Floats,
    front: Vector,
    ranges: Mapping[str, GazeRange],
    poses: NDArray[Any],
    points: Floats,
) -> NDArray[Any]:
    """Return poses with one eye aimed from where it rests, within an ellipse of its ranges."""
    start = poses.copy()
    start[..., eye, 3:7] = quat.normalize(skeleton.rest[eye, 3:7].astype(np.float64))
    back = quat.conjugate(turn)
    axis = quat.rotate(back, np.array(front))
    across = quat.rotate(back, np.cross(UP, front))
    most = {name: min(abs(each.most), pi) for name, each in ranges.items()}
    limit = SwingTwist(
        (max(most["down"], most["up"]), max(most["inner"], most["outer"])),
        (0.0, 0.0),
        axis=three_numbers(axis),
        across=three_numbers(across) if abs(front[1]) < UPRIGHT else None,
    )
    return aim(Chain(skeleton, eye, eye, {eye: limit}), start, points, axis=axis, space="joint").pose
