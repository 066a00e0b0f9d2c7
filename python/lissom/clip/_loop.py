# SPDX-License-Identifier: MIT
"""The loop mode of a clip: what it plays beyond its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from lissom.quat import angle_between

if TYPE_CHECKING:
    from lissom.clip import Clip

Loop = bool | Literal["ping_pong"]
"""Loop mode: True starts again, False holds the last pose, "ping_pong" plays back and forth."""

# A clip is taken to loop where its first and last pose agree this well: 0.02 rad moves the end of an arm
# by about a centimetre. Clips of game characters made to loop mostly agree to 1e-4.
LOOP_ANGLE = 0.02  # radians
LOOP_DISTANCE = 2e-3  # of the skeleton's size
LOOP_SCALE = 1e-2  # of the scale
LOOP_WEIGHT = 1e-2  # of a morph target at its full weight

LOOP_CODES: dict[Loop | None, int] = {False: 0, True: 1, "ping_pong": 2}  # of the core's Loop


def checked_loop(loop: object, function: str) -> Loop | None:
    """Return `loop`; refuse values that are not loop modes in the name of `function`."""
    if loop is None or isinstance(loop, (bool, np.bool_)):
        return None if loop is None else bool(loop)
    if loop == "ping_pong":
        return "ping_pong"
    raise ValueError(f'{function}: loop must be True, False or "ping_pong", got {loop!r}')


def pass_seconds(clip: Clip) -> float:
    """Return the seconds until a clip begins again, there and back; of one that does not loop, to its end."""
    return clip.duration * (2 if clip.loop == "ping_pong" else 1)


def seam_agrees(clip: Clip) -> bool:
    """Return whether the first and the last pose, and weights, agree as those of clips made to loop."""
    if not clip.duration > 0:
        return False
    ends = [clip.start, clip.end]
    if len(clip.weight_tracks):
        first, last = clip.morphs(ends, loop=False).astype(np.float64)
        if not np.all(np.abs(first - last) <= LOOP_WEIGHT):
            return False
    first, last = clip.sample(ends, loop=False).astype(np.float64)
    distance = np.linalg.norm(first[:, :3] - last[:, :3], axis=1)
    angle = angle_between(first[:, 3:7], last[:, 3:7])
    difference = np.abs(first[:, 7:] - last[:, 7:])
    scale = np.maximum(np.abs(first[:, 7:]), np.abs(last[:, 7:]))
    return bool(
        np.all(distance <= LOOP_DISTANCE * clip.skeleton.size)
        and np.all(angle <= LOOP_ANGLE)
        and np.all(difference <= LOOP_SCALE * scale)
    )
