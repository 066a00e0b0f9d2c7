# SPDX-License-Identifier: MIT
"""Poses that benchmarks share: joints about a third of a unit apart, turned anyhow, scaled a little."""

from __future__ import annotations

from typing import Any

import numpy as np


def make_poses(rng: np.random.Generator, *shape: int) -> Any:
    """Local trs (*shape, 10), float32."""
    poses = np.empty((*shape, 10), np.float32)
    poses[..., :3] = 0.3 * rng.normal(size=(*shape, 3))
    quats = rng.normal(size=(*shape, 4))
    poses[..., 3:7] = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    poses[..., 7:] = rng.uniform(0.9, 1.1, size=(*shape, 3))
    return poses
