# SPDX-License-Identifier: MIT
"""The pictures of the how-to of rigging: weights by each method, and what they do."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom._view.labels import Sheet
from lissom.gpu import SkinnedModel, Stage

PAGE = Path(__file__).resolve().parents[1] / "howto" / "rig-a-mesh.md"
METHODS = ("heat", "bounded_biharmonic", "inverse_distance")


def names_of_page() -> dict[str, Any]:
    """What the blocks of the page define, run as they stand except for what they save."""
    blocks = [block.split("```")[0] for block in PAGE.read_text().split("```python\n")[1:]]
    names: dict[str, Any] = {}
    for block in (block for block in blocks if "def rigged" in block or "def starfish" in block):
        lines = [line for line in block.splitlines() if ".save" not in line and "save_glb" not in line]
        exec("\n".join(lines), names)
    return names


def rigged(width: int, height: int) -> NDArray[np.uint8]:
    """The humanoid's upper leg by each method above, run poses below."""
    page = names_of_page()
    sample = page["sample"]
    pose = sample.clips["run"].sample(0.2)
    angles = {"azimuth": 28.0, "elevation": 6.0}
    return rows(page, page["mesh"], page["skeleton"], "UpperLeg.L", pose, width, height, **angles)


def starfish(width: int, height: int) -> NDArray[np.uint8]:
    """One of the starfish's arms by each method above, its arms bent below."""
    page = names_of_page()
    angles = {"azimuth": 15.0, "elevation": 38.0}
    return rows(page, page["star"].mesh, page["star_skeleton"], "Arm0", page["pose"], width, height, **angles)


def rows(
    page: dict[str, Any],
    mesh: lissom.Mesh,
    skeleton: lissom.Skeleton,
    joint: str,
    pose: NDArray[Any],
    width: int,
    height: int,
    **angles: float,
) -> NDArray[np.uint8]:
    """Each method a column: the weight of a joint above, posed below."""
    columns = []
    for method in METHODS:
        compute = getattr(lissom.weights, method)
        hero, weights, _ = page["rigged"](method, mesh, skeleton, compute)
        row = list(hero.skin.joints).index(skeleton.index(joint))
        column = []
        with Stage(width // len(METHODS), height // 2) as stage, ExitStack() as stack:
            model = stack.enter_context(SkinnedModel(hero, stage=stage))
            model.method = "dual_quat"
            for title, note, at, heat in (
                (method, f"weight of {joint}", skeleton.rest, weights[:, row]),
                ("", "posed", pose, None),
            ):
                model.set_heat(heat, 1.0)
                model.set_pose(at)
                sheet = Sheet(stage.render(model, camera=stage.camera(model, **angles)).array)
                sheet.text((sheet.unit, 0.6 * sheet.unit), title)
                sheet.text((sheet.unit, 2.2 * sheet.unit if title else 0.6 * sheet.unit), note, faint=True)
                column.append(sheet.pixels())
        columns.append(np.concatenate(column))
    return np.concatenate(columns, axis=1)
