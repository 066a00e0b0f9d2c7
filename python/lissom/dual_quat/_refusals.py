# SPDX-License-Identifier: MIT
"""Errors that name the first row that has no answer, with the figure it failed by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def refuse_first(broken: NDArray[Any], what: Callable[[Any], str], advice: str) -> None:
    """Raise ValueError about the first place where `broken` holds; `what` makes its sentence of the index."""
    if not broken.any():
        return
    index = tuple(int(i) for i in np.argwhere(broken)[0])
    place = f" at index {index if len(index) > 1 else index[0]}" if index else ""
    raise ValueError(f"{what(index)}{place}; {advice}")
