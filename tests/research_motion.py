# SPDX-License-Identifier: MIT
"""Files as data sets of motion hold them: rotations of SMPL, places of joints, HumanML3D's numbers."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

FRAMES = 12


def write_amass(path: Path) -> None:
    rng = np.random.default_rng(1)
    poses = rng.normal(0, 0.3, (FRAMES, 156))
    poses[:, :3] = [np.pi / 2, 0, 0]
    np.savez(path, poses=poses, trans=np.tile([0, 0, 0.9], (FRAMES, 1)), mocap_framerate=20.0)


def places(seed: int = 2) -> np.ndarray:
    """Places of 22 joints, (T, 22, 3): any that no two share."""
    return np.random.default_rng(seed).normal(0, 0.5, (FRAMES, 22, 3))


def features(joints: np.ndarray, facing: np.ndarray) -> np.ndarray:
    """HumanML3D's numbers of places, for angles of facing (T,) from +z towards +x, by their definition."""
    result = np.zeros((len(joints), 263))
    as_faced = Rotation.from_euler("y", -facing[:, None])
    result[:-1, 0] = -np.diff(facing) / 2  # their quaternion turns the facing to +z
    steps = np.diff(joints[:, 0], axis=0)
    result[:-1, 1:3] = as_faced[1:].apply(steps)[:, [0, 2]]
    result[:, 3] = joints[:, 0, 1]
    local = joints[:, 1:] - joints[:, :1] * [1, 0, 1]
    result[:, 4:67] = np.stack(
        [turn.apply(each) for turn, each in zip(as_faced, local, strict=True)]
    ).reshape(-1, 63)
    return result


def write_all(folder: Path) -> None:
    """Write what the page about motion from research reads."""
    write_amass(folder / "jump_poses.npz")
    np.save(folder / "diffused.npy", places())
    np.save(folder / "features.npy", features(places(), np.linspace(0, 2, FRAMES)))
