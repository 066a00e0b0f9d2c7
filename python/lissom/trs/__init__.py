# SPDX-License-Identifier: MIT
"""Transforms as translation, rotation and scale: arrays of shape (..., 10), glTF's order.

Translation x, y, z; rotation x, y, z, w, unit; scale x, y, z. They act from right to left: ``p' =
translation + rotate(rotation, scale * p)``. One row of a pose is one of these. The product of two is in
general no trs, for it can have shear: multiply their matrices.
"""

from lissom.trs._first import from_matrix, from_parts, identity, rotation, scale, to_matrix, translation

__all__ = ["from_matrix", "from_parts", "identity", "rotation", "scale", "to_matrix", "translation"]
