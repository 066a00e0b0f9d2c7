# SPDX-License-Identifier: MIT
"""Transforms as translation, rotation and scale: arrays of shape (..., 10), glTF's order.

Translation x, y, z; rotation x, y, z, w, unit; scale x, y, z. They act from right to left: ``p' =
translation + rotate(rotation, scale * p)``. One row of a pose is one of these, and all leading axes
broadcast. float32 and float64 arrays are computed in their own precision and mix as in NumPy; NaN
propagates, except in `from_matrix`, which refuses it.

The product of two has shear where the outer one scales unevenly along axes that the rotation of the inner one
mixes; so has an inverse. `compose` and `inverse` answer where there is none, and say so where there is:
matrices (`to_matrix`) hold every product.
"""

from lissom._base.set_module import publish as _publish
from lissom.trs._algebra import compose, inverse, lerp, transform_point, transform_vector
from lissom.trs._matrices import from_matrix, to_matrix
from lissom.trs._parts import from_parts, identity, rotation, scale, translation

__all__ = [
    "compose",
    "from_matrix",
    "from_parts",
    "identity",
    "inverse",
    "lerp",
    "rotation",
    "scale",
    "to_matrix",
    "transform_point",
    "transform_vector",
    "translation",
]

_publish(globals())
