# SPDX-License-Identifier: MIT
"""Skin weights for any mesh: computed from handles, reduced to few influences, taken over from other meshes.

A surface is a pair ``(positions, triangles)`` or a `lissom.Mesh`; a handle is a point (3,) or a bone (2, 3),
head and tail, in the space of the positions. All methods give float64 weights (V, H) whose rows sum to 1.
`reduce` and `transfer` take these, what `reduce` gives, pairs ``(indices, weights)`` as a `lissom.Mesh` takes
them, and meshes.

What a call tells its ``progress(stage, fraction)`` is one of these stages, in this order:

=====================  =================================================================================
`bounded_biharmonic`   ``"counting"`` (the cubes that a lattice will have) and ``"lattice"``, both only
                       without `tetrahedra`; ``"assembling"``; ``"coarsening"`` and ``"solving"``, both
                       only of a thousand nodes or more; ``"ordering"``, ``"factorising"`` and
                       ``"iterating"``, where those did not do, the first also with ``polish=True``;
                       ``"polishing"``, with ``polish=True`` and where all others did not converge;
                       ``"done"``
`heat`                 ``"visibility"``, ``"Delaunay"``, ``"factorising"``, ``"solving"``, ``"done"``
`reduce`               ``"reducing"``, only with a surface; ``"done"``
=====================  =================================================================================

The fraction, in [0, 1], is of this stage. It never falls while the stage lasts, and the next may begin before
it is 1. Where the iteration changes its matrix, ``"factorising"`` comes again, from 0, up to three times, and
after it ``"iterating"`` from where it was. The last call is always ``("done", 1.0)``.
"""

from lissom._base.set_module import publish as _publish
from lissom.weights._bones import Bones, bones
from lissom.weights._bounded_biharmonic import bounded_biharmonic
from lissom.weights._heat import heat
from lissom.weights._influences import Dropped, Reduced
from lissom.weights._inverse_distance import inverse_distance
from lissom.weights._reduce import reduce
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

_publish(globals())
