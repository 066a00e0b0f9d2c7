# SPDX-License-Identifier: MIT
"""The nearest place on all triangles, one point after the other, in float64.

Eberly, Distance Between Point and Triangle in 3D, 1999: the minimum of a quadratic over a triangle's edges
and its inside, each tried by itself: another way than the core's, and no tree.
"""

import numpy as np


def closest(positions, triangles, points):
    """Return distances (N,), which triangle, and the barycentric weights (N, 3)."""
    a, b, c = (np.asarray(positions, np.float64)[np.asarray(triangles)[:, i]] for i in range(3))
    distances, which = np.full(len(points), np.inf), np.full(len(points), -1)
    weights = np.zeros((len(points), 3))
    for row, point in enumerate(np.asarray(points, np.float64)):
        tries = [inside(a, b, c, point)]
        for first, second in ((0, 1), (1, 2), (2, 0)):
            tries.append(on_edge((a, b, c), first, second, point))
        tries = np.array(tries)  # (4, F, 3)
        places = tries[..., :1] * a + tries[..., 1:2] * b + tries[..., 2:] * c
        away = np.linalg.norm(places - point, axis=-1)
        away[np.isnan(away)] = np.inf
        kind, triangle = np.unravel_index(np.argmin(away), away.shape)
        distances[row], which[row], weights[row] = away[kind, triangle], triangle, tries[kind, triangle]
    return distances, which, weights


def inside(a, b, c, point):
    """Barycentric weights of the projection; NaN where it lies beside the triangle."""
    e0, e1, d = b - a, c - a, a - point
    a00, a01, a11 = ((u * v).sum(axis=1) for u, v in ((e0, e0), (e0, e1), (e1, e1)))
    b0, b1 = (e0 * d).sum(axis=1), (e1 * d).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        det = a00 * a11 - a01 * a01
        s, t = (a01 * b1 - a11 * b0) / det, (a01 * b0 - a00 * b1) / det
    found = np.stack([1 - s - t, s, t], axis=1)
    return np.where((found >= 0).all(axis=1, keepdims=True), found, np.nan)


def on_edge(corners, first, second, point):
    start, along = corners[first], corners[second] - corners[first]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.clip(((point - start) * along).sum(axis=1) / (along * along).sum(axis=1), 0, 1)
    found = np.zeros((len(start), 3))
    found[:, first], found[:, second] = 1 - t, t
    return found
