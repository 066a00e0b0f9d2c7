# SPDX-License-Identifier: MIT
"""Heel, ball and tip of a foot: the points of its sole that carry it one after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom._retarget.posed import Floats
from lissom.ik._feet.legs import Leg, checked_legs
from lissom.ik._feet.rig import Rig
from lissom.ik._feet.soles import measured_soles

__all__ = ["FootShape", "foot_shape"]

HEEL = 0.3  # of the way from ankle to ball: where no mesh shows it, the heel is so far behind the ankle
BALL = 0.7  # of the way from ankle to tip, where no joint is there
UNDERSIDE = 0.5  # of the height of the ankle: higher points are no sole


class FootShape(NamedTuple):
    """A foot in the reference pose, relative to its ankle, model space.

    Attributes
    ----------
    floor : float
        Height of the sole.
    points : ndarray of float64, shape (3, 3)
        Heel, ball and tip.
    """

    floor: float
    points: Floats


def foot_shape(what: str, rig: Rig, leg: Leg, pose: Floats, frame: Floats) -> FootShape:
    """Measure a foot in the reference pose; `frame` holds left, up and forward as columns."""
    _, _, (joints,) = checked_legs(what, rig, [leg])
    up = frame[:, 1]
    (sole,) = measured_soles(what, rig, [joints], rig.without_added(pose), up)
    model = rig.skeleton.model_matrices(pose)
    ankle = model[joints.ankle, :3, 3]
    carrier = model[joints.foot if sole.turns else joints.chain[-2]]
    points = sole.points @ carrier[:3, :3].T + carrier[:3, 3] - ankle
    toe = None if joints.toe is None else model[joints.toe, :3, 3] - ankle
    low = points[points @ up < -sole.ankle_height * (1 - UNDERSIDE)]
    low = low if len(low) else points
    ahead = _heading(toe, low, up, frame[:, 2])
    along = low @ ahead
    tip = float(along.max())
    ball = float(toe @ ahead) if toe is not None else BALL * tip
    tip = max(tip, ball)
    heel = float(along.min())
    if rig.character is None:
        heel = min(heel, -HEEL * ball)
    side = np.cross(up, ahead)
    middle = float(np.mean(low @ side))
    rows = [where * ahead + middle * side - sole.ankle_height * up for where in (heel, ball, tip)]
    return FootShape(sole.floor, np.array(rows))


def _heading(toe: Floats | None, points: Floats, up: Floats, forward: Floats) -> Floats:
    """Return where a foot points, horizontally."""
    for candidate in (toe, points.mean(axis=0)):
        if candidate is None:
            continue
        flat = candidate - (candidate @ up) * up
        if flat @ forward > 0.5 * np.linalg.norm(flat) > 0:
            return np.asarray(flat / np.linalg.norm(flat))
    return forward
