# SPDX-License-Identifier: MIT
"""Pictures of several characters: one with a sword in its hand, and a sword that goes from hand to hand."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom

CHARACTERS = Path(__file__).resolve().parents[2] / "tests" / "data" / "characters"
PAGE = Path(__file__).resolve().parents[1] / "howto" / "several-characters.md"


def several(width: int, height: int) -> NDArray[np.uint8]:
    """Draw what the first block of the how-to makes, and a child that walks beside it."""
    block = PAGE.read_text(encoding="utf-8").split("```python\n", 2)[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(block.rpartition("\nlissom.render(")[0], names)  # the page's own code
    child = lissom.samples.humanoid("child")
    picture = lissom.render(
        [names["armed"], child],
        clip=["wave", "walk"],
        time=0.5,
        width=width,
        height=height,
        elevation=10.0,  # the flat of the blade faces the front
    )
    return np.asarray(picture)


def taken(width: int, height: int) -> NDArray[np.uint8]:
    """Draw Kay Lousberg's knight, and its sword in the hands of samples and of a creature by Quaternius."""
    knight = lissom.load(CHARACTERS / "kaykit" / "Knight.glb")
    sword = knight.only("2H_Sword")
    blue = lissom.load(CHARACTERS / "quaternius" / "platformer_game_pack" / "Character.glb")
    people = {lissom.samples.humanoid(): 0.45, blue: 0.9, lissom.samples.humanoid("child"): 0.3}
    armed = [
        lissom.attach(
            one,
            "hand.r",
            sword,
            lissom.trs.from_parts(scale=[scale] * 3),
            space="model",
            grip="hand.r",
            name="sword",
        )
        for one, scale in people.items()
    ]
    picture = lissom.render(
        [knight, *armed],
        clip=["Idle", "wave", "Run", "walk"],
        time=0.5,
        width=width,
        height=height,
        azimuth=10.0,
        elevation=8.0,
        placements=lissom.trs.from_parts(np.array([[-2.1, 0, 0], [-0.4, 0, 0], [1.0, 0, 0], [2.3, 0, 0]])),
        equal_size=1.75,
    )
    return np.asarray(picture)
