# SPDX-License-Identifier: MIT
"""What VRM avatars can do, by the built-in humanoid: an expression, a gaze, and what it sees of itself."""

import numpy as np
from numpy.typing import NDArray

import lissom
from lissom._view.labels import Sheet
from lissom.gpu import Camera, SkinnedModel, Stage

MOUTH = np.array([0, 1.526, 0.122])  # metres
POINT = (1.2, 1.45, 1.5)  # what is looked at


def avatar(width: int, height: int) -> NDArray[np.uint8]:
    """The head as it is, with an expression, looking at a point; and the body without what hides the view."""
    hero = smiling(lissom.samples.humanoid())
    rest = hero.skeleton.rest
    joy = hero.expressions.weights({"happy": 1.0})
    looking = lissom.LookAt(hero).poses(rest, POINT, head=1.0)
    none = np.zeros_like(joy)
    panels = [
        panel(hero, rest, none, "as it is", width // 4, height),
        panel(hero, rest, joy, 'expression "happy"', width // 4, height),
        panel(hero, looking, none, "looks at a point", width // 4, height),
        panel(hero.first_person(), rest, none, "sees of itself", width - 3 * (width // 4), height),
    ]
    return np.concatenate(panels, axis=1)


def smiling(hero: lissom.Character) -> lissom.Character:
    """The humanoid with a target that lifts the corners of its mouth, and the expression "happy" of it."""
    mesh = hero.mesh
    away = np.linalg.norm((mesh.positions - MOUTH) * [0.6, 1, 1], axis=1)
    lift = np.where(away < 0.1, 0.6 * np.abs(mesh.positions[:, 0]) * np.exp(-((away / 0.04) ** 2)), 0)
    morphs = lissom.Morphs.from_dense(["smile"], (lift[:, None] * [0, 1, 0])[None])
    arrays = {name: getattr(mesh, name) for name in ("indices", "weights", "normals", "uvs", "parts")}
    face = lissom.Mesh(mesh.positions, mesh.triangles, **arrays, morphs=morphs)
    made = lissom.Character("avatar", hero.skeleton, face, hero.skin)
    made.expressions = lissom.Expressions(morphs, [lissom.Expression("happy", {"smile": 1.0})])
    return made


def panel(
    hero: lissom.Character,
    pose: NDArray[np.float32],
    weights: NDArray[np.float32],
    said: str,
    width: int,
    height: int,
) -> NDArray[np.uint8]:
    """One close-up with a title."""
    camera = Camera(target=(0.0, 1.53, 0.0), distance=1.1, azimuth=24.0, elevation=6.0)
    with Stage(width, height) as stage, SkinnedModel(hero, stage=stage) as model:
        model.set_pose(pose, weights)
        sheet = Sheet(stage.render(model, camera=camera, ground=False).array)
    sheet.text((sheet.unit, 0.6 * sheet.unit), said)
    return sheet.pixels()
