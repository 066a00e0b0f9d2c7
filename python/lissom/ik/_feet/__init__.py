# SPDX-License-Identifier: MIT
"""Feet: which joints carry them, when they stand, how they are put on the ground and kept from sliding.

`lissom.ik` has the public names. Data flows one way: legs and soles (what touches the ground), contacts
(when), then foot placement (look, steps, lift, pose) or the lock, which call the solvers of `lissom.ik`.
"""

from lissom.ik._feet.contacts import Contacts, find_contacts
from lissom.ik._feet.legs import Leg
from lissom.ik._feet.lock import foot_slide, lock_feet
from lissom.ik._feet.placement import FootPlacement
from lissom.ik._feet.result import FootResult
from lissom.ik._feet.soles import Sole

__all__ = [
    "Contacts",
    "FootPlacement",
    "FootResult",
    "Leg",
    "Sole",
    "find_contacts",
    "foot_slide",
    "lock_feet",
]
