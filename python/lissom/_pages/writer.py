# SPDX-License-Identifier: MIT
"""Writing pages: clips one after another, each page when it is full, the table last."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._base.extras import require
from lissom._formats.atomic import atomic_file, write_atomically
from lissom._pages.layout import BLOCK, SUFFIX, TABLE, TEXEL_BYTES, WIDTH, schema
from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["PageWriter"]


class PageWriter:
    """Fills pages of `side` lines in a folder.

    Pages are named by the SHA-256 of their bytes, and end with the last line that is used. The table is
    written by `close`: until then an earlier one is valid.
    """

    def __init__(self, folder: Path, side: int, caller: str) -> None:
        self._folder, self._side, self._caller = folder, side, caller
        self._buffer = np.zeros((side * WIDTH, 4), np.float16)
        self._used = 0
        self._rows: list[dict[str, Any]] = []
        self._first = 0  # row of the first clip in the current page
        self._layer = 0

    def check(self, bake: PoseTexture, clip: str, name: str) -> None:
        """Refuse a clip that is longer than a page."""
        count = bake.clips[clip].frame_count * bake.texels[0].size // 4
        if count > len(self._buffer):
            least = 1 << (-(-count // WIDTH) - 1).bit_length()
            raise ValueError(
                f"{self._caller}: side must be at least {least} for the clip {clip!r} of {name}, which has "
                f"{count} texels, got {self._side}"
            )

    def add(self, bake: PoseTexture, clip: str, name: str, path: Path, digest: str) -> None:
        """Add a clip of the bake at `path`, whose SHA-256 is `digest`."""
        self.check(bake, clip, name)
        table = bake.clips[clip]
        first = table.first_frame
        texels: npt.NDArray[Any] = bake.texels[first : first + table.frame_count].reshape(-1, 4)
        begin = -(-self._used // BLOCK) * BLOCK
        if begin + len(texels) > len(self._buffer):
            self._flush()
            begin = 0
        self._buffer[begin : begin + len(texels)] = texels
        self._used = begin + len(texels)
        _, rows, per_row, _ = bake.texels.shape
        self._rows.append(
            {
                "name": name,
                "clip": clip,
                "bake": os.path.relpath(path, self._folder),
                "hash": digest,
                "layer": self._layer,
                "line": begin // WIDTH,
                "column": begin % WIDTH,
                "rows": rows,
                "texels": per_row,
                "frames": table.frame_count,
                "rate": table.rate,
            }
        )

    def close(self) -> None:
        """Write the last page, and the table."""
        pa = require("pyarrow", "catalog", "lissom.Pages")
        pq = require("pyarrow.parquet", "catalog", "lissom.Pages")
        self._flush()
        table = pa.Table.from_pylist(self._rows, schema=schema(self._side))
        with atomic_file(self._folder / TABLE) as file:
            pq.write_table(table, file, compression="zstd")

    def _flush(self) -> None:
        if not self._used:
            return
        lines = -(-self._used // WIDTH)
        data = self._buffer[: lines * WIDTH].data.cast("B")
        name = hashlib.sha256(data).hexdigest() + SUFFIX
        path = self._folder / name
        if not path.is_file() or path.stat().st_size != lines * WIDTH * TEXEL_BYTES:
            write_atomically(path, [data])
        for row in self._rows[self._first :]:
            row["page"] = name
        self._first = len(self._rows)
        self._layer += 1
        self._buffer[: self._used] = 0
        self._used = 0
