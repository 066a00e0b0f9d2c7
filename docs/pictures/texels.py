# SPDX-License-Identifier: MIT
"""Texels of a bake: what each layout puts into a row, and what a clip looks like as a texture."""

import numpy as np
from charts import FAINT, INK
from numpy.typing import NDArray
from overlay import Overlay
from PIL import Image

import lissom

REAL, DUAL, ROWS, MOVE, SCALE = (
    (120, 158, 196),
    (186, 206, 226),
    (214, 158, 120),
    (150, 190, 140),
    (226, 200, 120),
)
LAYOUTS = (
    ("dual_quat", (("real", REAL), ("dual", DUAL)), "16"),
    ("  with uniform scale", (("real", REAL), ("dual", DUAL), ("offset, s", SCALE)), "24"),
    ("matrix", (("row 0", ROWS), ("row 1", ROWS), ("row 2", ROWS)), "24"),
    ("quat_trans", (("rotation", REAL), ("translation", MOVE)), "16"),
    ("trs, of joints", (("translation", MOVE), ("rotation", REAL), ("scale", SCALE)), "24"),
    ("rotations, of joints", (("rotation", REAL),), "8"),
)


def layouts(width: int, height: int) -> NDArray[np.uint8]:
    """A row of texels for each layout, to scale; beside it a walk as it lies in the texture."""
    sheet = Overlay.blank(width, height)
    sheet.text((16, 22), "one row of one frame: texels of four numbers", size=16, halo=False)
    sheet.text((16, 46), "bytes in float16 at the right", color=FAINT, size=12, halo=False)
    texel, line = 92, (height - 84) / len(LAYOUTS)
    for i, (name, texels, size) in enumerate(LAYOUTS):
        y = 68 + i * line
        sheet.text((16, y + line / 2 - 3), name, size=14, halo=False, color=FAINT if name[0] == " " else INK)
        for k, (words, color) in enumerate(texels):
            x = 168 + k * texel
            sheet.box((x, y), (texel - 3, line - 8), color)
            sheet.text((x + texel / 2 - 1, y + line / 2 - 4), words, anchor="mm", size=12, halo=False)
        sheet.text((168 + 3 * texel + 14, y + line / 2 - 3), size, anchor="lm", size=14, halo=False)
    bake = lissom.bake(lissom.samples.humanoid(), ["walk"], rate=60)
    texels = np.asarray(bake.texels, np.float32)  # (F, S, 2, 4)
    flat = texels.reshape(len(texels), -1, 4)[..., :3]
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    picture = np.rint(255 * (flat - low) / (high - low)).astype(np.uint8)
    left, top = 520, 84
    room = width - left - 20, height - top - 44
    shown = np.asarray(Image.fromarray(picture).resize(room, Image.Resampling.NEAREST))
    sheet.text((left, 22), 'the clip "walk" as a texture', size=16, halo=False)
    frames, rows = bake.texels.shape[:2]
    facts = f"{frames} frames down, {rows} rows of 2 texels across: {bake.texels.nbytes / 1024:.0f} KiB"
    sheet.text((left, 46), facts, color=FAINT, size=12, halo=False)
    sheet.text(
        (left, height - 22),
        "numbers as red, green, blue; the fourth is not shown",
        color=FAINT,
        size=12,
        halo=False,
    )
    pixels = sheet.pixels().copy()
    pixels[top - 14 : top - 14 + room[1], left : left + room[0]] = shown
    return pixels
