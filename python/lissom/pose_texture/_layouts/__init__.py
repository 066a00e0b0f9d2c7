# SPDX-License-Identifier: MIT
"""How skin transforms become texels and palettes again: one object for each layout, by name in `LAYOUTS`.

A layout makes row floats of a clip's frames (`Source`), (frames, rows, 4 T) float32: T texels of four
numbers for each row. `Texels` stores them in a type and reads them between frames; all that it knows of the
layout is which texel holds a quaternion (`TexelForm`). From the row floats read, the layout makes a palette.
"""

from __future__ import annotations

from lissom.pose_texture._layouts.dual_quat import DualQuatLayout
from lissom.pose_texture._layouts.layout import JointLayout, Layout, Plan
from lissom.pose_texture._layouts.matrix import MatrixLayout
from lissom.pose_texture._layouts.quat_trans import QuatTransLayout
from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.rotations import RotationsLayout
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.source import ClipSource, Source
from lissom.pose_texture._layouts.texels import DTYPES, TexelArray, TexelForm, Texels
from lissom.pose_texture._layouts.trs import TrsLayout

__all__ = [
    "DTYPES",
    "LAYOUTS",
    "ClipSource",
    "JointLayout",
    "Layout",
    "Plan",
    "Rig",
    "SampledPalette",
    "Source",
    "TexelArray",
    "TexelForm",
    "Texels",
    "layout_named",
]

_ALL: tuple[Layout, ...] = (
    DualQuatLayout(),
    MatrixLayout(),
    QuatTransLayout(),
    TrsLayout(),
    RotationsLayout(),
)

LAYOUTS = {layout.name: layout for layout in _ALL}


def layout_named(function: str, name: str) -> Layout:
    """Return a layout; ValueError in the name of `function` lists those that exist."""
    if not isinstance(name, str) or name not in LAYOUTS:
        exists = ", ".join(repr(known) for known in LAYOUTS)
        raise ValueError(f"{function}: layout must be one of {exists}, got {name!r}")
    return LAYOUTS[name]
