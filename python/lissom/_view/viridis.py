# SPDX-License-Identifier: MIT
"""The colour map of heat maps: viridis (van der Walt and Smith, CC0) at ten points, in linear light."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._view.color import srgb_to_linear

__all__ = ["VIRIDIS", "viridis"]

# sRGB bytes of the map at 0, 1/9, ... 1.
_ANCHORS = "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725"

#: Linear light at the anchors, ``(10, 3)`` float32: the texels of the shader's texture.
VIRIDIS = srgb_to_linear(np.array([list(bytes.fromhex(c)) for c in _ANCHORS.split()]) / 255).astype(
    np.float32
)


def viridis(values: ArrayLike) -> NDArray[np.float64]:
    """Return the colours of values in [0, 1], linear light.

    Parameters
    ----------
    values : array_like, shape (...)
        Clipped to [0, 1].

    Returns
    -------
    ndarray, shape (..., 3)
        Red, green, blue, as ``color_map`` in ``color.glsl`` computes them.
    """
    at = np.clip(np.asarray(values, np.float64), 0, 1) * (len(VIRIDIS) - 1)
    first = np.minimum(at.astype(int), len(VIRIDIS) - 2)
    fraction = (at - first)[..., None]
    mixed: NDArray[np.float64] = VIRIDIS[first] * (1 - fraction) + VIRIDIS[first + 1] * fraction
    return mixed
