# SPDX-License-Identifier: MIT
"""Inverse kinematics: rotate joints so that a hand, a foot or a gaze meets its target.

    knee = {"LowerLeg.L": lissom.ik.Hinge.from_rest(0.0, 2.6)}
    leg = lissom.ik.Chain(skeleton, "UpperLeg.L", "Foot.L", limits=knee)
    done = lissom.ik.ccd(leg, poses, targets)  # IkResult: pose, residual, iterations, reached, limited

A chain is prepared once and solved for any number of poses and targets in one call. Targets are in model
space. Only rotations of the chain's joints change, so that bones keep their lengths. An unreachable target
is not an error: the result holds the remaining distance.
"""

from typing import TYPE_CHECKING

from lissom._base.doors import upstairs
from lissom._base.set_module import publish as _publish
from lissom.ik._aim import aim
from lissom.ik._ccd import ccd
from lissom.ik._chain import Chain
from lissom.ik._damped_least_squares import damped_least_squares
from lissom.ik._excess import excess
from lissom.ik._fabrik import fabrik
from lissom.ik._feet import (
    Contacts,
    FootPlacement,
    FootResult,
    Leg,
    PlayersFeet,
    Sole,
    find_contacts,
    foot_slide,
    lock_feet,
)
from lissom.ik._learning import LearnedLimits, learn_limits
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist
from lissom.ik._named_limb import limb
from lissom.ik._result import IkResult
from lissom.ik._two_bone import two_bone

if TYPE_CHECKING:
    from lissom._base.doors import Playground

__all__ = [
    "BallSocket",
    "Chain",
    "Contacts",
    "FootPlacement",
    "FootResult",
    "Hinge",
    "IkResult",
    "LearnedLimits",
    "Leg",
    "Limit",
    "PlayersFeet",
    "Playground",
    "Sole",
    "SwingTwist",
    "aim",
    "ccd",
    "damped_least_squares",
    "excess",
    "fabrik",
    "find_contacts",
    "foot_slide",
    "learn_limits",
    "limb",
    "lock_feet",
    "two_bone",
]

_publish(globals())


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        value = globals()[name] = upstairs(__name__, name)
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
