# SPDX-License-Identifier: MIT
"""Pose textures: clips baked into a texture of skin transforms, how they are stored, read and edited."""

from lissom._base.set_module import publish as _publish
from lissom.clip._error import ClipError, ErrorStats
from lissom.pose_texture._file import load_bake
from lissom.pose_texture._layouts import Rig, SampledPalette
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.pose_texture._report import BakedClip, BakeReport
from lissom.pose_texture._texel_edits import StoredRow

__all__ = [
    "BakeReport",
    "BakedClip",
    "ClipError",
    "ErrorStats",
    "PoseTexture",
    "Rig",
    "SampledPalette",
    "StoredRow",
    "load_bake",
]

_publish(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
