# SPDX-License-Identifier: MIT
"""The texels of a pose texture in the layout of a GPU texture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.numbers import whole_number
from lissom.pose_texture._morph_weights import morph_texels

if TYPE_CHECKING:
    from lissom.pose_texture._layouts import TexelArray
    from lissom.pose_texture._morph_weights import WeightArray
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["morph_pages", "pages"]

PAGE_WIDTH = 2048
"""Texels in a row of a page."""

HIGHEST_PAGE_COUNT = 256
"""Layers that an array texture may have on every driver of OpenGL 3.3 (GL_MAX_ARRAY_TEXTURE_LAYERS)."""


def pages(self: PoseTexture, side: int = 16384) -> TexelArray:
    """Return the texels as the layers of an array texture, filled one after another.

    Texel i lies at column ``i & 2047``, row ``(i >> 11) & (side - 1)`` of page ``i // (2048 * side)``.

    Parameters
    ----------
    side : int
        Most rows of a page, a power of two, and at most GL_MAX_TEXTURE_SIZE of the driver.

    Returns
    -------
    ndarray of the dtype of `texels`, shape (pages, height, width, 4)
        Width is 2048, less where all texels fit in one row; height is `side`, less where they fit in one
        page. The rest of the last page is zero.

    Raises
    ------
    ValueError
        If `side` is not a power of two, or so small that more pages would be needed than GL allows.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.humanoid(), "idle", rate=60)
    >>> bake.texels.shape
    (241, 34, 2, 4)
    >>> bake.pages().shape  # one page of the same texels, 2048 across
    (1, 9, 2048, 4)
    """
    paged: TexelArray = _paged("PoseTexture.pages", self.texels, side)
    return paged


def morph_pages(self: PoseTexture, side: int = 16384) -> WeightArray | None:
    """Return the weights of the morph targets as the layers of an array texture, four a texel.

    The texels of a frame follow one another, ``ceil(M / 4)`` of them, and the frames too; texel i lies where
    `pages` says. What is left over of a frame's last texel is zero.

    Parameters
    ----------
    side : int
        As for `pages`.

    Returns
    -------
    ndarray of the dtype of `weights`, shape (pages, height, width, 4), or None
        None without morph targets.

    Raises
    ------
    ValueError
        As for `pages`.

    Examples
    --------
    >>> lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).morph_pages() is None
    True
    """
    function = "PoseTexture.morph_pages"
    whole_number(side, f"{function}: side")
    if self.weights is None:
        return None
    paged: WeightArray = _paged(function, morph_texels(self.weights), side)
    return paged


def _paged(function: str, texels: npt.NDArray[Any], side: int) -> Any:
    """Fold texels (..., 4) into pages."""
    side = whole_number(side, f"{function}: side")
    flat = texels.reshape(-1, 4)
    rows = max(1, -(-len(flat) // PAGE_WIDTH))
    if side < 1 or side & (side - 1):
        raise ValueError(f"{function}: side must be a power of two, got {side}")
    count = -(-rows // side)
    if count > HIGHEST_PAGE_COUNT:
        least = 1 << (-(-rows // HIGHEST_PAGE_COUNT) - 1).bit_length()
        raise ValueError(
            f"{function}: side must be at least {least} for {len(flat)} texels in "
            f"{HIGHEST_PAGE_COUNT} pages, got {side}"
        )
    shape = (count, min(rows, side), min(len(flat), PAGE_WIDTH))
    result = np.zeros((*shape, 4), dtype=texels.dtype)
    result.reshape(-1, 4)[: len(flat)] = flat
    return result
