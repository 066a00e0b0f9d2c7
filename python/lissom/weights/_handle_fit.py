# SPDX-License-Identifier: MIT
"""Whether handles stand in a mesh at all: a skeleton in other units, or of another character, does not."""

from __future__ import annotations

import warnings

import numpy as np

from lissom.weights._inputs import Floats, Handles

__all__ = ["warn_of_misfit", "warn_of_sight"]

_LARGEST_RATIO = 20
_SMALLEST_RATIO = 1 / 50
"""Of the handles' longest side to the mesh's: inches for metres are 39, centimetres 100. Bones of one finger
alone are nearly as small as the second."""

_GAP = 0.05
"""Of the mesh's longest side: how far handles may be from its box and still be upon a flat one."""

_BLIND_SHARE = 1 / 3
"""Of the vertices, in islands without a visible bone: eyes, hair and shoes of a character are a fifth."""

_SIGHTLESS_SHARE = 0.5
"""Of the vertices, without a visible bone, in whatever island."""


def warn_of_misfit(function: str, positions: Floats, handles: Handles) -> bool:
    """Warn where the scale or position of the handles is implausible; return whether it is.

    The warning names the line that called the caller.
    """
    ends = np.concatenate([handles.heads, handles.tails])
    with np.errstate(over="ignore", invalid="ignore"):  # infinite extents are not checked
        size, reach = np.ptp(positions, axis=0).max(), np.ptp(ends, axis=0).max()
        gap = np.maximum(ends.min(axis=0) - positions.max(axis=0), positions.min(axis=0) - ends.max(axis=0))
        is_apart = gap.max() > _GAP * size
    if not size > 0:
        return False
    is_small = reach < _SMALLEST_RATIO * size and not handles.is_point.all()  # points may be near each other
    if is_small or reach > _LARGEST_RATIO * size:
        found = f"the handles are {reach / size:.3g} times as large as the mesh"
        advice = "bring both to one unit, such as metres"
    elif is_apart:
        found, advice = "all handles stand beside the mesh", "check their scale and place"
    else:
        return False
    warnings.warn(f"{function}: {found}; {advice}", RuntimeWarning, stacklevel=3)
    return True


def warn_of_sight(function: str, in_triangles: int, cold: int, blind: int) -> None:
    """Warn where most vertices see no bone, or islands too large to be eyes. For the caller's caller.

    Parameters
    ----------
    in_triangles, cold, blind : int
        Vertices that are in a triangle; of these, such as see no bone while others of their island do, and
        all of islands of which none does.
    """
    if blind > _BLIND_SHARE * in_triangles or cold + blind > _SIGHTLESS_SHARE * in_triangles:
        warnings.warn(
            f"{function}: {cold + blind} of {in_triangles} vertices see no bone through the inside; check "
            "the skeleton's scale and place, and see what report=True tells",
            RuntimeWarning,
            stacklevel=3,
        )
