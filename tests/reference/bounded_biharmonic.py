# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights from the definition, dense and in float64: the twin of src/core/weights.

Source: Jacobson, Baran, Popovic and Sorkine, Bounded Biharmonic Weights for Real-Time Deformation, ACM TOG
30(4), 2011, sections 3 and 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

Floats = NDArray[np.float64]


def bilaplacian(nodes: Floats, tets: NDArray[np.int32]) -> Floats:
    """Q = L M^-1 L (N, N): gradients of hat functions by inverting each tetrahedron's matrix."""
    points = (nodes - nodes.min(axis=0)) / np.linalg.norm(np.ptp(nodes, axis=0))
    count = len(points)
    laplacian, mass = np.zeros((count, count)), np.zeros(count)
    for tet in tets:
        corners = np.column_stack([points[tet], np.ones(4)])
        volume = abs(np.linalg.det(corners)) / 6
        gradients = np.linalg.inv(corners)[:3]  # (3, 4): of each corner's hat function
        laplacian[np.ix_(tet, tet)] += volume * gradients.T @ gradients
        mass[tet] += volume / 4
    return laplacian @ np.diag(1 / mass) @ laplacian


def solve(
    nodes: Floats, tets: NDArray[np.int32], fixed_nodes: NDArray[np.int32], fixed_rows: Floats
) -> tuple[Floats, Floats]:
    """Weights (N, H) with rows that sum to 1, and what they were before rows were divided by their sums.

    Each handle's quadratic program is the bounded least squares |A w - c|, with A the upper Cholesky factor
    of the free part of Q, solved by the active sets of scipy (Stark and Parker 1995).
    """
    q = bilaplacian(nodes, tets)
    free = np.setdiff1d(np.arange(len(nodes)), fixed_nodes)
    upper = np.linalg.cholesky(q[np.ix_(free, free)]).T
    weights = np.zeros((len(nodes), fixed_rows.shape[1]))
    weights[fixed_nodes] = fixed_rows
    for handle in range(fixed_rows.shape[1]):
        c = np.linalg.solve(upper.T, -q[np.ix_(free, fixed_nodes)] @ fixed_rows[:, handle])
        found = lsq_linear(upper, c, (0.0, 1.0), method="bvls", tol=1e-14, max_iter=1000)
        weights[free, handle] = np.clip(found.x, 0, 1)
    return weights / weights.sum(axis=1, keepdims=True), weights
