# SPDX-License-Identifier: MIT
"""Random skeletons, poses and clips for tests, each from a seeded generator."""

from collections.abc import Sequence

import numpy as np

from lissom import Clip, Skeleton
from lissom.clip import CUBICSPLINE, ROTATION, TRACK_DTYPE, WEIGHT


def random_quats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    quats = rng.normal(size=(*shape, 4))
    return quats / np.linalg.norm(quats, axis=-1, keepdims=True)


def random_poses(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Poses of joints about one unit apart, scales between 0.5 and 1.5 along each axis."""
    poses = rng.normal(size=(*shape, 10))
    poses[..., :3] *= 0.5
    poses[..., 3:7] = random_quats(rng, *shape)
    poses[..., 7:] = rng.uniform(0.5, 1.5, size=(*shape, 3))
    return poses


def random_skeleton(rng: np.random.Generator, count: int, scaled: bool = False) -> Skeleton:
    """Some roots, some chains, some fans; scales are 1 unless asked for."""
    parents = [
        -1 if i == 0 or rng.random() < 0.05 else int(rng.integers(max(0, i - 4), i)) for i in range(count)
    ]
    rest = random_poses(rng, count)
    if not scaled:
        rest[:, 7:] = 1
    return Skeleton([f"joint {i}" for i in range(count)], parents, rest)


def track_values(rng: np.random.Generator, path: int, interpolation: int, count: int) -> np.ndarray:
    """Values of one track, each key as it is stored."""
    width = {ROTATION: 4, WEIGHT: 1}.get(path, 3)
    points = random_quats(rng, count) if path == ROTATION else rng.normal(size=(count, width))
    if interpolation != CUBICSPLINE:
        return points
    return np.stack([rng.normal(size=(count, width)), points, rng.normal(size=(count, width))], axis=1)


def random_clip(
    rng: np.random.Generator,
    skeleton: Skeleton,
    dtype: type = np.float32,
    loop: bool = False,
    shared: bool = False,
    morph_names: Sequence[str] = (),
) -> Clip:
    """A clip of tracks of all kinds, about two for every joint; times of their own unless `shared`.

    About two thirds of the morph targets, if any, have a track, too.
    """
    parts, tracks, offset = [], [], 0
    times_at: tuple[int, int] | None = None
    weights = [(morph, (WEIGHT,)) for morph in range(len(morph_names))]
    for joint, paths in [*((joint, range(3)) for joint in range(len(skeleton))), *weights]:
        for path in paths:
            if rng.random() < 0.3:
                continue
            interpolation = int(rng.integers(3))
            if times_at is None or not shared:
                count = int(rng.integers(1, 12))
                times = rng.uniform(-0.5, 0.5) + np.cumsum(rng.uniform(0.05, 0.4, size=count))
                parts.append(times.astype(dtype))
                times_at = (offset, count)
                offset += count
            begin, count = times_at
            values = track_values(rng, path, interpolation, count).astype(dtype).ravel()
            tracks.append((joint, path, interpolation, count, begin, offset))
            parts.append(values)
            offset += values.size
    keys = np.concatenate(parts) if parts else np.zeros(0, dtype)
    defaults = rng.normal(size=len(morph_names)) if morph_names else None
    options = {"loop": loop, "morph_names": morph_names, "morph_defaults": defaults}
    return Clip("random", skeleton, keys, np.array(tracks, TRACK_DTYPE), **options)
