# SPDX-License-Identifier: MIT
import numpy as np

from lissom import Clip, Skeleton


def test_a_clip_from_poses_passes_through_them() -> None:
    rest = np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    skeleton = Skeleton(["a", "b"], [-1, 0], rest)
    poses = np.tile(rest, (5, 1, 1))
    angles = np.linspace(0, 1, 5)
    poses[:, 1, 5], poses[:, 1, 6] = np.sin(angles), np.cos(angles)
    times = np.arange(5) / 30
    clip = Clip.from_poses(skeleton, times, poses)
    np.testing.assert_allclose(clip.sample(clip.keys[:5], loop=False), poses, atol=2e-7)
    assert clip.key_rate == 30
