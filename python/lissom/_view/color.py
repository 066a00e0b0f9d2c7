# SPDX-License-Identifier: MIT
"""Colours: linear light and sRGB, and the base colours of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh

__all__ = ["BACKGROUND", "base_colors", "linear_to_srgb", "srgb_to_linear"]

BACKGROUND = (0.80, 0.83, 0.87)
"""Of the picture, and of the ground plane in it; linear light."""


def linear_to_srgb(linear: NDArray[Any]) -> NDArray[np.float64]:
    """Encode linear light in [0, 1] as sRGB (IEC 61966-2-1)."""
    linear = np.asarray(linear, np.float64)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055)


def srgb_to_linear(encoded: NDArray[Any]) -> NDArray[np.float64]:
    """Decode sRGB in [0, 1] to linear light: the inverse of `linear_to_srgb`."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def base_colors(mesh: Mesh) -> NDArray[np.float64]:
    """Return the base colour of each vertex, ``(V, 4)``: its part's times its own, linear light and alpha.

    Not in bytes: eight bits of linear light would show steps.
    """
    colors = np.full((len(mesh.positions), 4), 0.6, np.float64)  # of vertices without a part
    for part in mesh.parts:
        colors[part.vertices] = part.base_color
    if mesh.colors is not None:
        colors *= mesh.colors
    return np.clip(colors, 0, 1)
