# SPDX-License-Identifier: MIT
"""Feet: their legs and soles, when they stand, placement on any ground, and removal of sliding.

`lissom.ik` has the public names. Data flows one way: soles and legs, contacts, then either foot placement
(gait, lock, ground probe, tilts, lift, smoothing, pose: `pipeline`) or `lock_feet` (`clip_feet`,
`locked_legs`). Both call the solvers of `lissom.ik`.

Names of vectors end with their space (`_world`, `_model`, `_joint`). F frames, L legs, J joints, P points of
all soles. "Animation's ground" is the plane that the animation was made for.
"""

from lissom.ik._feet.contacts import Contacts, find_contacts
from lissom.ik._feet.legs import Leg
from lissom.ik._feet.lock import foot_slide, lock_feet
from lissom.ik._feet.placement import FootPlacement
from lissom.ik._feet.players_feet import PlayersFeet
from lissom.ik._feet.result import FootResult
from lissom.ik._feet.soles import Sole

__all__ = [
    "Contacts",
    "FootPlacement",
    "FootResult",
    "Leg",
    "PlayersFeet",
    "Sole",
    "find_contacts",
    "foot_slide",
    "lock_feet",
]
