# SPDX-License-Identifier: MIT
"""Bombs of NumPy archives."""

import zipfile
from pathlib import Path

import numpy as np

from bombs.bomb import bomb


@bomb("amass")
def poses_of_two_kinds(folder: Path, size: int) -> Path:
    """As many frames as may be at size 1, from which tracks are made, too."""
    frames = 30_000 * size
    path = folder / "bomb.npz"
    poses = np.tile(np.arange(frames)[:, None] % 2.0, (1, 66))
    np.savez_compressed(path, poses=poses, trans=np.zeros((frames, 3)), mocap_framerate=60.0)
    return path


@bomb("amass")
def an_array_of_columns_of_zeros(folder: Path, size: int) -> Path:
    path = folder / "bomb.npz"
    np.savez_compressed(path, poses=np.zeros((66, 300_000 * size), np.float32).T)
    return path


@bomb("amass")
def a_directory_of_names(folder: Path, size: int) -> Path:
    path = folder / "bomb.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(min(65_000, 30_000 * size)):
            archive.writestr(f"{number:05}{'n' * 200}", b"")
    return path
