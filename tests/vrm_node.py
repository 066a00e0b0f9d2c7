# SPDX-License-Identifier: MIT
"""What three-vrm makes of VRM files, by node."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom

NODE = Path(__file__).parent / "node"
NEEDS_NODE = [
    pytest.mark.tree,
    pytest.mark.skipif(
        shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm"
    ),
    pytest.mark.skipif(
        not (NODE / "node_modules" / "@pixiv" / "three-vrm-animation").is_dir(),
        reason="no tests/node/node_modules; run: make test",
    ),
]


def three_vrm(tasks: list[dict[str, Any]]) -> list[Any]:
    """The answers of tests/node/vrm.js."""
    done = subprocess.run(
        ["node", "vrm.js"], cwd=NODE, input=json.dumps(tasks), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_node(skeleton: lissom.Skeleton, poses: np.ndarray, count: int) -> np.ndarray:
    """Poses (F, J, 10) as numbers of all nodes, (F, N, 10)."""
    frames = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0]), (len(poses), count, 1))
    frames[:, skeleton.source_nodes] = poses
    return frames


def dances(skeleton: lissom.Skeleton, count: int, seed: int, size: float = 0.5) -> np.ndarray:
    """Poses (F, J, 10) with all joints turned at random."""
    rng = np.random.default_rng(seed)
    poses = np.tile(skeleton.rest.astype(np.float64), (count, 1, 1))
    turns = lissom.quat.from_rotation_vector(rng.normal(size=(count, len(skeleton), 3)) * size)
    poses[..., 3:7] = lissom.quat.multiply(poses[..., 3:7], turns)
    return poses
