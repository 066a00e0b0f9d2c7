# SPDX-License-Identifier: MIT
"""Dual quaternions as arrays of shape (..., 8): rigid transforms; leading axes broadcast.

Real x, y, z, w, then dual x, y, z, w, where ``dual = 0.5 * translation * real``. A rigid transform is a unit
dual quaternion, and q and -q are the same transform. ``multiply(a, b)`` moves by b first, then by a. float32
and float64 arrays are computed in their own precision and mix as in NumPy; NaN propagates.

With ``scalar_first=True``, SciPy's keyword, both halves are w, x, y, z on the outside.
"""

from lissom.dual_quat._algebra import multiply

__all__ = ["multiply"]
