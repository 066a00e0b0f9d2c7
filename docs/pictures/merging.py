# SPDX-License-Identifier: MIT
"""What loading makes of parts that a file stores in spaces of their own: one mesh in model space."""

import numpy as np
from numpy.typing import NDArray
from overlay import Overlay

import lissom
from lissom import quat, trs
from lissom.gpu import Camera, SkinnedModel, Stage

# Part names, what is said of them, and source_from_model: files have all of these.
STORED = (
    (
        ("Skin", "Lips", "Eyes", "Irises", "Pupils", "Brows", "Sweater", "Trousers", "Turn-ups", "Ribbing"),
        "body: z is up",
        trs.from_parts(rotation=quat.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)),
    ),
    (("Hair",), "hair: its own origin", trs.from_parts([0.0, -1.72, 0.0])),
    (("Shoes", "Soles"), "shoes: in centimetres", trs.from_parts(scale=[100.0, 100.0, 100.0])),
)


def merging(width: int, height: int) -> NDArray[np.uint8]:
    """Each part as it is stored, with the axes of its space, and the figure that they are together."""
    hero = lissom.samples.humanoid()
    side = width // 4
    panels = [part_as_stored(hero.only(*names), said, place, side, height) for names, said, place in STORED]
    with Stage(width - 3 * side, height) as stage, SkinnedModel(hero, stage=stage) as model:
        camera = stage.camera(model, azimuth=30.0, margin=(0.1, 0.24))
        sheet = Overlay(stage.render(model, camera=camera).array, camera)
        sheet.axes(np.eye(4), 0.5, 3.0)
        sheet.text((14.0, 22.0), "merged: model space", size=16)
        panels.append(sheet.pixels())
    sheet = Overlay(np.concatenate(panels, axis=1))
    sheet.arrow((3 * side - 70.0, height - 20.0), (3 * side + 70.0, height - 20.0), width=2.4)
    sheet.text((3 * side, height - 38.0), "model_from_source", anchor="mm", size=14)
    return sheet.pixels()


def part_as_stored(
    part: lissom.Character, said: str, source_from_model: NDArray[np.float64], width: int, height: int
) -> NDArray[np.uint8]:
    """One part alone, framed with its origin."""
    points = trs.transform_point(source_from_model, part.mesh.positions)
    low, high = points.min(axis=0), points.max(axis=0)
    length = 0.28 * float(np.linalg.norm(high - low))
    with Stage(width, height) as stage, SkinnedModel(part, stage=stage) as model:
        model.world_from_model = trs.to_matrix(source_from_model)
        seen = np.concatenate([points, length * np.eye(3), np.zeros((1, 3))])
        camera = Camera.framing(seen, stage.aspect, azimuth=30.0, elevation=14.0, margin=(0.12, 0.26))
        sheet = Overlay(stage.render(model, camera=camera, ground=False).array, camera)
    sheet.axes(np.eye(4), length, 3.0)
    for axis, name in zip(np.eye(3), "xyz", strict=True):
        sheet.text(1.12 * length * axis, name, anchor="mm", size=14)
    sheet.text((14.0, 22.0), said, size=16)
    return sheet.pixels()
