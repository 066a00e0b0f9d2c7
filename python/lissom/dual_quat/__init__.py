# SPDX-License-Identifier: MIT
"""Dual quaternions as arrays of shape (..., 8): rigid transforms; leading axes broadcast.

Real x, y, z, w, then dual x, y, z, w, where ``dual = 0.5 * translation * real``. A rigid transform is a unit
dual quaternion (``|real| = 1`` and ``<real, dual> = 0``), and q and -q are the same transform. ``multiply(a,
b)`` moves by b first, then by a, as ``to_matrix(a) @ to_matrix(b)`` does. float32 and float64 arrays are
computed in their own precision and mix as in NumPy; NaN propagates. Translations have the unit of the data,
angles are radians.

With ``scalar_first=True``, SciPy's keyword, both halves are w, x, y, z on the outside.
"""

from lissom._base.set_module import publish as _publish
from lissom.dual_quat._algebra import (
    add,
    combined_conjugate,
    conjugate,
    dual_conjugate,
    identity,
    multiply,
    scale,
)
from lissom.dual_quat._blending import align, dlb
from lissom.dual_quat._comparison import equal, same_transform
from lissom.dual_quat._conversions import (
    from_quat_translation,
    from_trs,
    rotation,
    to_quat_translation,
    to_trs,
    translation,
)
from lissom.dual_quat._length import dot, inverse, normalize
from lissom.dual_quat._matrices import from_matrix, to_matrix
from lissom.dual_quat._motion import exp, log, power, sclerp
from lissom.dual_quat._screw import Screw, from_screw, to_screw
from lissom.dual_quat._transforms import transform_point, transform_vector

__all__ = [
    "Screw",
    "add",
    "align",
    "combined_conjugate",
    "conjugate",
    "dlb",
    "dot",
    "dual_conjugate",
    "equal",
    "exp",
    "from_matrix",
    "from_quat_translation",
    "from_screw",
    "from_trs",
    "identity",
    "inverse",
    "log",
    "multiply",
    "normalize",
    "power",
    "rotation",
    "same_transform",
    "scale",
    "sclerp",
    "to_matrix",
    "to_quat_translation",
    "to_screw",
    "to_trs",
    "transform_point",
    "transform_vector",
    "translation",
]

_publish(globals())
