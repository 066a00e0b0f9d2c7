# SPDX-License-Identifier: MIT
"""Poses from poses: a blend by weight, a mask, and a difference on top."""

from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray
from overlay import Overlay

import lissom
from lissom.gpu import Camera, SkinnedModel, Stage

APART = 0.85  # metres between figures


def row(
    heroes: lissom.Character | list[lissom.Character],
    poses: list[NDArray[Any]],
    words: list[str],
    width: int,
    height: int,
    heats: list[NDArray[Any] | None] | None = None,
    azimuth: float = 32.0,
    apart: float = APART,
) -> NDArray[np.uint8]:
    """Figures beside each other, with words below each; a heat map where there is one."""
    with Stage(width, height) as stage, ExitStack() as stack:
        models, places = [], []
        turned = np.radians(azimuth)
        each = heroes if isinstance(heroes, list) else [heroes] * len(poses)
        for i, (hero, pose) in enumerate(zip(each, poses, strict=True)):
            model = stack.enter_context(SkinnedModel(hero, stage=stage))
            model.set_pose(pose)
            if heats and heats[i] is not None:
                model.set_heat(heats[i], 1.0)
            offset = (i - (len(poses) - 1) / 2) * apart * np.array([np.cos(turned), 0, -np.sin(turned)])
            place = np.eye(4)
            place[:3, 3] = offset
            model.world_from_model = place
            models.append(model)
            places.append(offset)
        seen = np.concatenate([model.points() for model in models])
        camera = Camera.framing(
            seen, stage.aspect, azimuth=azimuth, elevation=8.0, field_of_view=12.0, margin=(0.04, 0.06, 0.16)
        )
        sheet = Overlay(stage.render(*models, camera=camera).array, camera)
    for place, text in zip(places, words, strict=True):
        sheet.text((sheet.at(place)[0], height - 20), text, anchor="mm", size=15)
    return sheet.pixels()


def blending(width: int, height: int) -> NDArray[np.uint8]:
    """From a walk to a run by weight, and a wave that a mask lets in."""
    hero = lissom.samples.humanoid()
    walk, run, wave = (hero.clips[name] for name in ("walk", "run", "wave"))
    weights = (0.0, 0.25, 0.5, 0.75, 1.0)
    poses = [lissom.blend(walk.at(0.25), run.at(0.25), weight) for weight in weights]
    mask = hero.skeleton.mask("Clavicle.R", falloff=1)
    poses.append(lissom.blend(walk.at(0.25), wave.sample(1.0), 1.0, mask))
    # A mask has one number for each joint; a vertex shows the mean of its joints'.
    of_rows = mask[hero.skin.joints]
    shown = np.sum(of_rows[hero.mesh.indices] * hero.mesh.weights, axis=1)
    words = ["walk, weight 0", "0.25", "0.5", "0.75", "run, weight 1", "walk, and a wave by a mask"]
    return row(hero, poses, words, width, height, [*[None] * 5, shown], apart=1.05)


def additive(width: int, height: int) -> NDArray[np.uint8]:
    """A run, a difference, and the run with the difference on top: once, half, and the other way."""
    hero = lissom.samples.humanoid()
    run = hero.clips["run"].at(0.1)
    lean = lissom.make_additive(hero.clips["lean"]).at(0.25)
    rest = hero.clips["lean"].sample(0.0)
    poses = [run, lissom.add_layer(rest, lean)]
    poses += [lissom.add_layer(run, lean, weight) for weight in (1.0, 0.5, -1.0)]
    words = ["a run", "the lean, on its own start", "run + 1 x lean", "run + 0.5 x lean", "run - 1 x lean"]
    return row(hero, poses, words, width, height, azimuth=4.0, apart=1.15)
