# SPDX-License-Identifier: MIT
"""The elbow of the how-to of cleaning up: its angle as recorded, and cleaned."""

from pathlib import Path
from typing import Any

import numpy as np
from charts import COLORS, FAINT, GRID
from numpy.typing import NDArray
from overlay import Overlay

from lissom import quat

PAGE = Path(__file__).resolve().parents[1] / "howto" / "clean-up-motion-capture.md"


def cleaning(width: int, height: int) -> NDArray[np.uint8]:
    """Run the page as far as it smooths, and draw the joint that jumped."""
    blocks = [block.split("```")[0] for block in PAGE.read_text().split("```python\n")[1:]]
    names: dict[str, Any] = {}
    exec(blocks[0], names)
    recorded = names["frames"].copy()
    exec(blocks[1], names)
    exec(blocks[2], names)
    elbow, times, clean = names["elbow"], names["times"], names["clean"]
    straight = np.array([0.0, 0.0, 0.0, 1.0])

    def angle(poses: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.degrees(quat.angle_between(straight, poses[:, elbow, 3:7]))

    sheet = Overlay.blank(width, height)
    left, right, top, bottom = 52.0, width - 20.0, 56.0, height - 40.0
    low, high = 0.0, 10 * np.ceil(angle(recorded).max() / 10)

    def at(time: float, value: float) -> tuple[float, float]:
        x = left + (right - left) * time / times[-1]
        return x, bottom - (bottom - top) * (value - low) / (high - low)

    for value in np.arange(low, high + 1, 20):
        sheet.line([at(0, value), at(times[-1], value)], GRID, 1.0)
        text = f"{value:.0f}°"
        sheet.text((left - 8, at(0, value)[1]), text, color=FAINT, anchor="rm", size=12, halo=False)
    for second in np.arange(0, times[-1], 0.5):
        x = at(second, low)[0]
        sheet.text((x, bottom + 16), f"{second:g} s", color=FAINT, anchor="mm", size=12, halo=False)
    for name, poses, color, stroke, x in (
        ("as recorded", recorded, COLORS[0], 1.6, left),
        ("as it was", clean, (150, 158, 170), 4.0, left + 150),
        ("cleaned", names["frames"], COLORS[1], 1.8, left + 270),
    ):
        sheet.line([at(t, v) for t, v in zip(times, angle(poses), strict=True)], color, stroke)
        sheet.line([(x, 24), (x + 26, 24)], color, stroke)
        sheet.text((x + 34, 24), name, size=14, halo=False)
    sheet.text((right, 24), "angle of the elbow", size=14, color=FAINT, anchor="rm", halo=False)
    return sheet.pixels()
