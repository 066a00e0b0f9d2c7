# SPDX-License-Identifier: MIT
"""Distinct values, sorted, without what ``np.unique`` imports at its first call."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)


def distinct(values: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return the distinct values of an array, sorted, shape (count,): ``np.unique`` where none is NaN.

    ``np.unique`` imports ``numpy.ma`` to look for masks: 15 ms of every process that loads a file.
    """
    ordered = np.sort(values, axis=None)
    is_first = np.empty(ordered.shape, np.bool_)
    is_first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
