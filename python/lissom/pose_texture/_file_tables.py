# SPDX-License-Identifier: MIT
"""The JSON tables in the metadata of a bake's file: all but arrays and facts about the file."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from lissom._rig.part import CUTOFF, AlphaMode
from lissom.clip._error import ClipError
from lissom.clip._markers import Marker, checked_markers
from lissom.clip._root_motion import RootMotion
from lissom.clip._root_motion_mark import RootMotionMark
from lissom.pose_texture._report import BakedClip

__all__ = [
    "ClipTable",
    "LevelTable",
    "LevelTables",
    "PartTable",
    "RigTable",
    "Tables",
    "TextureTable",
    "baked_clip",
    "clip_table",
    "take",
]

Arrays = dict[str, npt.NDArray[Any]]


class RootMotionTable(msgspec.Struct, forbid_unknown_fields=True):
    """A `RootMotion`; its keys are in the array ``root_motion.N``, N being the clip's index.

    A track is path, interpolation, key_count, and the indices where its times and values begin.
    """

    tracks: list[tuple[int, int, int, int, int]]
    loop: bool | Literal["ping_pong"]
    joints: list[str]
    error: float


class ClipTable(msgspec.Struct, forbid_unknown_fields=True):
    """One `BakedClip`, bounds as nested lists, markers as pairs of seconds and name."""

    name: str
    first_frame: int
    frame_count: int
    rate: float
    loop: bool
    start: float
    duration: float
    bounds: list[list[float]]
    error: ClipError
    markers: list[tuple[float, str]] = []
    root_motion: RootMotionTable | None = None


class PartTable(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One part of the mesh; its textures are indices of ``texture.N``, or -1.

    Version 3 added those with defaults, which are written where they differ from these.
    """

    name: str
    vertices: tuple[int, int]
    triangles: tuple[int, int]
    rigid: bool
    base_color: tuple[float, float, float, float]
    texture: int
    unlit: bool = False
    emissive: tuple[float, float, float] | None = None
    emissive_texture: int = -1
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = CUTOFF
    double_sided: bool = False


class LevelTable(msgspec.Struct, forbid_unknown_fields=True):
    """A level of detail: model units that it is off by, and the triangles of each part of the mesh."""

    distance: float
    parts: list[tuple[int, int]]


class LevelTables(msgspec.Struct, forbid_unknown_fields=True):
    """Levels of detail behind the mesh, which has so many vertices and triangles."""

    vertices: int
    triangles: int
    levels: list[LevelTable]


class TextureTable(msgspec.Struct, forbid_unknown_fields=True):
    """One picture of the mesh, its bytes in the array ``texture.N``."""

    name: str
    mime: str


class RigTable(msgspec.Struct, forbid_unknown_fields=True):
    """A `Rig` without the arrays ``rig.parents`` and ``rig.local``."""

    moving: int
    rigid: bool


class Tables(msgspec.Struct, forbid_unknown_fields=True):
    """All tables of a bake.

    Version 2 added `rig`, `edited`, `parents`, markers and root motion, version 3 `morphs`: the names of the
    morph targets.
    """

    layout: str
    method: str
    size: float
    joints: list[str]
    clips: list[ClipTable]
    source_hash: str
    measured: str
    vertex_count: int
    subframes: list[float]
    max_error: float | None
    notes: list[str]
    parts: list[PartTable] | None
    textures: list[TextureTable]
    rig: RigTable | None = None
    edited: bool = False
    left_out: float | msgspec.UnsetType = msgspec.UNSET  # written where it is not 0
    parents: list[int] | None = None
    morphs: list[str] | msgspec.UnsetType = msgspec.UNSET  # written where there are any


def take(arrays: Arrays, name: str) -> npt.NDArray[Any]:
    """Remove an array and return it. ValueError where it is missing."""
    if name not in arrays:
        raise ValueError(f"the array {name!r} is missing")
    return arrays.pop(name)


def clip_table(name: str, clip: BakedClip, index: int, arrays: Arrays) -> ClipTable:
    """Return the table of a clip, and put the keys of its root motion among the arrays."""
    motion = None
    if clip.root_motion is not None:
        mark = RootMotionMark.of(clip.root_motion)
        arrays[f"root_motion.{index}"] = np.frombuffer(mark.keys, "<f8")
        motion = RootMotionTable(mark.tracks, mark.loop, mark.joints, mark.error)
    return ClipTable(
        name,
        clip.first_frame,
        clip.frame_count,
        clip.rate,
        clip.loop,
        clip.start,
        clip.duration,
        clip.bounds.tolist(),
        clip.error,
        [(marker.time, marker.name) for marker in clip.markers],
        motion,
    )


def baked_clip(table: ClipTable, index: int, arrays: Arrays) -> BakedClip:
    """Return the clip that a table was made of."""
    with np.errstate(over="ignore"):  # what float32 cannot hold is refused below
        bounds = np.array(table.bounds, dtype=np.float32)
    if bounds.shape != (2, 3):
        raise ValueError(f"clip {table.name!r} must have bounds of shape (2, 3), got {bounds.shape}")
    if np.isinf(bounds).any():
        raise ValueError(f"clip {table.name!r} must have bounds that fit float32, got {table.bounds}")
    bounds.flags.writeable = False
    markers: tuple[Marker, ...] = checked_markers(table.markers)
    motion: RootMotion | None = None
    if table.root_motion is not None:
        keys = take(arrays, f"root_motion.{index}")
        if keys.dtype != np.float64 or keys.ndim != 1:
            raise ValueError(f"root_motion.{index} must be float64 (N,), got {keys.dtype} {keys.shape}")
        stored = table.root_motion
        mark = RootMotionMark(
            keys.astype("<f8").tobytes(), stored.tracks, stored.loop, stored.joints, stored.error
        )
        motion = mark.motion()
    return BakedClip(
        table.first_frame,
        table.frame_count,
        table.rate,
        table.loop,
        table.start,
        table.duration,
        bounds,
        table.error,
        markers,
        motion,
    )
