# SPDX-License-Identifier: MIT
"""Feet: which joints carry them, when they stand, how they are put on the ground and kept from sliding.

`lissom.ik` has the public names. Data flows one way: legs and soles (what touches the ground), contacts
(when), then foot placement (look, steps, lift, pose) or the lock, which call the solvers of `lissom.ik`.
"""

from lissom.ik.feet._contacts import Contacts, find_contacts
from lissom.ik.feet._legs import Leg
from lissom.ik.feet._lock import foot_slide, lock_feet
from lissom.ik.feet._placement import FootPlacement
from lissom.ik.feet._result import FootResult
from lissom.ik.feet._soles import Sole

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
