# SPDX-License-Identifier: MIT
"""Folders of AnimToTexture's bone mode, in the layout of the form "unreal", as its node plays them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom import dual_quat
from lissom._export.unreal_files import CENTIMETRES, UnrealFiles, asset_or_none, signed_halves, skinned
from lissom._verify.found_clip import FoundClip, Reading
from lissom._verify.gamma import to_linear, to_srgb
from lissom._verify.picture_apart import is_tagged_srgb, read_apart
from lissom._verify.request import JUDGE, Request

__all__ = ["is_unreal", "read_unreal"]

Frames = npt.NDArray[np.int64]

COARSE = 1.9e-3
"""Of the size: what steps of 8 bits count as at most, since the judge takes larger ones for a fault."""

ANGLES = (
    (0.0, np.pi, "0 to 180 degrees"),
    (0.0, 2 * np.pi, "0 to 360 degrees"),
    (-np.pi, np.pi, "-180 to 180 degrees"),
)
"""What angles may be stored from 0 to 1, and how people say it."""

WRONG = "as if they were colours; import textures with sRGB off"


def is_unreal(path: Path) -> bool:
    """Whether a folder, or a file of JSON, has the properties of a data asset in bone mode."""
    files = path.glob("*.json") if path.is_dir() else [path]
    return any(asset_or_none(file) is not None for file in files if file.suffix == ".json")


def read_unreal(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of a folder."""
    folder = path if path.is_dir() else path.parent

    def named(count: int) -> dict[str, Any]:
        names = (
            list(request.spans) if count == len(request.spans) else [request.only_clip(path.stem, str(path))]
        )
        if count != len(names):
            raise ValueError(
                f"{JUDGE}: {path} must say the names of its {count} clips, in lissom.clips, since source has "
                f"{len(request.spans)} clips"
            )
        loops = [request.loops[name] if request.loop is None else request.loop for name in names]
        clips = [
            {"name": name, "play_rate": 1.0, "loop": loop, "start": request.spans[name][0]}
            for name, loop in zip(names, loops, strict=True)
        ]
        return {"clips": clips, "method": "linear"}

    files = UnrealFiles.of(folder, read_apart, JUDGE, request.mesh, named)
    played = files.played(request.playback or "interpolate")
    is_tagged = any(map(is_tagged_srgb, files.paths))
    for name in files.asset.clips:
        if not request.wants(name):
            continue
        first = played.clips[name].first_frame

        def at_frames(frames: Frames, first: int = first, **how: Any) -> npt.NDArray[np.float32]:
            return skinned(files.mesh, files.rows(first + frames, **how).dual_quats, files.asset.method)

        def palettes(frames: Frames, first: int = first) -> npt.NDArray[np.float64]:
            return np.asarray(dual_quat.to_matrix(files.rows(first + frames).dual_quats))

        def cut(frames: Frames, first: int = first) -> npt.NDArray[np.bool_]:
            return files.at_ends(first + frames)

        yield FoundClip(
            name,
            played,
            files.mesh,
            at_frames,
            files.asset.method,
            _step(files),
            readings=_other_readings(at_frames),
            is_tagged=is_tagged,
            palettes=palettes,
            cut=cut,
        )


def _step(files: UnrealFiles) -> float:
    """Return the largest step of vertices, model units: of places, and of turns at the mesh's reach."""
    steps = (1 << files.asset.bits) - 1
    extent = float(np.ptp(files.mesh.positions, axis=0).max(initial=0.0))
    step = (max(files.asset.size) / CENTIMETRES + 2.0 * extent) / steps
    return min(step, COARSE * extent) if files.asset.bits == 8 else step


def _of_axes(shares: npt.NDArray[np.float64], low: float, high: float) -> npt.NDArray[np.float64]:
    """Return quaternions of axes, -1 to 1, and of angles, both stored from 0 to 1."""
    axes = signed_halves(shares[..., :3])
    axes = axes / np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-30)
    half = 0.5 * (low + (high - low) * shares[..., 3:])
    return np.concatenate([np.sin(half) * axes, np.cos(half)], axis=-1)


def _other_readings(at_frames: Any) -> tuple[Reading, ...]:
    def reading(fault: str, sentence: str, **how: Any) -> Reading:
        return Reading(fault, sentence, lambda frames: at_frames(frames, **how))

    return (
        reading(
            "gamma", f"its numbers were made brighter, from linear light to sRGB, {WRONG}", change=to_linear
        ),
        reading("gamma", f"its numbers were made darker, from sRGB to linear light, {WRONG}", change=to_srgb),
        reading(
            "quaternion_order",
            "its rotations are w, x, y, z; write x, y, z, w",
            turns=lambda shares: np.roll(signed_halves(shares), -1, axis=-1),
        ),
        *(
            reading(
                "rotation_kind",
                f"its rotations are axes, and angles from {words}, and are read as quaternions; play them so",
                turns=partial(_of_axes, low=low, high=high),
            )
            for low, high, words in ANGLES
        ),
        reading(
            "flipped_v",
            "its textures of poses are upside down; write rows from the top",
            flipped=True,
        ),
        *(
            reading(
                "row_off_by_one",
                f"its rows are off by {rows}: frame 0, joints in the bind pose, should be in the first row",
                moved=(rows, 0),
            )
            for rows in (-1, 1)
        ),
        *(
            reading(
                "column_off_by_one",
                f"its columns are off by {columns}: palette row 0 should be in the first",
                moved=(0, columns),
            )
            for columns in (-1, 1)
        ),
    )
