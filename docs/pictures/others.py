# SPDX-License-Identifier: MIT
"""Characters made by others beside the sample: those of the tests, which are CC0."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom import quat, trs

CHARACTERS = Path(__file__).resolve().parents[2] / "tests" / "data" / "characters"
TURN = np.radians(-48.0)  # about y, so that strides and a long back are seen


def beside(width: int, height: int) -> NDArray[np.uint8]:
    """Kay Lousberg's knight, the sample, and Quaternius' wolf, each amid a clip of its own."""
    knight = lissom.load(CHARACTERS / "kaykit" / "Knight.glb")
    wolf = lissom.load(CHARACTERS / "quaternius" / "animals_pack" / "Wolf.glb")
    turn = quat.from_axis_angle([0.0, 1.0, 0.0], TURN)
    return lissom.render(
        [wolf, lissom.samples.humanoid(), knight],
        clip=["Gallop", "run", "Running_A"],
        time=[0.12, 0.32, 0.2],
        placements=trs.from_parts([[-2.1, 0, 0], [0.35, 0, 0], [1.9, 0, 0]], rotation=turn),
        equal_size=1.75,
        azimuth=0.0,
        elevation=8.0,
        width=width,
        height=height,
    ).array
