# SPDX-License-Identifier: MIT
"""Weights of morph targets for one shape of a mesh, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.morphs import Morphs

__all__ = ["morph_weight_rows", "morph_weights", "refuse_names"]


def morph_weights(weights: ArrayLike | None, mesh: Mesh | None, what: str) -> NDArray[np.float32] | None:
    """Return weights of a mesh's targets, ``(M,)``, read-only: its defaults for None; None without targets.

    Raises
    ------
    TypeError
        If they are not real numbers.
    ValueError
        If the mesh has no targets, their number is another, or one is not finite in float32.
    """
    morphs = None if mesh is None else mesh.morphs
    if morphs is None:
        if weights is None:
            return None
        raise ValueError(f"{what} must be omitted for a mesh without morph targets")
    if weights is None:
        return morphs.defaults
    result = morph_weight_rows(weights, morphs, what)
    if result.ndim != 1:
        raise ValueError(f"{what} must have shape ({len(morphs)},), got {result.shape}; pick one")
    result.flags.writeable = False
    return result


def refuse_names(weights: object, what: str) -> None:
    """Refuse weights by name, and say what makes an array of them."""
    if isinstance(weights, Mapping):
        raise TypeError(
            f"{what} must be an array of real numbers, got {type(weights).__name__}; "
            "mesh.morphs.weights makes it of names"
        )


def morph_weight_rows(weights: ArrayLike, morphs: Morphs, what: str) -> NDArray[np.float32]:
    """Return a float32 copy of weights ``(..., M)``.

    Raises
    ------
    TypeError
        If they are not real numbers.
    ValueError
        If the last axis is not of `morphs`, or one is not finite in float32.
    """
    refuse_names(weights, what)
    given = as_numbers(weights, what)
    if given.ndim == 0 or given.shape[-1] != len(morphs):
        raise ValueError(
            f"{what} must have shape (..., {len(morphs)}), a weight for each morph target, got {given.shape}"
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
        result = np.array(given, np.float32)
    if not np.isfinite(result).all():
        at = tuple(np.argwhere(~np.isfinite(result))[0].tolist())
        raise ValueError(f"{what} must be finite in float32, got {given[at]} for {morphs.names[at[-1]]!r}")
    return result
