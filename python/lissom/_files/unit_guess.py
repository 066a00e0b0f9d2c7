# SPDX-License-Identifier: MIT
"""Which unit of length a recording counts in, by the body in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.recorded_body import RecordedBody
from lissom._formats.bvh import UNITS

__all__ = ["UNIT_NAMES", "body_length", "guess_unit"]

# Metres from a foot to the head joint, along the joints between. A person is 1.17 times as tall (the sample
# humanoid; 1.13 to 1.25 in its other builds).
GROWN = (1.2, 1.85)  # people 1.4 to 2.15 m tall
ANYBODY = (0.8, 2.2)  # with children from 1 m on, and giants
BANDS = {"cmu": GROWN, "inch": GROWN, "cm": ANYBODY, "mm": ANYBODY}
"""By unit, the bodies that are taken for such. In file units the bands are 21 to 33, 47 to 73, 80 to 220 and
800 to 2200: what is in none keeps its lengths, as do all bodies below 21 m of a file in metres."""

UNIT_NAMES = {
    "cmu": "units of Carnegie Mellon's database (5.6 cm)",
    "inch": "inches",
    "cm": "centimetres",
    "mm": "millimetres",
}


def guess_unit(body: RecordedBody) -> str | None:
    """Return the unit in which the body would be a person; None where there is none, or the poses differ."""
    units = {_unit(body_length(body, pose)) for pose in body.poses}
    return units.pop() if len(units) == 1 else None


def body_length(body: RecordedBody, pose: NDArray[Any]) -> float:
    """Return the mean length of the ways along the joints from the feet to the head, in the file's unit."""
    lengths = np.linalg.norm(pose[:, :3], axis=-1)
    up = _ancestors(body, body.head)
    ways = [list(up ^ _ancestors(body, foot)) for foot in body.feet]
    return float(np.mean([lengths[way].sum() for way in ways]))


def _unit(length: float) -> str | None:
    for unit, (least, most) in BANDS.items():
        if least <= length * UNITS[unit] <= most:
            return unit
    return None


def _ancestors(body: RecordedBody, joint: int) -> set[int]:
    """Return a joint and those above it."""
    found = set()
    while joint >= 0:
        found.add(joint)
        joint = int(body.skeleton.parents[joint])
    return found
