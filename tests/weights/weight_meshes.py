# SPDX-License-Identifier: MIT
"""Small meshes that weights are tested on."""

import numpy as np


def capsule(rings=9, segments=8, length=4.0, radius=0.5):
    """A closed, outward tube along +x with a pole at each end: symmetric about x = length / 2 and z = 0."""
    turns = 2 * np.pi * np.arange(segments) / segments
    xs = np.linspace(0, length, rings)
    ring = radius * np.stack([np.zeros(segments), np.cos(turns), np.sin(turns)], axis=1)
    positions = [np.array([[-radius, 0.0, 0.0]])]
    positions += [ring + np.array([x, 0, 0]) for x in xs]
    positions += [np.array([[length + radius, 0.0, 0.0]])]
    triangles = []
    last = 1 + rings * segments
    for k in range(segments):
        after = (k + 1) % segments
        triangles.append([0, 1 + after, 1 + k])
        triangles.append([last, last - segments + k, last - segments + after])
        for i in range(rings - 1):
            a, b = 1 + i * segments + k, 1 + i * segments + after
            c, d = a + segments, b + segments
            triangles += [[a, b, d], [a, d, c]] if i < rings // 2 else [[a, b, c], [b, d, c]]
    return np.concatenate(positions), np.array(triangles)


def blob(seed=0, count=60):
    """A convex hull of random points: closed, outward, with triangles of all shapes."""
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(seed).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points *= [2.0, 1.0, 0.7]
    triangles = ConvexHull(points).simplices.copy()
    corners = points[triangles]
    inward = np.einsum("ij,ij->i", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
                       corners[:, 0]) < 0  # fmt: skip
    triangles[inward] = triangles[inward][:, [0, 2, 1]]
    return points, triangles


def horseshoe(steps=24, segments=8):
    """A tube bent to a U whose legs stand side by side along +y, at x = -1 and x = 1, closed and outward."""
    along = np.linspace(0, 1, steps)
    turn = np.pi * np.clip((along - 0.3) / 0.4, 0, 1)
    straight = np.where(along < 0.3, 0.3 - along, np.where(along > 0.7, along - 0.7, 0)) * 10
    centers = np.stack([-np.cos(turn), straight - np.sin(turn), np.zeros(steps)], axis=1)
    ways = np.stack([np.sin(turn), -np.cos(turn), np.zeros(steps)], axis=1)
    sides = np.cross([0, 0, 1.0], ways)
    turns = 2 * np.pi * np.arange(segments) / segments
    rings = centers[:, None] + 0.4 * (
        np.cos(turns)[:, None] * sides[:, None] + np.sin(turns)[:, None] * np.array([0, 0, 1.0])
    )
    first, triangles = capsule(steps, segments)
    positions = np.concatenate(
        [centers[:1] - 0.4 * ways[:1], rings.reshape(-1, 3), centers[-1:] + 0.4 * ways[-1:]]
    )
    assert len(positions) == len(first)
    return positions, triangles


TWO_BONES = np.array([[[0.0, 0, 0], [2, 0, 0]], [[2.0, 0, 0], [4, 0, 0]]])


def rotation(seed=0):
    """A random rotation matrix."""
    matrix, upper = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    matrix *= np.sign(np.diag(upper))
    return matrix * np.linalg.det(matrix)
