# SPDX-License-Identifier: MIT
"""Bakes of joints: as `PoseTexture.save` writes them, and as engines have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._export.engine_bake import EngineBake
from lissom._export.played import PlayedBake
from lissom._export.vertex_clip import VertexClip
from lissom._verify.files import only_file
from lissom._verify.found_clip import FoundClip, Reading
from lissom._verify.request import JUDGE, Request
from lissom._verify.shared_rows import sharing
from lissom._verify.steps import step_of_bake
from lissom._verify.texel_readings import texel_readings
from lissom.pose_texture import PoseTexture, load_bake

__all__ = ["found_engine_bake", "read_bake"]


def read_bake(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of a file that `PoseTexture.save` wrote."""
    bake = load_bake(only_file(path, ".safetensors"))
    if bake.mesh is None:
        raise ValueError(f"{JUDGE}: {path} must have its mesh, got none; bake with include_mesh=True")
    played = PlayedBake(bake, request.playback or "interpolate")
    for name in bake.clips:
        if request.wants(name):
            readings = texel_readings(bake.texels, bake.layout, name, partial(_with_texels, bake))
            yield _found(bake, name, played, readings)


def _with_texels(bake: PoseTexture, texels: npt.NDArray[Any]) -> PoseTexture:
    copy = bake.edited()
    copy.texels[...] = texels
    return copy


def found_engine_bake(engine: EngineBake, request: Request, form: str) -> Iterator[FoundClip]:
    """Find the clips of a bake in the files of an engine whose shader mixes frames."""
    if request.playback == "snap":
        raise ValueError(
            f"{JUDGE}: playback of form {form!r} must be 'interpolate', which its shader does, got 'snap'"
        )
    used = max(clip.first_frame + clip.frame_count for clip in engine.clips.values())
    texels = engine.texels[:used]
    rows = {
        name: (clip.first_frame, clip.first_frame + clip.frame_count - 1)
        for name, clip in engine.clips.items()
    }
    for name in engine.clips:
        if request.wants(name):
            bake = engine.clip(name)
            bake_of = partial(_clip_of, engine, name)
            readings = texel_readings(texels, engine.layout, name, bake_of)
            yield replace(_found(bake, name, PlayedBake(bake), readings), sharing=sharing(name, rows))


def _clip_of(engine: EngineBake, name: str, texels: npt.NDArray[Any]) -> PoseTexture:
    return replace(engine, texels=texels).clip(name)


def _found(bake: PoseTexture, name: str, played: PlayedBake, readings: tuple[Reading, ...]) -> FoundClip:
    assert bake.mesh is not None
    clip = played.clips[name]
    return FoundClip(
        name,
        played,
        bake.mesh,
        partial(_at_frames, bake, name, clip),
        bake.method,
        step_of_bake(bake),
        readings,
        bake=bake,
        palettes=partial(_palettes, bake, name, clip),
    )


def _palettes(
    bake: PoseTexture, name: str, clip: VertexClip, frames: npt.NDArray[np.int64]
) -> npt.NDArray[np.floating]:
    palette: Any = bake.sample(name, clip.start + frames / clip.rate, loop=False)
    return np.asarray(palette.matrices)


def _at_frames(
    bake: PoseTexture, name: str, clip: VertexClip, frames: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    return PlayedBake(bake).vertices(name, clip.start + frames / clip.rate)
