# SPDX-License-Identifier: MIT
"""Babylon's texture of baked animation, by whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lissom._export.babylon import PlayedRounds
from lissom._export.babylon_file import baked_matrices, texture_of_ours
from lissom._export.babylon_texture import BakedTexture, Rounds
from lissom._files.load import load
from lissom._rig.mesh import Mesh
from lissom._verify.files import json_object, json_or_none
from lissom._verify.found_clip import FoundClip, Reading
from lissom._verify.gamma import to_linear, to_srgb
from lissom._verify.read_bake import read_bake
from lissom._verify.request import JUDGE, Request
from lissom._verify.shared_rows import sharing
from lissom._verify.steps import step_of_matrices
from lissom._verify.texel_readings import BRIGHTER, DARKER, UPSIDE_DOWN
from lissom.skinning import skin_linear

__all__ = ["is_babylon", "read_babylon"]


def is_babylon(path: Path) -> bool:
    """Whether a file is what Babylon's baker serialises."""
    return path.suffix == ".json" and "vertexData" in (json_or_none(path) or {})


def read_babylon(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of a texture; its mesh is the GLB beside it, or the source's.

    Or those of a bake of lissom's, where the folder is for lissom-babylon.
    """
    if path.is_dir() and any(path.glob("*.safetensors")):
        yield from read_bake(path, request)
        return
    if request.playback == "interpolate":
        raise ValueError(
            f"{JUDGE}: playback of Babylon's own texture must be 'snap', since its shader shows whole frames,"
            " got 'interpolate'; export with player='lissom' to have them mixed"
        )
    file = path if path.is_file() else _texture(path)
    whole = json_object(file)
    matrices, own = baked_matrices(whole, file, JUDGE), whole.get("lissom")
    mesh = _mesh(file, request, matrices.shape[1], is_ours=isinstance(own, dict))
    if isinstance(own, dict):
        texture, lag = (
            texture_of_ours(matrices, own, file, JUDGE),
            0.5 if own.get("middles") is True else 0.0,
        )
    else:
        texture, lag = _texture_of(matrices, request, file), 0.0
    step = step_of_matrices(texture.matrices, mesh)
    for name, rounds in texture.clips.items():
        if not request.wants(name):
            continue
        played = PlayedRounds(mesh, texture)

        def at_frames(frames: npt.NDArray[np.int64], first: int = rounds.first) -> npt.NDArray[np.float32]:
            return skin_linear(mesh, texture.matrices[first + frames])

        def palettes(frames: npt.NDArray[np.int64], first: int = rounds.first) -> npt.NDArray[np.float32]:
            return texture.matrices[first + frames]

        yield FoundClip(
            name,
            played,
            mesh,
            at_frames,
            "linear",
            step,
            readings=_other_readings(mesh, texture.matrices, rounds.first),
            lag=lag,
            seconds=rounds.round,
            sharing=sharing(name, {key: (one.first, one.last) for key, one in texture.clips.items()}),
            palettes=palettes,
        )


def _texture(folder: Path) -> Path:
    found = sorted(path for path in folder.glob("*.json") if is_babylon(path))
    if len(found) != 1:
        got = ", ".join(path.name for path in found) or "none"
        raise ValueError(f"{JUDGE}: {folder} must hold one texture of Babylon's baker as JSON, got {got}")
    return found[0]


def _texture_of(matrices: npt.NDArray[np.float32], request: Request, path: Path) -> BakedTexture:
    """Return a stranger's texture as one clip: all its rows, over the whole clip where no rate is said."""
    if len(matrices) < 2:
        raise ValueError(f"{JUDGE}: {path} must have at least two frames for Babylon's shader, got one")
    name = request.only_clip(path.stem, str(path))
    begin, end = request.spans[name]
    last = len(matrices) - 1
    duration = end - begin if request.rate is None else last / request.rate
    speed = (last + 1) / duration if duration > 0 else 1.0
    loop = request.loops[name] if request.loop is None else request.loop
    return BakedTexture(matrices, {name: Rounds(0, last, speed, begin, duration)}, {name: loop})


def _mesh(path: Path, request: Request, bones: int, is_ours: bool) -> Mesh:
    beside = path.with_suffix(".glb")
    mesh = load(beside).mesh if is_ours and beside.is_file() else request.mesh
    if mesh is None:
        raise ValueError(f"{JUDGE}: {path} needs the source's mesh, got none")
    if mesh.row_count > bones:
        raise ValueError(
            f"{JUDGE}: {path} must hold the {mesh.row_count} bones of the mesh, got {bones}; is it of another"
            " character?"
        )
    return mesh


def _other_readings(mesh: Mesh, matrices: npt.NDArray[np.float32], first: int) -> tuple[Reading, ...]:
    def reading(fault: str, sentence: str, other: npt.NDArray[np.float32]) -> Reading:
        return Reading(fault, sentence, lambda frames: skin_linear(mesh, _affine(other[first + frames])))

    return (
        reading("flipped_v", UPSIDE_DOWN, matrices[::-1]),
        reading("gamma", BRIGHTER, to_linear(matrices)),
        reading("gamma", DARKER, to_srgb(matrices)),
    )


def _affine(matrices: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    changed = matrices.copy()
    changed[..., 3, :] = 0.0, 0.0, 0.0, 1.0
    return changed
