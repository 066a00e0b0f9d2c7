# SPDX-License-Identifier: MIT
"""Clips of one track whose poses are known by hand, and poses compared with them."""

import numpy as np

from lissom import Clip, Skeleton
from lissom.clip import TRACK_DTYPE

# float32: eight roundings of numbers of size 1 (Hermite's products add up to size 4). float64: the core
# and the twin differ by the order of their operations.
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}

Key = list[float]


def skeleton_of(count: int = 1) -> Skeleton:
    rest = np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (count, 1))
    return Skeleton([f"joint {i}" for i in range(count)], range(-1, count - 1), rest)


def one_track(
    path: int,
    interpolation: int,
    times: list[float],
    values: object,
    *,
    dtype: type = np.float64,
    loop: bool = False,
) -> Clip:
    """A clip with one track, on the only joint."""
    keys = np.concatenate([np.array(times, dtype), np.array(values, dtype).ravel()])
    tracks = np.array([(0, path, interpolation, len(times), 0, len(times))], TRACK_DTYPE)
    return Clip("one track", skeleton_of(), keys, tracks, loop=loop)


def about_z(angle: float) -> Key:
    return [0, 0, np.sin(angle / 2), np.cos(angle / 2)]


def z_angle(poses: np.ndarray) -> np.ndarray:
    """Angle about z of the first joint, in (-pi, pi]."""
    return 2 * np.arctan2(*np.moveaxis(poses[..., 0, 5:7], -1, 0))


def assert_poses_close(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Rotations may differ by their sign; cubic values are compared by their own size."""
    sign = np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * got[..., 3:7], want[..., 3:7], rtol=0, atol=tolerance)
    np.testing.assert_allclose(got[..., :3], want[..., :3], rtol=0, atol=4 * tolerance)
    np.testing.assert_allclose(got[..., 7:], want[..., 7:], rtol=0, atol=4 * tolerance)
