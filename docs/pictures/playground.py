# SPDX-License-Identifier: MIT
"""The playground of its how-to: a target that is met, and one beyond reach and limits."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.gpu import Camera

PAGE = Path(__file__).resolve().parent.parent / "howto" / "ik-playground.md"


def playground(width: int, height: int) -> NDArray[np.uint8]:
    """The leg of the page's first example."""
    names: dict[str, Any] = {}
    exec(PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0], names)
    made = names["playground"]
    made.camera = Camera((0.0, 0.9, 0.15), 3.6, azimuth=52.0, elevation=12.0)
    pictures = []
    for target in ([0.14, 0.55, 0.38], [0.30, 1.15, 0.85]):
        made.solve(target)
        pictures.append(made.picture(width // 2, height).array)
    return np.concatenate(pictures, axis=1)
