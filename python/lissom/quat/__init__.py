# SPDX-License-Identifier: MIT
"""Quaternions x, y, z, w as arrays of shape (..., 4), Hamilton's product; leading axes broadcast.

A rotation is a unit quaternion, and q and -q are the same rotation. ``multiply(a, b)`` rotates by b first,
then by a, as ``to_matrix(a) @ to_matrix(b)`` does. float32 and float64 arrays are computed in their own
precision and mix as in NumPy; NaN propagates.

With ``scalar_first=True``, SciPy's keyword, quaternions are w, x, y, z on the outside.
"""

from lissom._base.set_module import publish as _publish
from lissom.quat._algebra import conjugate, dot, identity, inverse, multiply, normalize, random, rotate
from lissom.quat._comparison import angle_between, same_rotation
from lissom.quat._conversions import (
    from_axis_angle,
    from_matrix,
    from_rotation_vector,
    to_axis_angle,
    to_matrix,
    to_rotation_vector,
)
from lissom.quat._directions import from_to, look_rotation, swing_twist
from lissom.quat._euler import from_euler, to_euler
from lissom.quat._interpolation import exp, log, nlerp, power, slerp
from lissom.quat._sequences import align, mean

__all__ = [
    "align",
    "angle_between",
    "conjugate",
    "dot",
    "exp",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "from_rotation_vector",
    "from_to",
    "identity",
    "inverse",
    "log",
    "look_rotation",
    "mean",
    "multiply",
    "nlerp",
    "normalize",
    "power",
    "random",
    "rotate",
    "same_rotation",
    "slerp",
    "swing_twist",
    "to_axis_angle",
    "to_euler",
    "to_matrix",
    "to_rotation_vector",
]

_publish(globals())
