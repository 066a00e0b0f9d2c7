# SPDX-License-Identifier: MIT
"""Springs are those of three-vrm, step by step."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from glb_contents import contents
from vrm_files import VRM0, VRM1, upright, vrm_text

NODE = Path(__file__).parents[1] / "node"
pytestmark = [
    pytest.mark.tree,
    pytest.mark.skipif(
        shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm"
    ),
    pytest.mark.skipif(
        not (NODE / "node_modules" / "@pixiv").is_dir(), reason="no tests/node/node_modules; run: make test"
    ),
]

FRAMES = 90
# Rest poses are kept in float32, three-vrm has those of the file. Inertia keeps rounding of float32 poses,
# and collisions multiply it.
TOLERANCE = {np.float64: 1e-5, np.float32: 5e-4}


def moved(skeleton: lissom.Skeleton, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a body that dances (F, J, 10), and where it stands (F, 10); smooth, with a kick."""
    rng = np.random.default_rng(seed)
    poses = np.tile(skeleton.rest.astype(np.float64), (FRAMES, 1, 1))
    phase = np.arange(FRAMES) / FRAMES * 2 * np.pi
    swing = 0.5 * np.sin(np.outer(phase, [1, 2, 3]))[:, None, :] * rng.normal(size=(len(skeleton), 3))
    poses[..., 3:7] = lissom.quat.multiply(poses[..., 3:7], lissom.quat.from_rotation_vector(swing))
    hips = skeleton.index("hips") if "hips" in skeleton.names else 1
    poses[:, hips, :3] += 0.1 * np.sin(np.outer(phase, rng.normal(size=3)))
    poses[FRAMES // 2 :, hips, 0] += 0.3
    world = np.zeros((FRAMES, 10))
    world[:, 7:] = 1
    world[:, :3] = np.outer(phase, [0.2, 0.05, 0.5])
    world[:, 3:7] = lissom.quat.from_axis_angle([0.2, 1, 0], phase / 3)
    return poses, world


def by_node(skeleton: lissom.Skeleton, poses: np.ndarray, count: int) -> list[list[float]]:
    frames = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0]), (len(poses), count, 1))
    frames[:, skeleton.source_nodes] = poses
    return frames.reshape(len(poses), -1).tolist()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Characters, their poses and places, and what three-vrm says of them, in one run."""
    folder = tmp_path_factory.mktemp("springs")
    texts = {
        "vrm1": vrm_text({"VRMC_springBone": VRM1}),
        "vrm0": vrm_text({"VRM": VRM0}, upright()),
    }
    real = ASSETS / "wild" / "vrm" / "Godette_vrm_v4.vrm"
    if real.is_file():
        whole = contents(real.read_bytes())
        nodes = [{k: v for k, v in n.items() if k not in ("mesh", "skin")} for n in whole["nodes"]]
        texts["godette"] = vrm_text({"VRM": whole["extensions"]["VRM"]}, nodes, whole["scenes"][0]["nodes"])
    tasks, bodies = [], []
    for seed, (name, text) in enumerate(texts.items()):
        path = folder / f"{name}.gltf"
        path.write_text(text)
        body = lissom.load(path)
        poses, world = moved(body.skeleton, seed)
        count = len(json.loads(text)["nodes"])
        frames = by_node(body.skeleton, poses, count)
        tasks.append({"file": str(path), "frames": frames, "worlds": world[:, :7].tolist()})
        bodies.append((name, body, poses, world, count))
    done = subprocess.run(
        ["node", "springs.js"], cwd=NODE, input=json.dumps(tasks), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    return {
        name: (
            body,
            poses,
            world,
            np.array(answer).reshape(FRAMES - 1, count, 4)[:, body.skeleton.source_nodes],
        )
        for (name, body, poses, world, count), answer in zip(bodies, answers, strict=True)
    }


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["vrm1", "vrm0", "godette"])
def test_springs_are_those_of_three_vrm(runs, name, dtype):
    if name not in runs:
        asset("wild/vrm/Godette_vrm_v4.vrm")  # skips
    body, poses, world, answer = runs[name]
    springs = lissom.Springs(body)
    springs.step(poses[0].astype(dtype), 0, world=world[0])
    worst = 0.0
    for frame in range(1, FRAMES):
        got = springs.step(poses[frame].astype(dtype), 1 / 60, world=world[frame])[:, 3:7]
        angle = lissom.quat.angle_between(got.astype(np.float64), answer[frame - 1])
        worst = max(worst, float(angle[springs.joints].max()))
    assert worst < TOLERANCE[dtype]
    moves = lissom.quat.angle_between(answer[1:, springs.joints], answer[:-1, springs.joints])
    assert moves.max(axis=0).min() > 1e-3  # all of them swing
