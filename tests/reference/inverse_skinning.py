# SPDX-License-Identifier: MIT
"""Inverse skinning in plain float64 NumPy: each vertex's map is built as skinning defines it, and solved."""

import numpy as np

from reference import skinning as twin


def linear_maps(indices, weights, matrices):
    """Blended affine maps (V, 3, 4) of one palette (S, 4, 4)."""
    return np.einsum(
        "vk,vkij->vij", weights.astype(np.float64), np.asarray(matrices, np.float64)[indices][..., :3, :]
    )


def rigid_maps(indices, weights, dual_quats):
    """Maps (V, 3, 4) of the normalised signed blends of one palette (S, 8), by moving four points."""
    corners = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    vertex_count = len(indices)
    moved = np.stack(
        [
            twin.dual_quat(
                np.tile(corner, (vertex_count, 1)), np.zeros((vertex_count, 3)), indices, weights, dual_quats
            )[0]
            for corner in corners
        ],
        axis=1,
    )
    return np.concatenate([(moved[:, 1:] - moved[:, :1]).swapaxes(1, 2), moved[:, 0, :, None]], axis=2)


def conditions(maps):
    """|M| |M^-1| / 3 of the 3x3 parts, by singular values; infinite where there is no inverse."""
    values = np.linalg.svd(maps[:, :, :3], compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.sqrt((values**2).sum(1) * (values**-2.0).sum(1)) / 3


def undo(maps, positions):
    """Positions (V, 3) before the maps moved them; every map must have an inverse."""
    return np.linalg.solve(maps[:, :, :3], (positions - maps[:, :, 3])[..., None])[..., 0]
