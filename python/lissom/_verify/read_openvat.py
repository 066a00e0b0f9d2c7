# SPDX-License-Identifier: MIT
"""Folders of OpenVAT, and what else their numbers might mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._export.openvat import TABLE, OpenVatFiles, circle
from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip
from lissom._verify.found_clip import FoundClip, Reading
from lissom._verify.gamma import to_linear, to_srgb
from lissom._verify.picture_apart import is_tagged_srgb, read_apart
from lissom._verify.read_vertices import found_vertices
from lissom._verify.request import JUDGE, Request

__all__ = ["read_openvat", "tables"]

PICTURE, SUFFIXES = "*_vat.*", (".exr", ".png")
"""Name of a texture of offsets, and how it may end."""


def read_openvat(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clip of each folder with a table of OpenVAT."""
    claimed: dict[str, Path] = {}
    for folder in [path.parent] if path.is_file() else _folders(path, request):
        files = OpenVatFiles.of(folder, read_apart, JUDGE)
        name = files.told.get("clip") or request.only_clip(files.name, str(folder))
        if name in claimed:
            raise ValueError(
                f"{JUDGE}: two folders say they hold {name!r}: {claimed[name].name}, {folder.name}; mend the"
                f" clip in the table of one (*{TABLE}), or judge each folder on its own"
            )
        claimed[name] = folder
        if not request.wants(name):
            continue
        begin, end = request.spans[name]
        loop = request.loop if request.loop is not None else files.told.get("loop", request.loops[name])
        intervals = files.frame_count if loop else files.frame_count - 1
        whole = intervals / (end - begin) if end > begin and intervals else 30.0
        rate = request.rate or files.told.get("rate") or whole
        positions = circle(files.positions(), loop)
        clip = VertexClip(0, len(positions), rate, loop, begin)
        animation = VertexAnimation(files.mesh, positions, {name: clip})
        method = files.told.get("method")
        yield found_vertices(
            name,
            animation,
            request,
            method=method,
            step=_step(files),
            readings=_other_readings(files),
            is_tagged=is_tagged_srgb(files.texture),
        )


def _folders(path: Path, request: Request) -> list[Path]:
    """Return the folders with a table; ValueError for one with a texture of offsets and without a table."""
    found = {table.parent for table in tables(path)}
    for texture in sorted([*path.glob(PICTURE), *path.glob(f"*/{PICTURE}")]):
        name = texture.stem.removesuffix("_vat")
        is_wanted = request.clip is None or name == request.clip or name.endswith(f"_{request.clip}")
        if texture.parent not in found and texture.suffix in SUFFIXES and is_wanted:
            raise ValueError(
                f"{JUDGE}: {texture.parent} must hold a table of OpenVAT, {name}{TABLE}, beside"
                f" {texture.name}, got none; export it again"
            )
    return sorted(found)


def tables(folder: Path) -> list[Path]:
    """Return the tables of OpenVAT in a folder and the ones in it."""
    return [*folder.glob(f"*{TABLE}"), *folder.glob(f"*/*{TABLE}")]


def _step(files: OpenVatFiles) -> float:
    """Return the largest step of offsets, model units: of numbers from 0 to 1 as their texture holds them."""
    span = float((files.high - files.low).max())
    if files.texture.suffix == ".png":
        return span / 65535
    halves = files.pixels.astype(np.float16).astype(np.float32)
    return span * float(np.spacing(np.float16(0.99))) if (halves == files.pixels).all() else 0.0


def _other_readings(files: OpenVatFiles) -> tuple[Reading, ...]:
    def reading(fault: str, sentence: str, **how: Any) -> Reading:
        return Reading(fault, sentence, lambda frames: _circular(files, frames, **how))

    return (
        reading(
            "gamma",
            "its numbers were made brighter, from linear light to sRGB, as if they were colours; write and"
            " import them as numbers",
            change=to_linear,
        ),
        reading(
            "gamma",
            "its numbers were made darker, from sRGB to linear light, as if they were colours; write and"
            " import them as numbers",
            change=to_srgb,
        ),
        reading(
            "flipped_v",
            "its texture is upside down; flip v, or write rows from the other end",
            flipped=True,
        ),
        *(
            reading(
                "row_off_by_one",
                f"its rows are off by {rows}: VAT_UV points {'above' if rows > 0 else 'below'} the first",
                moved=(rows, 0),
            )
            for rows in (-1, 1)
        ),
        *(
            reading(
                "column_off_by_one",
                f"its columns are off by {columns}; sample the middle of a texel, (i + 0.5) / width",
                moved=(0, columns),
            )
            for columns in (-1, 1)
        ),
    )


def _circular(files: OpenVatFiles, frames: npt.NDArray[np.int64], **how: Any) -> npt.NDArray[np.float32]:
    """Return vertices at frames, of which the first follows the last."""
    return files.positions(frames % files.frame_count, **how)
