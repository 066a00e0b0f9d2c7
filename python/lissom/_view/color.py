# SPDX-License-Identifier: MIT
"""Colours: linear light and sRGB, and the base colours of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import require
from lissom._base.numbers import check_fraction

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh

__all__ = ["BACKGROUND", "base_colors", "checked_color", "linear_to_srgb", "srgb_to_linear"]

BACKGROUND = (0.80, 0.83, 0.87)
"""Of the picture, and of the ground plane in it; linear light."""


def checked_color(color: object, what: str) -> tuple[float, float, float]:
    """Return a colour of linear light as three floats; refuse any other thing, which `what` names.

    A text is a colour of web pages, in sRGB: "white", "#f0f0f0".
    """
    if isinstance(color, str):
        return _color_named(color, what)
    if not isinstance(color, Sequence | np.ndarray) or len(color) != 3:
        raise ValueError(f"{what} must be red, green and blue from 0 to 1, or None, got {color!r}")
    numbers = [part for part in color if isinstance(part, (int, float, np.integer, np.floating))]
    if len(numbers) == 3 and min(numbers) >= 0 and 1 < max(numbers) <= 255:
        raise ValueError(
            f"{what} must be red, green and blue from 0 to 1, got {max(numbers)}; divide by 255, or "
            "write it as in web pages: '#rrggbb'"
        )
    red, green, blue = (check_fraction(part, what) for part in color)
    return red, green, blue


def _color_named(color: str, what: str) -> tuple[float, float, float]:
    names = require("PIL.ImageColor", "gl", "colours by name")
    wanted = f"{what} must be a colour such as 'white' or '#f0f0f0', three numbers, or None"
    try:
        encoded = names.getrgb(color)
    except ValueError:
        raise ValueError(f"{wanted}, got {color[:40]!r}") from None
    if len(encoded) != 3:
        raise ValueError(f"{wanted}, got {color[:40]!r}, which is transparent")
    red, green, blue = srgb_to_linear(np.array(encoded) / 255).tolist()
    return red, green, blue


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
