# SPDX-License-Identifier: MIT
"""What Godot has of a folder of the form "godot": read from the resources, shader and scene that it opens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._export.engine_bake import EngineBake, engine_clip
from lissom._export.godot_mesh import read_surface
from lissom._export.surfaces import surfaces_of
from lissom._export.texel_lines import MOST_NUMBER, frames_of_lines
from lissom._export.vertex_clip import VertexClip
from lissom._formats import godot_resource
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import read_regular
from lissom._rig.mesh import Mesh

__all__ = ["FORMATS", "bake_of_godot"]

FORMATS = {"float16": "RGBAHalf", "float32": "RGBAFloat"}
"""Names of Godot's formats of pictures."""

LAYOUTS = {"dual_quat": (2, 3, 5), "matrix": (3,)}
"""Texels of a palette row that the shader knows, by layout."""

CLIPS = "clips = Array[Dictionary]("
DEFINE = re.compile(r"^#define (\w+)(?: (\d{1,9}))?$", re.MULTILINE)
MOST_ROWS = 1 << 20
"""Rows and influences: more than any shader has."""


def bake_of_godot(folder: Path, stem: str, what: str, like: Mesh | None) -> EngineBake:
    """Read a folder; `what` begins errors.

    Vertices are in the order of `like`, where that has the same surfaces, or else one surface after another.
    """
    poses, table = folder / f"{stem}_poses.res", folder / f"{stem}_clips.res"
    shader = folder / f"{stem}_pose.gdshaderinc"
    rows, texels, layout, method = _defines(shader, what)
    clips = _clips(_image(table, what), _told_clips(folder / f"{stem}_crowd.tscn", what), table, what)
    stored = frames_of_lines(f"{what}: {poses}", _image(poses, what), (rows, texels), layout, clips)
    mesh = _mesh(folder / f"{stem}_mesh.res", what, like)
    if mesh.row_count > rows:
        raise ValueError(
            f"{what}: {shader} must have ROWS for the influences of its mesh, {mesh.row_count}, got {rows};"
            " is the mesh of another bake?"
        )
    return EngineBake(stored, layout, method, clips, mesh)


def _defines(path: Path, what: str) -> tuple[int, int, str, str]:
    """Return palette rows, texels of each, layout and method, of what stands before the shader."""
    found = {name: int(number or 1) for name, number in DEFINE.findall(_text(path, what))}
    layout = "matrix" if "LAYOUT_MATRIX" in found else "dual_quat"
    method = "dual_quat" if "METHOD_DUAL_QUAT" in found else "linear"
    rows, texels = found.get("ROWS", 0), found.get("TEXELS", 0)
    if not 1 <= rows <= MOST_ROWS or texels not in LAYOUTS[layout]:
        raise ValueError(
            f"{what}: {path} must define ROWS, from 1, and TEXELS of a row as layout {layout!r} has them, "
            f"got {rows} and {texels}; export it again"
        )
    return rows, texels, layout, method


def _told_clips(path: Path, what: str) -> list[tuple[str, float]]:
    """Return names and starts of the clips, as the scene of the crowd has them."""
    text = _text(path, what)
    at = text.find(CLIPS)
    try:
        if at < 0:
            raise ValueError
        # Dictionaries of strings, numbers and flags are written as JSON has them.
        told, _ = json.JSONDecoder().raw_decode(text, at + len(CLIPS))
        clips = [(str(clip["name"]), float(clip["start"])) for clip in told]
    except (ValueError, RecursionError, TypeError, KeyError, OverflowError):
        raise ValueError(
            f"{what}: {path} must hold the clips of the crowd, {CLIPS}[...]), with a name and a start each,"
            " got none; export it again"
        ) from None
    if len({name for name, _ in clips}) < len(clips):
        raise ValueError(f"{what}: {path} must have a name for each clip, got one twice")
    return clips


def _clips(
    table: NDArray[Any], told: list[tuple[str, float]], path: Path, what: str
) -> Mapping[str, VertexClip]:
    rows = table.reshape(-1, 4).astype(np.float64)
    if not 1 <= len(told) <= len(rows):
        raise ValueError(
            f"{what}: {path} must hold each clip of its scene, {len(told)}, got {len(rows)}; export it again"
        )
    clips = {}
    for (name, start), (first, intervals, seconds, loop) in zip(told, rows.tolist(), strict=False):
        place = f"{what}: {path}: clip {name!r}"
        clips[name] = engine_clip(place, first, intervals, seconds, loop > 0, start)
    return clips


def _image(path: Path, what: str) -> NDArray[Any]:
    """Return the pixels of an ImageTexture, (height, width, 4)."""
    told: Any = _resources(path, what)[0].properties.get("data")
    try:
        dtype = next(key for key, value in FORMATS.items() if value == told["format"])
        pixels = np.frombuffer(told["data"], np.dtype(dtype).newbyteorder("<"))
        return pixels.reshape(told["height"], told["width"], 4).astype(dtype)
    except (StopIteration, KeyError, TypeError, ValueError):
        raise ValueError(
            f"{what}: {path} must hold a picture of {' or '.join(FORMATS.values())}, got another; export it"
            " again"
        ) from None


def _mesh(path: Path, what: str, like: Mesh | None) -> Mesh:
    told: Any = _resources(path, what)[-1].properties.get("_surfaces")
    try:
        surfaces = [read_surface(one) for one in told]
        mesh = _joined(surfaces, like)
        if not ((np.abs(mesh.positions) < MOST_NUMBER).all() and surfaces):
            raise ValueError("finite positions are needed")
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ValueError(
            f"{what}: {path} must hold an ArrayMesh as the shader takes it, got another: "
            f"{' '.join(str(error).split())[:200]}; export it again"
        ) from None
    return mesh


def _joined(surfaces: Sequence[tuple[NDArray[Any], ...]], like: Mesh | None) -> Mesh:
    """Return the surfaces as one mesh."""
    owners = [] if like is None else [surface.vertices for surface in surfaces_of(like)]
    counts = [len(positions) for positions, *_ in surfaces]
    if [len(own) for own in owners] != counts:
        firsts = np.cumsum([0, *counts])
        owners = [first + np.arange(count) for first, count in zip(firsts, counts, strict=False)]
    count = max((int(own.max(initial=-1)) + 1 for own in owners), default=0)
    width = max((rows.shape[1] for _, rows, *_ in surfaces), default=4)
    positions = np.zeros((count, 3), np.float32)
    rows, weights = np.zeros((count, width), np.float32), np.zeros((count, width), np.float32)
    corners = []
    for own, (places, numbers, shares, triangles) in zip(owners, surfaces, strict=True):
        positions[own] = places
        rows[own, : numbers.shape[1]], weights[own, : shares.shape[1]] = numbers, shares
        corners.append(own[triangles])
    if not (rows >= 0).all() or rows.max(initial=0) > MOST_ROWS:
        raise ValueError("rows of influences are numbers from 0")
    return Mesh(positions, np.concatenate(corners), rows.astype(np.uint32), weights)


def _resources(path: Path, what: str) -> tuple[godot_resource.Resource, ...]:
    data = _bytes(path, what)
    try:
        found = godot_resource.decode(data)
        if not found:
            raise ValueError("it holds no resource")
    except ValueError as error:
        raise ValueError(f"{what}: {path} must be a resource of Godot, got another: {error}") from None
    return found


def _text(path: Path, what: str) -> str:
    data = _bytes(path, what)
    Budget.of_file(f"{what}: {path}", len(data)).spend(JsonExtent.of(data).plain_bytes + 4 * len(data))
    return data.decode("utf-8", errors="replace")


def _bytes(path: Path, what: str) -> bytes:
    if not path.is_file():
        raise ValueError(f"{what}: {path.parent} must hold {path.name}, got none; export the folder whole")
    return read_regular(path)
