# SPDX-License-Identifier: MIT
"""Pictures whose rows come in blocks: one for each frame, as AnimToTexture's rows per frame are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks"]


@dataclass(frozen=True)
class Blocks:
    """Places of some entries in each block of rows.

    Attributes
    ----------
    entries : int
        In each block, `width` in a row; what is left of its last row is 0.
    width : int
    """

    entries: int
    width: int

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return -(-self.entries // self.width)

    def picture(self, values: NDArray[Any], height: int = 0) -> NDArray[Any]:
        """Return values (block, entry, N) as pixels (height, width, N), of no fewer rows than they take."""
        blocks, _, numbers = values.shape
        padded = np.zeros((blocks, self.rows * self.width, numbers), values.dtype)
        padded[:, : self.entries] = values
        rows = padded.reshape(blocks * self.rows, self.width, numbers)
        below = np.zeros((max(0, height - len(rows)), self.width, numbers), values.dtype)
        return np.concatenate([rows, below])

    def middles(self, height: int) -> NDArray[np.float32]:
        """Return the middles of the texels of the first block, (entry, 2), 0 to 1, v from the first row."""
        entry = np.arange(self.entries)
        middles = np.stack([entry % self.width, entry // self.width], axis=1) + 0.5
        return np.asarray(middles / [self.width, height], np.float32)

    def values(
        self,
        pixels: NDArray[np.float32],
        blocks: NDArray[np.int64],
        moved: tuple[int, int] = (0, 0),
        flipped: bool = False,
    ) -> NDArray[np.float32]:
        """Return the entries (block, entry, N) of some blocks.

        Other readings, for who looks for faults: some rows and columns off, or from a picture upside down.
        Behind the last row comes the first.
        """
        height, width = pixels.shape[:2]
        entry = np.arange(self.entries)
        row = blocks[:, None] * self.rows + entry // self.width + moved[0]
        row = (height - 1 - row if flipped else row) % height
        return np.asarray(pixels[row, (entry % self.width + moved[1]) % width])
