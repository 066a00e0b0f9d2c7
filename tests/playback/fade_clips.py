# SPDX-License-Identifier: MIT
"""Gentle cycles to fade between, and what a blend of two poses is by definition."""

import numpy as np

import lissom
from fade_recorder import distances
from lissom import Clip, CrossFade, Skeleton
from random_rigs import random_skeleton

ROUNDING = 1e-12  # float64
ROUNDING_FLOAT32 = 1e-6


def bones_to_fade() -> Skeleton:
    return random_skeleton(np.random.default_rng(0), 6)


def cycles(skeleton: Skeleton) -> list[Clip]:
    """Gentle cycles of 1, 2 and 0.5 s, joints never half a turn apart."""
    rng = np.random.default_rng(1)
    return [cycle(rng, skeleton, duration) for duration in (1.0, 2.0, 0.5)]


def cycle(rng: np.random.Generator, skeleton: Skeleton, duration: float) -> Clip:
    frames = 13
    times = np.linspace(0, duration, frames)
    phase = 2 * np.pi * np.linspace(0, 1, frames)
    poses = np.tile(skeleton.rest.astype(np.float64), (frames, 1, 1))
    swing = 0.3 * rng.normal(size=(len(skeleton), 3)) * np.sin(phase)[:, None, None]
    turned = lissom.quat.multiply(poses[..., 3:7], lissom.quat.from_rotation_vector(swing))
    poses[..., 3:7] = lissom.quat.normalize(turned)
    poses[..., :3] += 0.1 * np.cos(phase)[:, None, None] * rng.normal(size=(len(skeleton), 3))
    return Clip.from_poses(skeleton, times, poses, name=f"cycle of {duration:g} s", loop=True)


def exact(skeleton: Skeleton) -> CrossFade:
    return CrossFade(skeleton, dtype=np.float64)


def between(a: np.ndarray, b: np.ndarray, weight: float) -> np.ndarray:
    """S of the docstring."""
    pose = a + weight * (b - a)
    pose[:, 3:7] = lissom.quat.slerp(a[:, 3:7], b[:, 3:7], weight)
    return pose


def assert_same(a: np.ndarray, b: np.ndarray, tolerance: float = ROUNDING) -> None:
    assert distances(a, b).max() <= tolerance
