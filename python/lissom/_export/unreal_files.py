# SPDX-License-Identifier: MIT
"""The files of the form "unreal": what numbers stand for, and the vertices that its shader makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import dual_quat
from lissom._export.axes import UNREAL
from lissom._export.blocks import Blocks
from lissom._export.glb_vertices import read_vertices
from lissom._export.rigid_rows import RigidRows
from lissom._export.unreal_asset import LEFT_OUT, TEXTURES, DataAsset
from lissom._export.vertex_animation import Playback, frame_coordinates, whole_frames
from lissom._export.vertex_clip import VertexClip
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import read_regular
from lissom._rig.mesh import Mesh
from lissom.skinning import skin_dual_quat, skin_linear

__all__ = [
    "CENTIMETRES",
    "PlayedRows",
    "UnrealFiles",
    "asset_or_none",
    "quaternions",
    "signed_halves",
    "skinned",
]

CENTIMETRES = 100.0
"""Of a metre."""

Floats = NDArray[np.float32]


def quaternions(rotations: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return rotations of lissom's axes in Unreal's, and those of Unreal in lissom's.

    Two axes change places, which mirrors: the vector is mirrored, and turns the other way.
    """
    return np.concatenate([-UNREAL.vectors(rotations[..., :3]), rotations[..., 3:]], axis=-1)


def signed_halves(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers from -1 to 1 that are stored from 0 to 1."""
    return 2.0 * shares - 1.0


def asset_or_none(path: Path) -> Mapping[str, Any] | None:
    """Return the object in a JSON file that names a texture of positions; None for others."""
    try:
        data = read_regular(path)
        Budget.of_file(str(path), len(data)).spend(JsonExtent.of(data).plain_bytes)
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError, OSError):
        return None
    return found if isinstance(found, dict) and TEXTURES[0] in found else None


@dataclass(frozen=True, eq=False)
class UnrealFiles:
    """A folder's files.

    Attributes
    ----------
    asset : DataAsset
    mesh : Mesh
        In lissom's axes, with the influences of the texture of weights.
    positions, rotations : ndarray of float32, shape (height, width, 3 or 4)
        Numbers from 0 to 1, first row on top.
    paths : tuple of Path
        The textures.
    """

    asset: DataAsset
    mesh: Mesh
    positions: Floats
    rotations: Floats
    paths: tuple[Path, ...]

    @classmethod
    def of(
        cls,
        folder: Path,
        read: Callable[[Path, str], Floats],
        what: str,
        baked: Mesh | None = None,
        named: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> UnrealFiles:
        """Read the files of a folder; ValueError where one is missing or does not fit the others.

        `baked` is the mesh of tables without one; `named` is handed on to `DataAsset.of`.
        """
        tables = [path for path in sorted(folder.glob("*.json")) if asset_or_none(path) is not None]
        if len(tables) != 1:
            got = ", ".join(path.name for path in tables) or "none"
            raise ValueError(
                f"{what}: {folder} must hold one JSON of the properties of a data asset, with {TEXTURES[0]},"
                f" got {got}"
            )
        (table,) = tables
        asset = DataAsset.of(asset_or_none(table) or {}, table, what, named)
        for file in asset.files.values():
            if not (folder / file).is_file():
                raise ValueError(f"{what}: {table} names the file {file!r}, which is not beside it")
        paths = tuple(folder / asset.files[key] for key in TEXTURES if key in asset.files)
        positions, rotations = _pixels(paths[0], read, what, 3), _pixels(paths[1], read, what)
        if positions.shape[:2] != rotations.shape[:2]:
            raise ValueError(
                f"{what}: {paths[1]} must be as large as {paths[0].name}, {_words(positions)}, got "
                f"{_words(rotations)}"
            )
        height, width = positions.shape[:2]
        blocks = Blocks(asset.joints, width)
        if blocks.rows != asset.rows or asset.frames * asset.rows > height:
            raise ValueError(
                f"{what}: {paths[0]} must hold {asset.frames} frames of {asset.joints} palette rows in "
                f"{asset.rows} rows of pixels each, got {_words(positions)}; is it of another bake?"
            )
        if asset.files.keys() >= LEFT_OUT:
            bare, uvs = read_vertices(folder / asset.files["StaticMesh"], what)
            mesh = _with_influences(bare, uvs, _pixels(paths[2], read, what), asset, paths[2], what)
        elif baked is None:
            raise ValueError(f"{what}: {table} must name StaticMesh and {TEXTURES[2]}, got neither")
        else:
            mesh = baked
        if mesh.row_count > asset.joints:
            raise ValueError(
                f"{what}: {table} must hold the mesh's {mesh.row_count} palette rows, got {asset.joints};"
                " is it of another character?"
            )
        return cls(asset, mesh, positions[..., :3], rotations, paths)

    def rows(
        self,
        frames: NDArray[np.int64] | None = None,
        change: Callable[[Floats], Floats] = lambda numbers: numbers,
        moved: tuple[int, int] = (0, 0),
        flipped: bool = False,
        turns: Callable[[NDArray[np.float64]], NDArray[np.float64]] = signed_halves,
    ) -> RigidRows:
        """Return palette rows at some blocks in lissom's axes, metres; at all when omitted.

        Other readings, for who looks for faults: numbers are changed first, texels read some rows and columns
        off, or from textures upside down; `turns` makes quaternions of four numbers from 0 to 1.
        """
        asset = self.asset
        chosen = np.arange(asset.frames) if frames is None else frames
        blocks = Blocks(asset.joints, self.positions.shape[1])
        low, size = (np.array(side, np.float32).astype(np.float64) for side in (asset.low, asset.size))

        def places(which: NDArray[np.int64]) -> NDArray[np.float64]:
            shares = change(blocks.values(self.positions, which, moved, flipped)).astype(np.float64)
            return np.asarray(UNREAL.vectors_from(low + size * shares) / CENTIMETRES)

        found = turns(change(blocks.values(self.rotations, chosen, moved, flipped)).astype(np.float64))
        found = found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-30)
        return RigidRows(places(np.zeros(1, np.int64))[0], np.asarray(quaternions(found)), places(chosen))

    def at_ends(self, frames: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows (frame, R) of some blocks have a place at an end of what the texture holds."""
        blocks = Blocks(self.asset.joints, self.positions.shape[1])
        whole = blocks.values(self.positions, np.arange(self.asset.frames))
        low, high = whole.min(axis=(0, 1)), whole.max(axis=(0, 1))
        ends = ((whole <= low) | (whole >= high)).any(axis=-1)
        return np.asarray(ends[frames] | ends[0])

    def played(self, playback: Playback = "interpolate") -> PlayedRows:
        """Return the vertices that the shader draws."""
        asset = self.asset
        clips = {name: asset.vertex_clip(name) for name in asset.clips}
        return PlayedRows(self.mesh, self.rows().dual_quats, clips, asset.method, playback)


@dataclass(frozen=True, eq=False)
class PlayedRows:
    """Palette rows that are mixed between frames and skin a mesh, as LissomBonePose.hlsl does it.

    Attributes
    ----------
    dual_quats : ndarray of float64, shape (F, R, 8)
        Unit.
    """

    mesh: Mesh
    dual_quats: NDArray[np.float64]
    clips: Mapping[str, VertexClip]
    method: str
    playback: Playback = "interpolate"

    @property
    def vertex_count(self) -> int:
        return self.mesh.vertex_count

    def vertices(self, clip: str, seconds: NDArray[np.float64]) -> Floats:
        frames = self.clips[clip]
        coordinates = frame_coordinates(frames, np.asarray(seconds, np.float64), loop=False)
        if self.playback == "snap":
            return skinned(
                self.mesh, self.dual_quats[frames.first_frame + whole_frames(coordinates)], self.method
            )
        before = np.minimum(np.floor(coordinates), max(frames.frame_count - 2, 0)).astype(np.int64)
        after = np.minimum(before + 1, frames.frame_count - 1)
        a, b = (self.dual_quats[frames.first_frame + at] for at in (before, after))
        share = (coordinates - before)[:, None, None]
        signs = np.where((a[..., :4] * b[..., :4]).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        return skinned(self.mesh, (1 - share) * a + share * signs * b, self.method)


def skinned(mesh: Mesh, dual_quats: NDArray[np.float64], method: str) -> Floats:
    """Return the vertices (..., V, 3) that palette rows of any length move."""
    if method == "dual_quat":
        return np.asarray(skin_dual_quat(mesh, dual_quats.astype(np.float32)), np.float32)
    lengths = np.linalg.norm(dual_quats[..., :4], axis=-1, keepdims=True)
    matrices = dual_quat.to_matrix(dual_quats / np.maximum(lengths, 1e-30))
    return np.asarray(skin_linear(mesh, matrices.astype(np.float32)), np.float32)


def _pixels(path: Path, read: Callable[[Path, str], Floats], what: str, least: int = 4) -> Floats:
    pixels = read(path, what)
    if pixels.ndim != 3 or pixels.shape[2] < least:
        raise ValueError(f"{what}: {path} must have {least} numbers in each pixel, got {_words(pixels)}")
    if not np.isfinite(pixels).all():
        row, column, _ = np.argwhere(~np.isfinite(pixels))[0]
        raise ValueError(
            f"{what}: {path} must hold finite numbers, got another at row {row}, column {column}"
        )
    return pixels


def _words(pixels: Floats) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]} pixels of {pixels.shape[-1]} numbers"


def _with_influences(
    mesh: Mesh, uvs: Floats, pixels: Floats, asset: DataAsset, path: Path, what: str
) -> Mesh:
    """Return a mesh with the weights, and below them the palette rows, that its vertices point at."""
    height, width = pixels.shape[:2]
    if uvs.min(initial=0.0) < 0 or uvs.max(initial=0.0) >= 1:
        raise ValueError(
            f"{what}: the second texture coordinates of {asset.files['StaticMesh']} must point into "
            f"{path.name}, from 0 to below 1, got {uvs.min():.4g} to {uvs.max():.4g}"
        )
    column, row = np.floor(uvs * np.array([width, height], np.float32)).astype(np.int64).T
    below = row + asset.weight_rows
    if 2 * asset.weight_rows > height or below.max(initial=0) >= height:
        raise ValueError(
            f"{what}: {path} must hold {asset.weight_rows} rows of weights, BoneWeightRowsPerFrame, at which"
            f" the mesh points, and as many of palette rows below them, got {height} rows; is it of another"
            " bake?"
        )
    weights = pixels[row, column].astype(np.float64)
    steps = (1 << asset.bits) - 1
    numbers = np.rint(pixels[below, column] * steps).astype(np.int64)
    sums = weights.sum(axis=1)
    wrong = np.flatnonzero((np.abs(sums - 1) > 0.02) | (numbers.max(axis=1) >= asset.joints))
    if len(wrong):
        vertex = int(wrong[0])
        raise ValueError(
            f"{what}: {path} must hold weights with the sum 1, and below them palette rows under "
            f"{asset.joints}, got {weights[vertex].round(4).tolist()} of {numbers[vertex].tolist()} at "
            f"vertex {vertex}; is it the texture of this mesh?"
        )
    return Mesh(
        mesh.positions,
        mesh.triangles,
        numbers.astype(np.uint16),
        (weights / sums[:, None]).astype(np.float32),
    )
