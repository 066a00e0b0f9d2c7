# SPDX-License-Identifier: MIT
"""The body in a recording, by which its axes and lengths are understood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._rig.skeleton import Skeleton
from lissom._roles.roles import roles

__all__ = ["MOST_JOINTS", "RecordedBody", "recorded_body"]

MOST_JOINTS = 1000  # of a body for which it is worth while to look: no person has more


class RecordedBody(NamedTuple):
    """Joints of a person whose names say what they are, and poses: at rest, and the first one recorded."""

    skeleton: Skeleton
    head: int
    feet: tuple[int, int]
    poses: list[NDArray[Any]]


def recorded_body(skeleton: Skeleton, first: NDArray[Any] | None) -> RecordedBody | None:
    """Return the body of a skeleton; None where that is not certain. `first` is a pose, (J, 10)."""
    found = roles(skeleton)
    parts = ("head", "leftFoot", "rightFoot")
    if found.kind != "humanoid" or any(part not in found for part in parts):
        return None
    if any(found.ambiguous.get(part, "").startswith("found by place") for part in parts):
        return None
    head, *feet = (found.index(part) for part in parts)
    poses = [pose.astype(np.float64) for pose in (skeleton.rest, first) if pose is not None]
    return RecordedBody(skeleton, head, (feet[0], feet[1]), poses)
