# SPDX-License-Identifier: MIT
"""The live characters of the notebook: a picture of them, and a film in which they walk on."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom.gpu import Camera, LiveCrowd, Stage

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "11-a-thousand-live-characters.ipynb"
RATE = 12.0  # pictures a second
PICTURES = 18


def names() -> dict[str, Any]:
    """Run the notebook up to where it draws."""
    found: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] == "code" and "def drawn" not in code:
            exec(code, found)
        elif cell["cell_type"] == "code":
            break
    return found


def place(crowd: LiveCrowd, cells: dict[str, Any]) -> None:
    """Have everybody stand where the notebook has them, in a shade of their own."""
    crowd.instances["tint"][:, :3] = np.random.default_rng(2).integers(150, 256, (cells["COUNT"], 3))
    crowd.instances["position"] = cells["places"][:, :3]
    crowd.instances["rotation"] = cells["places"][:, 3:7]


def film(width: int, height: int) -> lissom.Animation:
    """Everybody walks on, over the hills, and looks at the nearest other."""
    cells = names()
    hero, places, ground, count = (cells[name] for name in ("hero", "places", "ground", "COUNT"))
    front = (4.0, 1.0, places[:, 2].max() - 5)
    camera = Camera(front, 17, azimuth=20, elevation=11, field_of_view=34)
    pictures = []
    with Stage(width, height) as stage, LiveCrowd(hero, count, stage=stage) as crowd:
        for _ in range(PICTURES):
            cells["step"](1 / RATE)
            shown = cells["look"](cells["stand"](1 / RATE).poses)
            place(crowd, cells)
            crowd.pose(shown)
            pictures.append(stage.render(crowd, camera=camera, ground=ground))
    return lissom.Animation(pictures, RATE)


def picture(width: int, height: int) -> NDArray[np.uint8]:
    """The crowd from farther away."""
    cells = names()
    with Stage(width, height) as stage, LiveCrowd(cells["hero"], cells["COUNT"], stage=stage) as crowd:
        place(crowd, cells)
        crowd.pose(cells["shown"])
        camera = Camera((0, 0, -4), 30, azimuth=14, elevation=12, field_of_view=30)
        return stage.render(crowd, camera=camera, ground=cells["ground"]).array
