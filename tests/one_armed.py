# SPDX-License-Identifier: MIT
"""A figure for axes and handedness: a board whose right arm is a flag, which it raises."""

import numpy as np

import lissom

DISTANCE = 6.0  # of the camera, ahead of the board or behind it
HEIGHT = 0.8  # at which it looks


def one_armed():
    """It faces z and is seen from there alone: a blue body, and a red flag on its right, at x below 0."""
    body = [[-0.5, 0, 0], [0.5, 0, 0], [0.5, 1, 0], [-0.5, 1, 0]]
    flag = [[-0.9, 0.5, 0], [-0.5, 0.5, 0], [-0.5, 0.9, 0], [-0.9, 0.9, 0]]
    square = np.array([[0, 1, 2], [0, 2, 3]])
    parts = [
        lissom.Part("body", slice(0, 4), slice(0, 2), base_color=(0, 0, 1, 1), unlit=True),
        lissom.Part("flag", slice(4, 8), slice(2, 4), base_color=(1, 0, 0, 1), unlit=True),
    ]
    mesh = lissom.Mesh(
        body + flag, np.concatenate([square, square + 4]), [[0]] * 4 + [[1]] * 4, np.ones((8, 1)), parts=parts
    )
    rest = np.zeros((2, 10), np.float32)
    rest[:, 6:] = 1
    bones = lissom.Skeleton(["body", "arm"], [-1, 0], rest)
    poses = np.repeat(rest[None], 2, axis=0)
    poses[1, 1, 1] = 0.6
    clip = lissom.Clip.from_poses(bones, [0.0, 1.0], poses, name="raise", loop=False)
    skin = lissom.Skin([0, 1], np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)))
    return lissom.Character("board", bones, mesh, skin, [clip])


def raised_arm():
    """The corners of a figure that looks along z, and a bake in which it moves its arm and then turns it.

    Corner 3 is the tip of its right arm. At 1 s it is moved to the right, up and ahead, at 2 s turned from x
    to y, in float32.
    """
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [-1, 1, 0.5]])
    mesh = lissom.Mesh(corners, [[0, 1, 2], [1, 3, 2]], [[0], [0], [0], [1]], np.ones((4, 1)))
    rest = np.zeros((2, 10), np.float32)
    rest[:, 6:] = 1
    bones = lissom.Skeleton(["body", "arm"], [-1, 0], rest)
    poses = np.repeat(rest[None], 3, axis=0)
    poses[1, 1, :3] = -0.25, 0.5, 0.125
    poses[2, 1, 3:7] = 0, 0, np.sqrt(0.5), np.sqrt(0.5)
    raised = lissom.Clip.from_poses(bones, [0.0, 1.0, 2.0], poses, name="raise", loop=False)
    skin = lissom.Skin([0, 1], np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)))
    character = lissom.Character("arm", bones, mesh, skin, [raised])
    return corners, lissom.bake(character, rate=1, dtype="float32")


def middle(colors, channel, fov):
    """Middle (x to the right, y up) and area of what is red (0) or blue (2) in a picture, in metres."""
    colors = np.asarray(colors, float)
    height, width = colors.shape[:2]
    inside = (colors[..., channel] > 150) & (np.delete(colors, channel, axis=2).max(axis=2) < 100)
    metres = 2 * DISTANCE * np.tan(np.radians(fov / 2)) / height
    y, x = np.nonzero(inside)
    across, up = x.mean() - (width - 1) / 2, (height - 1) / 2 - y.mean()
    return across * metres, HEIGHT + up * metres, inside.sum() * metres**2


def check_pictures(down, up, behind, fov):
    """Pictures of the arm down and up from ahead, and of it up from behind."""
    np.testing.assert_allclose(middle(down, 0, fov), [-0.7, 0.7, 0.16], atol=0.015)
    np.testing.assert_allclose(middle(up, 0, fov), [-0.7, 1.3, 0.16], atol=0.015)
    np.testing.assert_allclose(middle(up, 2, fov), [0, 0.5, 1], atol=0.02)
    behind = np.asarray(behind)
    assert (behind == behind[0, 0]).all()  # backs are culled
