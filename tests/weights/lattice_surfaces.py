# SPDX-License-Identifier: MIT
"""Surfaces in every state that lattices are made of, built by hand."""

import numpy as np

_CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
_SIDES = np.array(
    [
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
        [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
    ]
)  # fmt: skip


def box(low=(0, 0, 0), high=(1, 1, 1)):
    """Make a closed box of twelve triangles, counter-clockwise seen from outside."""
    low, high = np.array(low, float), np.array(high, float)
    return low + _CORNERS * (high - low), _SIDES.copy()


def joined(*parts):
    """Put surfaces into one, vertices apart."""
    positions, triangles, first = [], [], 0
    for points, faces in parts:
        positions.append(points)
        triangles.append(np.asarray(faces) + first)
        first += len(points)
    return np.concatenate(positions), np.concatenate(triangles)


def welded(surface):
    """Make vertices at one place one."""
    positions, triangles = surface
    places, index = np.unique(positions, axis=0, return_inverse=True)
    return places, index.ravel()[triangles]


def sphere(times=3, radius=1.0, center=(0, 0, 0)):
    """Make a sphere of an octahedron: symmetric about all planes through its middle."""
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    faces = np.array(faces)
    for _ in range(times):
        sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]], axis=-1).reshape(-1, 2)
        edges, of = np.unique(sides, axis=0, return_inverse=True)
        middles = points[edges].sum(axis=1)
        middles /= np.linalg.norm(middles, axis=1, keepdims=True)
        ab, bc, ca = (len(points) + of.reshape(-1, 3)).T
        a, b, c = faces.T
        parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        faces = np.concatenate([np.stack(part, axis=1) for part in parts])
        points = np.concatenate([points, middles])
    return radius * points + np.array(center, float), faces


def tube(radius=0.1, length=1.0, rings=20, sides=12, capped=True):
    """Make a tube along x from 0, closed by fans where it is capped."""
    x = np.linspace(0, length, rings + 1)
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.stack([np.zeros(sides), np.cos(angle), np.sin(angle)], axis=1)
    points = (ring[None] + x[:, None, None] * np.array([1.0, 0, 0])).reshape(-1, 3)
    i, k = (grid.ravel() for grid in np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij"))
    a, b = i * sides + k, i * sides + (k + 1) % sides
    faces = np.concatenate([np.stack([a, b, b + sides], 1), np.stack([a, b + sides, a + sides], 1)])
    faces = faces[:, [0, 2, 1]]
    if capped:
        first, last = len(points), len(points) + 1
        points = np.concatenate([points, [[0, 0, 0], [length, 0, 0]]])
        k = np.arange(sides)
        start = np.stack([np.full(sides, first), (k + 1) % sides, k], 1)
        end = np.stack([np.full(sides, last), rings * sides + k, rings * sides + (k + 1) % sides], 1)
        faces = np.concatenate([faces, start[:, [0, 2, 1]], end[:, [0, 2, 1]]])
    return points, faces


def fork(gap, prong=0.2, depth=0.2, height=1.0, base=0.3):
    """Make two prongs on one base, a gap apart: one closed surface."""
    xs = np.array([0, prong, prong + gap, 2 * prong + gap])
    outline = np.array(
        [
            [xs[0], 0], [xs[3], 0], [xs[3], base], [xs[3], base + height], [xs[2], base + height],
            [xs[2], base], [xs[1], base], [xs[1], base + height], [xs[0], base + height], [xs[0], base],
        ]
    )  # fmt: skip
    flat = np.array([[0, 1, 2], [0, 2, 5], [0, 5, 6], [0, 6, 9], [2, 3, 4], [2, 4, 5], [9, 6, 7], [9, 7, 8]])
    count = len(outline)
    front = np.column_stack([outline, np.full(count, depth)])
    back = np.column_stack([outline, np.zeros(count)])
    k = np.arange(count)
    after = (k + 1) % count
    sides = np.concatenate(
        [np.stack([k + count, after + count, after], 1), np.stack([k + count, after, k], 1)]
    )
    return np.concatenate([front, back]), np.concatenate([flat, flat[:, ::-1] + count, sides])
