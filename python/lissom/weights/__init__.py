# SPDX-License-Identifier: MIT
"""Skin weights for meshes that have none.

A surface is ``(positions, triangles)``; a handle is a point (3,) or a bone ``(head, tail)``. Every method
gives an array (V, H) whose rows sum to 1: how much each of the H handles moves each of the V vertices.
"""

from __future__ import annotations

from lissom.weights._bounded_biharmonic import bounded_biharmonic
from lissom.weights._report import WeightReport

__all__ = ["WeightReport", "bounded_biharmonic"]
