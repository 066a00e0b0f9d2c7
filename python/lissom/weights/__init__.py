# SPDX-License-Identifier: MIT
"""Skin weights for any mesh: computed from handles, reduced to few influences, taken over from other meshes.

A surface is a pair ``(positions, triangles)`` or a `lissom.Mesh`; a handle is a point (3,) or a bone (2, 3),
head and tail, in the space of the positions. All methods give float64 weights (V, H) whose rows sum to 1.
"""

from lissom.weights._bones import Bones, bones
from lissom.weights._bounded_biharmonic import bounded_biharmonic
from lissom.weights._heat import heat
from lissom.weights._inverse_distance import inverse_distance
from lissom.weights._reduce import Dropped, Reduced, reduce
from lissom.weights._report import WeightReport
from lissom.weights._transfer import TransferReport, transfer

__all__ = [
    "Bones",
    "Dropped",
    "Reduced",
    "TransferReport",
    "WeightReport",
    "bones",
    "bounded_biharmonic",
    "heat",
    "inverse_distance",
    "reduce",
    "transfer",
]
