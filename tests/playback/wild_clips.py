# SPDX-License-Identifier: MIT
"""Clips that are as hard to fade between as clips can be."""

import numpy as np

import lissom
from lissom import Clip, Skeleton
from lissom.clip import LINEAR, STEP
from random_rigs import random_clip, random_poses


def tumbling_clip(rng: np.random.Generator, skeleton: Skeleton) -> Clip:
    """Keys anywhere on the sphere, joined by slerp: joints turn half a turn and more against other clips."""
    count = int(rng.integers(2, 8))
    times = np.cumsum(rng.uniform(0.05, 0.6, count))
    return Clip.from_poses(skeleton, times, random_poses(rng, count, len(skeleton)))


def spinning_clip(rng: np.random.Generator, skeleton: Skeleton) -> Clip:
    """Whole turns about one axis: what passes another such clip at half a turn, and at a full one."""
    times = np.linspace(0, rng.uniform(0.3, 3), 25)
    poses = np.repeat(random_poses(rng, 1, len(skeleton)), 25, axis=0)
    axes = rng.normal(size=(len(skeleton), 3)) * (rng.random((len(skeleton), 1)) < 0.7)
    axes /= np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-9)
    turns = rng.choice([-2, -1, 1, 2]) * 2 * np.pi * np.linspace(0, 1, 25)[:, None, None] * axes
    poses[..., 3:7] = lissom.quat.multiply(poses[..., 3:7], lissom.quat.from_rotation_vector(turns))
    return Clip.from_poses(skeleton, times, poses)


def curved_clip(rng: np.random.Generator, skeleton: Skeleton) -> Clip:
    clip = random_clip(rng, skeleton, np.float64)
    tracks = clip.tracks.copy()
    tracks["interpolation"][tracks["interpolation"] == STEP] = LINEAR
    return Clip("curved", skeleton, clip.keys, tracks)


def wild_clips(rng: np.random.Generator, skeleton: Skeleton, count: int) -> list[Clip]:
    """Of each kind as many, in all loop modes."""
    makers = (tumbling_clip, spinning_clip, curved_clip)
    clips = [makers[i % 3](rng, skeleton) for i in range(count)]
    for clip in clips:
        clip.loop = (True, False, "ping_pong")[int(rng.integers(3))]
    return clips


def there_and_back(x: float) -> float:
    """An ease that decreases in between."""
    return float(0.5 - 0.5 * np.cos(3 * np.pi * x))
