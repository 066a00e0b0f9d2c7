# SPDX-License-Identifier: MIT
"""Optimised centres of rotation in plain float64 NumPy, every vertex against every piece of the surface.

Source: Le and Hodgins, "Real-time Skeletal Skinning with Optimized Centers of Rotation", ACM TOG 35(4) 37,
2016: the similarity of equation 1, the sum over triangles of equation 4, and the division of triangles along
whose edges the weights differ by more than 0.1.
"""

import numpy as np

WEIGHT_STEP = 0.1


def dense_weights(indices, weights):
    """Weights (V, S) of every joint."""
    dense = np.zeros((len(indices), int(indices.max(initial=0)) + 1))
    for k in range(indices.shape[1]):
        np.add.at(
            dense, (np.arange(len(indices)), indices[:, k].astype(np.int64)), weights[:, k].astype(float)
        )
    return dense


def similarity(p, v, sigma):
    """s(p, v) of two dense rows of weights, by the double sum over joints."""
    cross = np.outer(p, v)  # p_j v_k
    terms = np.outer(p, p) * np.outer(v, v) * np.exp(-((cross - cross.T) ** 2) / sigma**2)
    np.fill_diagonal(terms, 0)
    return terms.sum()


def similarities(p, v, sigma):
    """s of all rows p (P, S) and v (N, S): (P, N). The same sum, pair by pair of joints."""
    total = np.zeros((len(p), len(v)))
    for j in range(p.shape[1]):
        for k in range(j):
            rows = np.flatnonzero(p[:, j] * p[:, k])
            pieces = np.flatnonzero(v[:, j] * v[:, k])
            if len(rows) == 0 or len(pieces) == 0:
                continue
            a, b = p[rows, j, None], p[rows, k, None]
            x, y = v[pieces, j], v[pieces, k]
            total[np.ix_(rows, pieces)] += 2 * a * b * x * y * np.exp(-((a * y - b * x) ** 2) / sigma**2)
    return total


def surface_pieces(positions, weights, triangles, divide=True):
    """Areas (N,), centroids (N, 3) and mean weights (N, S) of the triangles, divided where need be."""
    positions = positions.astype(np.float64)
    areas, centroids, means = [], [], []
    for corners in triangles:
        p, w = positions[corners], weights[corners]
        step = max(np.linalg.norm(w[i] - w[(i + 1) % 3]) for i in range(3))
        n = max(1, int(np.ceil(step / WEIGHT_STEP - 1e-9))) if divide else 1
        area = 0.5 * np.linalg.norm(np.cross(p[1] - p[0], p[2] - p[0])) / n**2
        # A grid of n + 1 points along each side; its small triangles stand upright or upside down.
        grid = [[np.array([n - i - j, i, j]) / n for j in range(n + 1 - i)] for i in range(n + 1)]
        small = [(grid[i][j], grid[i + 1][j], grid[i][j + 1]) for i in range(n) for j in range(n - i)]
        small += [
            (grid[i + 1][j], grid[i][j + 1], grid[i + 1][j + 1]) for i in range(n) for j in range(n - i - 1)
        ]
        for three in small:
            share = np.mean(three, axis=0)
            areas.append(area)
            centroids.append(share @ p)
            means.append(share @ w)
    return np.array(areas), np.array(centroids), np.array(means)


def centers_of_rotation(mesh, sigma=0.1, divide=True, chosen=slice(None)):
    """Centres of the chosen vertices; their own positions where they have one joint or nothing is similar."""
    weights = dense_weights(mesh.indices, mesh.weights)
    areas, centroids, means = surface_pieces(mesh.positions, weights, mesh.triangles, divide)
    shares = similarities(weights[chosen], means, sigma) * areas
    totals = shares.sum(axis=1, keepdims=True)
    centers = np.divide(shares @ centroids, totals, where=totals > 0, out=np.zeros((len(totals), 3)))
    return np.where(totals > 0, centers, mesh.positions[chosen])
