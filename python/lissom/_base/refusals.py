# SPDX-License-Identifier: MIT
"""Messages for rows that have no result, such as a zero quaternion: `no_answer` of `array_function.call`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

NO_AXIS = "axis must not be zero, got zero"
NO_QUAT = "q must not be zero, got zero"
NO_REAL_PART = "q must have a real part that is not zero, got zero"


def one_is_zero(*names: str) -> Callable[..., str]:
    """Say which of the operands, by their `names`, is zero."""

    def words(*row: NDArray[Any]) -> str:
        name = next(name for name, operand in zip(names, row, strict=True) if not operand.any())
        return f"{name} must not be zero, got zero"

    return words


def no_weights(_q: NDArray[Any], weights: NDArray[Any]) -> str:
    least = weights.min(initial=0)
    return f"weights must be at least 0 and not all 0, got {f'{least:.3g}' if least < 0 else 'only zeros'}"


def not_affine(matrix: NDArray[Any]) -> str:
    if not np.isfinite(matrix).all():
        return "matrix must be finite, got NaN or infinity"
    got = ", ".join(f"{entry:.6g}" for entry in matrix[3].tolist())
    return f"matrix must have the last row 0, 0, 0, 1, got {got}; transpose matrices of row vectors"
