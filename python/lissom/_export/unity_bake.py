# SPDX-License-Identifier: MIT
"""What Unity has of a file .lissom: read as `LissomImporter` reads it, and turned into lissom's axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export import unity_file
from lissom._export.axes import UNITY
from lissom._export.engine_bake import EngineBake, engine_clip
from lissom._export.texel_lines import MOST_NUMBER, frames_of_lines
from lissom._export.unity_axes import SIGNS, mirrored
from lissom._export.vertex_clip import VertexClip
from lissom._formats.regular_file import read_regular
from lissom._rig.mesh import Mesh

__all__ = ["KINDS", "MOST_ROWS", "bake_of_unity"]

MOST_ROWS = 4096
"""Palette rows of which one number of a vertex names two."""

KINDS = {"linear": 0, "dual_quat": 1, "matrix": 2}
"""Numbers of LissomPose.hlsl."""

BLOCKS = ("poses", "positions", "influenceRows", "weights", "more", "triangles")
WHOLE = {"version", "rows", "texels", "kind", "lines", "vertices"}


def bake_of_unity(path: Path, what: str) -> EngineBake:
    """Read a file; `what` begins errors."""
    if not path.is_file():
        raise ValueError(f"{what}: {path.parent} must hold {path.name}, got none; export it again")
    try:
        header, blocks = unity_file.decode(read_regular(path), BLOCKS)
        layout, method = _kind(header)
        clips = _clips(header, f"{what}: {path}")
        mesh = _mesh(blocks, header["vertices"])
        lines = np.frombuffer(blocks["poses"], "<f2" if header["half"] else "<f4")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        if str(error).startswith(what):
            raise
        told = " ".join(str(error).split())[:200]
        raise ValueError(
            f'{what}: {path} must be a file of the form "unity", got another: {told}; export it again'
        ) from None
    stored = lines.astype(lines.dtype.newbyteorder("="))[: len(lines) // 4 * 4]
    rows, texels = header["rows"], header["texels"]
    frames = frames_of_lines(f"{what}: {path}", stored, (rows, texels), layout, clips)
    if mesh.row_count > rows:
        raise ValueError(
            f"{what}: {path} must have rows for the influences of its mesh, {mesh.row_count}, got {rows}"
        )
    return EngineBake(mirrored(frames, layout), layout, method, clips, mesh)


def _kind(header: dict[str, Any]) -> tuple[str, str]:
    """Return layout and method; ValueError where the header is not as the importer takes it."""
    for key in WHOLE:
        if not isinstance(header[key], int):
            raise ValueError(f"{key} is {header[key]!r}")
    if header["version"] != 1:
        raise ValueError(f"version is {header['version']}, not 1")
    kinds = [name for name, number in KINDS.items() if number == header["kind"]]
    if not kinds:
        raise ValueError(f"kind is {header['kind']}")
    layout, method = ("matrix", "linear") if kinds == ["matrix"] else ("dual_quat", kinds[0])
    if not 1 <= header["rows"] <= MOST_ROWS or (layout, header["texels"]) not in SIGNS:
        raise ValueError(f"rows are {header['rows']}, with {header['texels']} texels")
    return layout, method


def _clips(header: dict[str, Any], what: str) -> dict[str, VertexClip]:
    """Return the clips; numbers are float32, as in the importer's texture."""
    clips: dict[str, VertexClip] = {}
    for told in header["clips"]:
        name, seconds = str(told["name"]), float(np.float32(told["duration"]))
        clip = f"{what}: clip {name!r}"
        if name in clips:
            raise ValueError(f"{clip} must have a name of its own, got it twice")
        clips[name] = engine_clip(
            clip,
            float(told["first"]),
            float(told["intervals"]),
            seconds,
            bool(told["loop"]),
            float(told["start"]),
        )
    if not clips:
        raise ValueError("it has no clip")
    return clips


def _mesh(blocks: dict[str, memoryview], vertices: int) -> Mesh:
    """Return the mesh in lissom's axes."""
    places, rows, weights, more = (
        np.frombuffer(blocks[key], "<f4").astype(np.float32)
        for key in ("positions", "influenceRows", "weights", "more")
    )
    if not ((np.abs(places) < MOST_NUMBER).all() and (rows >= 0).all() and (rows < MOST_ROWS**2).all()):
        raise ValueError("positions or rows of its mesh are no numbers of a mesh")
    packed = rows.reshape(vertices, 4).astype(np.int64)
    numbers, shares = packed % MOST_ROWS, weights.reshape(vertices, 4)
    if more.size:
        numbers = np.concatenate([numbers, packed // MOST_ROWS], axis=1)
        shares = np.concatenate([shares, more.reshape(vertices, 4)], axis=1)
    positions = UNITY.vectors_from(places.reshape(vertices, 3)).astype(np.float32)
    triangles: NDArray[np.int64] = np.frombuffer(blocks["triangles"], "<i4").astype(np.int64)
    return Mesh(positions, triangles.reshape(-1, 3)[:, [0, 2, 1]], numbers.astype(np.uint16), shares)
