# SPDX-License-Identifier: MIT
"""What the data asset of AnimToTexture says of its textures, as JSON: its properties, and what is left open.

Names and meanings of the properties are those of Epic's public reference of UAnimToTextureDataAsset. What
that reference leaves open is in the part "lissom".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lissom._base.methods import BAKED_METHODS
from lissom._export.vertex_clip import VertexClip

__all__ = ["BITS", "TEXTURES", "AssetClip", "DataAsset"]

BITS = {8: "EightBits", 16: "SixteenBits"}
"""Of bits of a number, the name of the precision."""

TEXTURES = ("BonePositionTexture", "BoneRotationTexture", "BoneWeightTexture")

LEFT_OUT = {TEXTURES[2], "StaticMesh"}
"""What a table of a data asset may lack: its influences are then those of the mesh that was baked."""


@dataclass(frozen=True)
class AssetClip:
    """A clip: blocks of rows, both ends included, and how fast they pass.

    Attributes
    ----------
    first, last : int
    play_rate : float
        Times `DataAsset.rate`: frames a second.
    loop : bool
    start : float
        Time of the first frame, seconds.
    """

    first: int
    last: int
    play_rate: float
    loop: bool
    start: float


@dataclass(frozen=True)
class DataAsset:
    """Properties of a data asset in bone mode.

    Attributes
    ----------
    joints : int
        Palette rows, "NumBones".
    frames : int
        Blocks of rows of the textures of poses, the first of which is at rest: "NumFrames".
    rate : float
        Frames a second.
    low, size : tuple of three floats
        The box of numbers from 0 to 1 in the texture of positions, centimetres.
    rows, weight_rows : int
        Rows of a block.
    bits : int
    files : mapping of str to str
        Of each of `TEXTURES`, and "StaticMesh" where there is one, its file.
    clips : mapping of str to AssetClip
    method : str
        How vertices are skinned.
    """

    joints: int
    frames: int
    rate: float
    low: tuple[float, float, float]
    size: tuple[float, float, float]
    rows: int
    weight_rows: int
    bits: int
    files: Mapping[str, str]
    clips: Mapping[str, AssetClip]
    method: str

    def vertex_clip(self, name: str) -> VertexClip:
        """Return the frames of a clip, and their rate."""
        clip = self.clips[name]
        return VertexClip(
            clip.first, clip.last - clip.first + 1, self.rate * clip.play_rate, clip.loop, clip.start
        )

    def to_json(self, more: Mapping[str, Any]) -> str:
        """Return the asset as JSON; `more` goes into the part "lissom"."""
        whole = {
            "Mode": "Bone",
            "Precision": BITS[self.bits],
            "NumBones": self.joints,
            "NumBoneInfluences": "Four",
            "NumFrames": self.frames,
            "SampleRate": self.rate,
            "UVChannel": 1,
            "BoneMinBBox": list(self.low),
            "BoneSizeBBox": list(self.size),
            "BoneRowsPerFrame": self.rows,
            "BoneWeightRowsPerFrame": self.weight_rows,
            **self.files,
            "Animations": [{"StartFrame": clip.first, "EndFrame": clip.last} for clip in self.clips.values()],
            "lissom": {
                "clips": [
                    {"name": name, "play_rate": clip.play_rate, "loop": clip.loop, "start": clip.start}
                    for name, clip in self.clips.items()
                ],
                "method": self.method,
                **more,
            },
        }
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def of(
        cls,
        whole: Mapping[str, Any],
        path: Path,
        what: str,
        named: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> DataAsset:
        """Read the asset of a JSON object; ValueError where it is none, or of another mode.

        `named` returns the part "lissom" of a table that has none, of so many clips: a data asset names none.
        """

        def get(table: Mapping[str, Any], key: str, kind: str, check: Callable[[Any], bool]) -> Any:
            value = table.get(key) if isinstance(table, dict) else None
            if not check(value):
                raise ValueError(f"{what}: {path}: {key} must be {kind}, got {str(value)[:80]}")
            return value

        def count(key: str, least: int = 1) -> int:
            return int(get(whole, key, f"a whole number from {least}", lambda v: _whole(v, least)))

        get(whole, "Mode", "'Bone': textures of vertices are not read", lambda v: v == "Bone")
        joints, frames = count("NumBones"), count("NumFrames", 2)
        precision = get(whole, "Precision", "EightBits or SixteenBits", lambda v: v in BITS.values())
        box = [
            tuple(map(float, get(whole, key, "three finite numbers", _three)))
            for key in ("BoneMinBBox", "BoneSizeBBox")
        ]
        keys = [key for key in (*TEXTURES, "StaticMesh") if key in whole or key not in LEFT_OUT]
        files = {key: str(get(whole, key, "the name of a file beside it", _file)) for key in keys}
        spans = get(whole, "Animations", "a list of clips", lambda v: isinstance(v, list) and bool(v))
        if "lissom" not in whole and named is not None:
            whole = {**whole, "lissom": named(len(spans))}
        ours = get(whole, "lissom", "an object with the names of the clips", _object)
        names = get(ours, "clips", f"a list of {len(spans)} clips", lambda v: isinstance(v, list))
        if len(names) != len(spans):
            raise ValueError(f"{what}: {path}: lissom.clips must have {len(spans)} clips, got {len(names)}")
        rate = float(get(whole, "SampleRate", "a number above 0", lambda v: _number(v, 0.0)))
        clips = {}
        for span, told in zip(spans, names, strict=True):
            name = get(told, "name", "a text", lambda v: isinstance(v, str))
            first, last = (
                int(get(span, key, f"a frame, 0 to {frames - 1}", lambda v: _whole(v, 0) and v < frames))
                for key in ("StartFrame", "EndFrame")
            )
            if last < first or name in clips:
                raise ValueError(
                    f"{what}: {path}: clip {name!r} must end at its first frame or later, and be there once,"
                    f" got frames {first} to {last}"
                )
            clips[name] = AssetClip(
                first,
                last,
                float(get(told, "play_rate", "a number above 0", lambda v: _number(v, 0.0))),
                bool(get(told, "loop", "true or false", lambda v: isinstance(v, bool))),
                float(get(told, "start", "a number", _number)),
            )
        method = get(ours, "method", " or ".join(BAKED_METHODS), lambda v: v in ("linear", "dual_quat"))
        return cls(
            joints,
            frames,
            rate,
            box[0],  # type: ignore[arg-type]  # three numbers each
            box[1],  # type: ignore[arg-type]
            count("BoneRowsPerFrame"),
            count("BoneWeightRowsPerFrame") if files.keys() >= LEFT_OUT else 0,
            next(bits for bits, name in BITS.items() if name == precision),
            files,
            clips,
            method,
        )


def _number(value: object, least: float = -1e9) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least < value < 1e9


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 1 << 24


def _three(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_number, value))


def _file(value: object) -> bool:
    return isinstance(value, str) and value not in ("", ".", "..") and not set(value) & set("/\\\0")


def _object(value: object) -> bool:
    return isinstance(value, dict)
