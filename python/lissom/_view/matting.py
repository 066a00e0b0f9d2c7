# SPDX-License-Identifier: MIT
"""Alpha of a picture, from what two backgrounds make of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLACK", "WHITE", "with_alpha"]

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def with_alpha(on_black: NDArray[np.uint8], on_white: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return colours and alpha of what was drawn over black, and over white.

    Over a background b, encoded, is seen c a + b (1 - a): over black c a, over white 1 - a more. Edges,
    glass and shadows all come out so, whatever drew them.

    Parameters
    ----------
    on_black, on_white : ndarray of uint8, shape (height, width, 3)

    Returns
    -------
    ndarray of uint8, shape (height, width, 4)
        Colours are not multiplied by alpha; 0 where it is 0.

    References
    ----------
    .. [1] Smith and Blinn, "Blue Screen Matting", SIGGRAPH 1996: triangulation, with black and white.
    """
    black, white = on_black.astype(np.float32), on_white.astype(np.float32)
    alpha = np.clip(np.rint(255 - (white - black).mean(axis=2)), 0, 255)
    colors = np.rint(black * 255 / np.maximum(alpha, 1)[..., None])
    return np.dstack([np.clip(colors, 0, 255), alpha]).astype(np.uint8)
