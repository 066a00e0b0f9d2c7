# SPDX-License-Identifier: MIT
"""The chain of a leg as it is solved."""

from __future__ import annotations

import numpy as np

from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats
from lissom.ik._bend_axis import straight_limb_axis
from lissom.ik._chain import Chain
from lissom.ik._feet.leg_joints import LegJoints

__all__ = ["leg_chain"]


def leg_chain(skeleton: Skeleton, leg: LegJoints) -> Chain:
    """Return the chain from hip to ankle; a knee that rests straight bends away from the toes."""
    axis = None
    if len(leg.bends) == 2:
        joints = (leg.bends[0], leg.bends[1], leg.ankle)
        axis = straight_limb_axis(skeleton, skeleton.rest, joints, -_forward(skeleton, leg))
    return Chain(skeleton, leg.chain[0], leg.ankle, fixed=leg.fixed, bend_axis=axis)


def _forward(skeleton: Skeleton, leg: LegJoints) -> Floats:
    """Return the way from the ankle to the joint of the foot that is farthest to the side of the leg."""
    places = skeleton.positions(skeleton.rest.astype(np.float64))
    ankle = places[leg.ankle]
    shin = ankle - places[leg.bends[-1]]
    shin /= max(float(np.linalg.norm(shin)), 1e-30)
    below = [joint for joint in range(leg.foot, len(skeleton)) if skeleton.is_in_hierarchy(joint, leg.foot)]
    ways = places[below] - ankle
    ways -= np.outer(ways @ shin, shin)
    return np.asarray(ways[int(np.argmax(np.linalg.norm(ways, axis=1)))])
