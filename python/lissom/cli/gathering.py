# SPDX-License-Identifier: MIT
"""A crowd of several builds of the humanoid, as the demo and the README show it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

import numpy as np

import lissom
from lissom.gpu import Camera, Crowd, Stage, scattered

if TYPE_CHECKING:
    from lissom.picture import Picture
    from lissom.pose_texture import PoseTexture

__all__ = ["BUILDS", "CLIPS", "bakes", "draw"]

Build = Literal["adult", "child", "giant"]
# Share of the people and scale of each build: the giant stands in for tall people.
BUILDS: dict[Build, tuple[float, float]] = {"adult": (0.5, 1.0), "child": (0.25, 1.0), "giant": (0.25, 0.62)}
# Without the lean, which is there to be added to others.
CLIPS = ("idle", "walk", "run", "wave")


def bakes(max_error: float | None = None) -> dict[Build, PoseTexture]:
    """Bake each build's clips; ``max_error`` is a fraction of its size."""
    return {
        build: lissom.bake(lissom.samples.humanoid(build), CLIPS, max_error=max_error) for build in BUILDS
    }


def draw(
    people: Mapping[Build, PoseTexture],
    count: int,
    width: int,
    height: int,
    elevation: float = 14.0,
    seed: int = 0,
) -> Picture:
    """Draw ``count`` people, each with its own build, clip, time and place."""
    rng = np.random.default_rng(seed)
    places = scattered(people["adult"], count, spacing=1.1, seed=seed)
    shares = [BUILDS[build][0] for build in people]
    builds = rng.choice(len(people), count, p=np.array(shares) / sum(shares))
    with Stage(width, height) as stage, ExitStack() as stack:
        crowds = []
        for i, (build, bake) in enumerate(people.items()):
            mine = places[builds == i].copy()
            mine["scale"] *= BUILDS[build][1]
            # Each clip by its own length, which differs a little from build to build.
            mine["offset"] = (
                rng.uniform(0, 1, len(mine))
                * np.array([c.duration for c in bake.clips.values()])[mine["clip"]]
            )
            crowds.append(stack.enter_context(Crowd(bake, len(mine), stage=stage, instances=mine)))
        corners = np.concatenate([crowd.points() for crowd in crowds])
        camera = Camera.framing(corners, stage.aspect, azimuth=8, elevation=elevation, margin=(-0.2, 0.06))
        return stage.render(*crowds, camera=camera)
