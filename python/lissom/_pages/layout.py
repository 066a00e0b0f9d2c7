# SPDX-License-Identifier: MIT
"""How pages of texels are laid out, and the table that says where each clip lies."""

from __future__ import annotations

from typing import Any, NamedTuple

from lissom._base.extras import require
from lissom._formats.parquet import said

__all__ = [
    "BLOCK", "FORMAT", "LONGEST_SIDE", "SUFFIX", "TABLE", "TEXEL_BYTES", "VERSION", "WIDTH", "Place",
    "schema",
]  # fmt: skip

FORMAT = "lissom.pages"
VERSION = 1
"""Increased by changes of pages or columns that older readers would misread."""

TABLE = "pages.parquet"
SUFFIX = ".rgba16f"

LONGEST_SIDE = 16384
"""Lines of a page at most, even where drivers allow more: 32 M texels."""

WIDTH = 2048
"""Texels of a line, as in `PoseTexture.pages`."""

TEXEL_BYTES = 8

BLOCK = 32
"""Texels by whose multiples clips begin: 256 bytes."""


class Place(NamedTuple):
    """Where a clip lies.

    Attributes
    ----------
    page : int
        Index of the page.
    texel : int
        Its first texel there: line times 2048 plus column.
    frames, rows, texels : int
        Shape of the block.
    """

    page: int
    texel: int
    frames: int
    rows: int
    texels: int

    @property
    def texel_count(self) -> int:
        """Texels of the block."""
        return self.frames * self.rows * self.texels


def schema(side: int) -> Any:
    """Return the schema of the table of pages of `side` lines."""
    pa = require("pyarrow", "catalog", "lissom.Pages")
    texts = [(name, pa.string()) for name in ("name", "clip", "bake", "hash", "page")]
    numbers = [(name, pa.int32()) for name in ("layer", "line", "column", "rows", "texels", "frames")]
    return pa.schema([*texts, *numbers, ("rate", pa.float64())], metadata=said(FORMAT, VERSION, side=side))
