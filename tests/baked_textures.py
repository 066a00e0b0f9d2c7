# SPDX-License-Identifier: MIT
"""Pose textures made of given or random texels, for tests."""

import numpy as np

import lissom
from lissom.bake_report import BakedClip, BakeReport, ClipError, ErrorStats


def baked_clip(first, count, *, loop=False, start=0.0, duration=1.0):
    stats = ErrorStats(0.25, 0.125, 0.0625, count)
    error = ClipError(0.25, 0.125, 0.0625, 0.1, stats, stats)
    bounds = np.array([[-1, -1, -1], [1, 1, 1]], np.float32)
    rate = (count - 1) / duration if duration else 0.0
    return BakedClip(first, count, rate, loop, start, duration, bounds, error)


def texture(texels, clips=None, **options):
    clips = clips or {"clip": baked_clip(0, len(texels), duration=len(texels) - 1.0)}
    report = BakeReport(clips, 2.5, "dual_quat", "linear", texels.dtype.name, "skinned vertices", 3)
    return lissom.PoseTexture(texels, clips, [f"row{i}" for i in range(texels.shape[1])], report, **options)


def random_texels(rng, frames=6, rows=4, texels=2, dtype=np.float16):
    values = rng.normal(size=(frames, rows, texels, 4))
    values[:, :, 0] /= np.linalg.norm(values[:, :, 0], axis=-1, keepdims=True)
    return values.astype(dtype)
